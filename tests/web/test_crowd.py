"""Whoever is not known makes room: for health, for those who sign in, and for those who have."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, closing

import pytest

from plangate_server.web import crowd, patience, shares
from plangate_server.web.crowd import MOST_UNKNOWN, Crowd
from plangate_server.web.patience import LEFT_BYTES, MOST_PARTS
from plangate_server.web.shares import Share, TooMany
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate
from tests.helpers.scraping import ask
from tests.helpers.tokens import local_token
from tests.helpers.visitor import Visitor

WHO = "agent.v1.TokenService/WhoAmI"


class Line(asyncio.Transport):
    def __init__(self) -> None:
        super().__init__()
        self.is_aborted = False

    def abort(self) -> None:
        self.is_aborted = True


class Visit:
    def __init__(self, *, is_known: bool = False, is_idle: bool = True) -> None:
        self.is_known = is_known
        self.is_idle = is_idle
        self.line = Line()


def come(crowd: Crowd, count: int, **how: bool) -> list[Visit]:
    visits = [Visit(**how) for _ in range(count)]
    for visit in visits:
        crowd.join(visit, visit.line)
    return visits


def staying(visits: list[Visit]) -> int:
    return sum(not visit.line.is_aborted for visit in visits)


def test_the_oldest_make_room() -> None:
    """Of those that nobody knows, whoever came last is let in, and whoever came first is sent away."""
    guests = Crowd()
    visits = come(guests, MOST_UNKNOWN + 3)
    assert [visit.line.is_aborted for visit in visits] == [True] * 3 + [False] * MOST_UNKNOWN


def test_who_has_been_here_for_a_while_makes_room_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many may come at once; only few may stay who ask nothing that lets them in."""
    guests = Crowd()
    visits = come(guests, MOST_UNKNOWN)
    assert staying(visits) == MOST_UNKNOWN
    monkeypatch.setattr(crowd, "WHILE_SECONDS", 0.0)
    come(guests, 1)
    assert staying(visits) == crowd.FEW_UNKNOWN - 1


def test_who_is_known_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many others come; but when all room is taken, one that asks nothing has to connect again."""
    monkeypatch.setattr(crowd, "MOST_CONNECTIONS", 2 * MOST_UNKNOWN)
    guests = Crowd()
    known = come(guests, MOST_UNKNOWN // 2, is_known=True, is_idle=False)
    others = come(guests, 3 * MOST_UNKNOWN)
    assert staying(known) == len(known)
    assert staying(others) == MOST_UNKNOWN
    idle = come(guests, 2 * MOST_UNKNOWN, is_known=True)
    assert staying(known) == len(known)
    assert staying(idle) < len(idle)


@asynccontextmanager
async def silent(gate: Gate, count: int) -> AsyncIterator[None]:
    """Connections on which nothing is said."""
    host, _, port = gate.web.rpartition(":")
    lines = [await asyncio.open_connection(host, int(port)) for _ in range(count)]
    try:
        yield
    finally:
        for _, line in lines:
            line.close()


async def test_silence_keeps_nobody_out(gate: Gate) -> None:
    """With more silent connections than there is room for, health answers, and so does the gate."""
    visitor = Visitor(gate.web)
    await visitor.sign_in()
    async with silent(gate, 300):
        assert (await ask(gate.web, "/healthz")).status == 200
        assert (await visitor.call(WHO)).status == 200
        async with visitor.listening() as live:
            await live.opened()
            async with silent(gate, 300):
                await gate.propose()
                await live.until("PLAN_APPROVAL_REQUIRED")


async def post(gate: Gate, head: str, body: bytes) -> bytes:
    """What is answered to it, which may come before all of it was sent."""
    host, _, port = gate.web.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    line = f"POST /api/{WHO} HTTP/1.1\r\nHost: {gate.web}\r\nContent-Type: application/json\r\n"
    with closing(writer):
        async with asyncio.timeout(PATIENCE):
            writer.write(f"{line}{head}\r\n".encode())
            first = asyncio.create_task(reader.readline())
            try:
                for at in range(0, len(body), 65536):
                    writer.write(body[at : at + 65536])
                    await writer.drain()
            except ConnectionError:
                """It takes no more."""
            return await first


async def test_an_endless_body_ends(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a request that is refused only so much more is taken, and not for long."""
    monkeypatch.setattr(patience, "LEFT_SECONDS", 0.1)
    head = "Content-Length: 999999999999\r\n"
    assert b" 401 " in await post(gate, head, b" " * (32 * LEFT_BYTES))


async def test_a_body_in_crumbs(gate: Gate) -> None:
    """A body is not taken byte by byte: that is a thousand times the work."""
    head = f"Transfer-Encoding: chunked\r\nAuthorization: Bearer {local_token('agent')}\r\n"
    assert b" 400 " in await post(gate, head, b"1\r\n \r\n" * (MOST_PARTS + 1))


async def test_one_caller_waits_for_their_own(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who reads no answers gets only so many; another caller is answered meanwhile."""
    monkeypatch.setattr(shares, "WAIT_SECONDS", 0.3)
    host, _, port = gate.web.rpartition(":")
    # A body that does not come holds a turn like an answer that is not read.
    head = f"POST /api/{WHO} HTTP/1.1\r\nHost: {gate.web}\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: 2\r\nAuthorization: Bearer {local_token('agent')}\r\n\r\n"
    greedy, other = Visitor(gate.web), Visitor(gate.web)
    greedy.headers = {"Authorization": f"Bearer {local_token('agent')}"}
    other.headers = {"Authorization": f"Bearer {local_token('reviewer')}"}
    with ExitStack() as lines:
        for _ in range(shares.AT_A_TIME):
            line = lines.enter_context(socket.create_connection((host, int(port))))
            line.sendall(head.encode())
        async with asyncio.timeout(PATIENCE):
            while (answer := await greedy.call(WHO)).status == 200:
                """Not all of them have their turn yet."""
        assert (answer.status, answer.reason) == (429, "LIMIT_EXCEEDED")
        assert answer.body["error"]["metadata"]["limit"] == "unread_answers"
        assert (await other.call(WHO)).status == 200
    async with asyncio.timeout(PATIENCE):
        while (await greedy.call(WHO)).status != 200:
            """They have not left yet."""


async def test_the_line_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has as many requests waiting as one may have is refused another at once."""
    monkeypatch.setattr(shares, "MOST_WAITING", 2)
    share, over = Share(), asyncio.Event()

    async def ask_something() -> None:
        async with share.request():
            await over.wait()

    asking = [asyncio.create_task(ask_something()) for _ in range(shares.AT_A_TIME)]
    await asyncio.sleep(0)
    assert share.check_line()
    asking += [asyncio.create_task(ask_something()) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(TooMany, match="2 waiting requests"):
        share.check_line()
    over.set()
    await asyncio.gather(*asking)
    assert not share.check_line()


async def test_one_caller_has_only_so_many_streams(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the web port, where fewer are needed than over gRPC; another caller gets theirs."""
    monkeypatch.setattr(shares, "MOST_STREAMS", 1)
    greedy, other = Visitor(gate.web), Visitor(gate.web)
    await greedy.sign_in()
    await other.sign_in(local_token("admin"))
    async with greedy.listening() as live:
        await live.opened()
        answer = await greedy.get("/api/live")
        assert (answer.status, answer.reason) == (429, "LIMIT_EXCEEDED")
        async with other.listening() as another:
            await another.opened()
