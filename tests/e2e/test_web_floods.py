"""The web port of a whole process under attack: what each costs it, and what others notice of it."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from plangate_server.domain.limits import DEFAULTS
from plangate_server.web.bodies import MOST_VALUES
from tests.e2e.processes import ServerProcess, serving
from tests.helpers.conditions import PATIENCE
from tests.helpers.hostile_markdown import hostile_texts
from tests.helpers.ide import ide
from tests.helpers.scraping import ask
from tests.helpers.tokens import local_token
from tests.helpers.visitor import Visitor

pytestmark = pytest.mark.load

MIB = 1024 * 1024
LOOP_SECONDS = 1.0
"""Of the event loop's thread, for one request: it is never taken for long at a stretch."""
ALL_SECONDS = 4.0
"""Of all threads: twice what is promised, for a machine that is slow."""
MEMORY = 64 * MIB
CREATE = "agent.v1.PlanService/CreatePlan"
WHO = "agent.v1.TokenService/WhoAmI"
EMPTY = b"{}," * (8 * MIB - 100)
TEXTS = dict(hostile_texts())


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ServerProcess]:
    async with serving(tmp_path / "plangate.db") as server:
        await visitor(server, "agent").call(WHO)
        yield server


def visitor(server: ServerProcess, role: str) -> Visitor:
    visitor = Visitor(server.web)
    visitor.headers = {"Authorization": f"Bearer {local_token(role)}"}
    return visitor


def loop_seconds(pid: int) -> float:
    """Of the first thread, in which the event loop runs."""
    return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0]) / 1e9


def all_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def memory(pid: int, name: str) -> int:
    found = re.search(rf"^{name}:\s+([0-9]+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found
    return int(found[1]) * 1024


@contextmanager
def bounded(
    server: ServerProcess, size: int, loop: float = LOOP_SECONDS, seconds: float = ALL_SECONDS
) -> Iterator[None]:
    """What is done in the block costs the server no more, and no more memory than that beyond its size."""
    pid = server.process.pid
    Path(f"/proc/{pid}/clear_refs").write_text("5")  # the peak of its memory begins anew
    held, looped, worked = memory(pid, "VmRSS"), loop_seconds(pid), all_seconds(pid)
    yield
    took, beyond = loop_seconds(pid) - looped, memory(pid, "VmHWM") - held - size
    print(f"loop {took:.2f} s, all {all_seconds(pid) - worked:.2f} s, memory {beyond / MIB:+.0f} MiB")
    assert took < loop
    assert all_seconds(pid) - worked < seconds
    assert beyond < MEMORY


@asynccontextmanager
async def answering(server: ServerProcess) -> AsyncIterator[None]:
    """Meanwhile health answers, every time."""
    over = asyncio.Event()

    async def look() -> None:
        while not over.is_set():
            assert (await ask(server.web, "/healthz")).status == 200

    looking = asyncio.create_task(look())
    yield
    over.set()
    async with asyncio.timeout(PATIENCE):
        await looking


def with_names(count: int) -> bytes:
    names = ",".join(f'"n{number}":0' for number in range(count))
    return ('{"type":"user_message",' + names + ',"n1":1}').encode()


BODIES = {
    "names": (with_names(100_000), 400),
    "more names than may be": (with_names(400_000), 429),
    "objects": (b'{"args":{"todos":[' + EMPTY, 429),
    "as many objects as may be": (
        b'{"args":{"todos":[' + b"{}," * (MOST_VALUES // 2 - 10) + b"{}]}}",
        429,
    ),
    "arrays": (b"[" * (24 * MIB), 429),
    "a long text": (b'{"args":{"plan":"' + b"a" * (24 * MIB - 40) + b'"}}', 429),
    "a long text of escapes": (b'{"args":{"plan":"' + rb"\u0041" * (4 * MIB - 40) + b'"}}', 429),
    "an endless number": (b'{"revision":' + b"9" * (7 * MIB) + b"}", 400),
}


@pytest.mark.parametrize(("body", "status"), BODIES.values(), ids=BODIES)
async def test_a_call_in_hostile_json(server: ServerProcess, body: bytes, status: int) -> None:
    """Is refused or done within bounds."""
    with bounded(server, len(body)):
        async with answering(server):
            answer = await visitor(server, "agent").call(CREATE, body)
    assert answer.status == status


@pytest.mark.parametrize("token", ["", "nonsense", "reviewer"])
async def test_a_message_of_many_names(server: ServerProcess, token: str) -> None:
    """Of an IDE that is known or not costs next to nothing."""
    shown = local_token(token) if token == "reviewer" else token
    with bounded(server, MIB):
        async with answering(server), ide(server.web, token=shown) as desk:
            await desk.says(with_names(40_000).decode())
            assert await desk.hears("error")


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
async def test_a_hostile_text_is_drawn(server: ServerProcess, text: str) -> None:
    """Beside the event loop, in bounds; the second time it is there."""
    with bounded(server, len(text.encode())):
        async with answering(server):
            answer = await visitor(server, "reviewer").post("/api/render", {"text": text})
    assert answer.status == 200


async def test_answers_that_nobody_reads(server: ServerProcess) -> None:
    """150 of six megabytes each are not held: others of the same caller wait, other callers do not."""
    host, _, port = server.web.rpartition(":")
    loop, lines, sending = asyncio.get_running_loop(), [], []
    with bounded(server, 8 * 6 * MIB, loop=4, seconds=8):
        for number in range(150):
            text = json.dumps({"text": f"{number} " + "\u200b" * 120_000}, ensure_ascii=False).encode()
            head = f"POST /api/render HTTP/1.1\r\nHost: {server.web}\r\nContent-Type: application/json\r\n"
            head += f"Content-Length: {len(text)}\r\nAuthorization: Bearer {local_token('reviewer')}\r\n\r\n"
            line = socket.socket()
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            line.setblocking(False)
            await loop.sock_connect(line, (host, int(port)))
            lines.append(line)
            sending.append(asyncio.create_task(loop.sock_sendall(line, head.encode() + text)))
        async with answering(server):
            other = visitor(server, "admin")
            for number in range(20):
                answer = await other.post("/api/render", {"text": f"{number} " + "words " * 10_000})
                assert answer.status == 200
    for task in sending:
        task.cancel()
    for line in lines:
        line.close()


async def test_silence_of_many(server: ServerProcess) -> None:
    """1,000 connections that say nothing keep neither health nor a caller out."""
    host, _, port = server.web.rpartition(":")
    async with answering(server):
        lines = [await asyncio.open_connection(host, int(port)) for _ in range(1000)]
        assert (await visitor(server, "reviewer").call(WHO)).status == 200
    for _, line in lines:
        line.close()


@pytest.mark.parametrize("token", ["", "nonsense"])
async def test_a_flood_of_strangers(server: ServerProcess, token: str) -> None:
    """2,000 calls that are not let in are refused, and one that is comes through every time."""
    stranger = Visitor(server.web)
    stranger.headers = {"Authorization": f"Bearer {token}"} if token else {}
    with bounded(server, 0, loop=8, seconds=8):
        async with answering(server):
            answers = await asyncio.gather(*(stranger.call(WHO) for _ in range(2000)))
            assert (await visitor(server, "reviewer").call(WHO)).status == 200
    assert {answer.status for answer in answers} == {401}


HEAVY: dict[str, Callable[[Visitor], Awaitable[object]]] = {
    "a drawing": lambda visitor: visitor.post("/api/render", {"text": TEXTS["brackets"]}),
    "a call": lambda visitor: visitor.call(CREATE, BODIES["names"][0]),
}


@pytest.mark.parametrize("work", HEAVY.values(), ids=HEAVY)
async def test_heavy_work_does_not_hold_up_the_end(
    server: ServerProcess, work: Callable[[Visitor], Awaitable[object]]
) -> None:
    """SIGTERM ends the process while it works, with exit code 0."""
    working = [asyncio.ensure_future(work(visitor(server, "agent"))) for _ in range(3)]
    assert (await ask(server.web, "/healthz")).status == 200
    assert (await server.exit(signal.SIGTERM)).code == 0
    await asyncio.gather(*working, return_exceptions=True)


def test_the_texts_are_as_long_as_a_plan_may_be() -> None:
    """Or they would show nothing."""
    for name, text in TEXTS.items():
        assert DEFAULTS.plan_bytes * 0.5 < len(text.encode()) <= DEFAULTS.plan_bytes, name
