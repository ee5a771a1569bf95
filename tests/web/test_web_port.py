"""The web port: who is let in, what is there, and how it opens and closes with the gate."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from starlette.responses import PlainTextResponse

from plangate_server import app, pulse
from plangate_server.app import running
from plangate_server.rpc import plan_servicer
from plangate_server.usecases.create_plan import create_plan
from plangate_server.web.server import web_server
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, open_gate, settings
from tests.helpers.scraping import ask

ALWAYS = {"x-content-type-options": "nosniff", "cache-control": "no-store"}


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[socket.socket]:
    """The sockets on which somebody listens from now on, as they are opened."""
    made: list[socket.socket] = []

    def create_server(*args: Any, **kwargs: Any) -> socket.socket:
        made.append(listening := original(*args, **kwargs))
        return listening

    original = socket.create_server
    monkeypatch.setattr(socket, "create_server", create_server)
    return made


async def test_metrics_are_plain_text_in_the_format_of_prometheus(gate: Gate) -> None:
    """With its version, as scrapers want it."""
    answer = await ask(gate.web, "/metrics")
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example:80", "192.168.1.1"])
async def test_a_foreign_name_gets_no_metrics(gate: Gate, host: str) -> None:
    """A page that was led here by its own name learns nothing but why."""
    answer = await ask(gate.web, "/metrics", Host=host)
    assert (answer.status, answer.text.count("\n")) == (403, 1)
    assert "plangate_" not in answer.text
    assert host not in answer.text


async def test_nobody_gets_in_by_claiming_to_be_forwarded(gate: Gate) -> None:
    """Headers of proxies count for nothing, in either direction."""
    claims = {
        "X-Forwarded-For": "192.168.1.1",
        "X-Forwarded-Host": "evil.example",
        "Forwarded": "for=1.2.3.4",
    }
    assert (await ask(gate.web, "/metrics", **claims)).status == 200
    claims = {"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": "localhost"}
    assert (await ask(gate.web, "/metrics", Host="evil.example", **claims)).status == 403


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/metrics", 200),
        ("HEAD", "/metrics", 200),
        ("GET", "/healthz", 200),
        ("GET", "/", 200),
        ("GET", "/plans/1", 200),
        ("GET", "/static/nothing.js", 404),
        ("GET", "/metrics/../etc/passwd", 404),
        ("POST", "/nowhere", 404),
        *((method, "/metrics", 405) for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE")),
        ("POST", "/healthz", 405),
    ],
)
async def test_every_answer_has_safe_headers(gate: Gate, method: str, path: str, status: int) -> None:
    """Whatever was asked; and none names the software."""
    answer = await ask(gate.web, path, method)
    assert answer.status == status
    assert answer.headers.items() >= ALWAYS.items()
    assert "server" not in answer.headers


async def test_a_fault_keeps_its_words_to_itself(
    gate: Gate, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The answer says that it is one, and nothing of it."""

    def fail(*_: object) -> None:
        raise ValueError("hunter2")

    monkeypatch.setattr("plangate_server.metrics.gate.generate_latest", fail)
    answer = await ask(gate.web, "/metrics")
    assert (answer.status, answer.text) == (500, "Internal Server Error")
    assert answer.headers.items() >= ALWAYS.items()
    assert caplog.records, "it is in the log"


async def test_what_is_no_http_does_no_harm(gate: Gate) -> None:
    """It is refused, and the next one is answered."""
    host, port = gate.web.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"\x16\x03\x01\x00nonsense\r\n\r\n")
    async with asyncio.timeout(PATIENCE):
        assert (await reader.read()).startswith(b"HTTP/1.1 400 ")
    writer.close()
    assert (await ask(gate.web, "/healthz")).status == 200


async def test_health_follows_the_database(
    gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As grpc.health.v1 does; a foreign name may ask, because a load balancer has one."""
    monkeypatch.setattr(pulse, "BEAT_SECONDS", 0.01)

    async def until(status: int, text: str) -> None:
        async with asyncio.timeout(PATIENCE):
            while (answer := await ask(gate.web, "/healthz", Host="gate.example")).status != status:
                pass
        assert answer.text == f"{text}\n"

    file, elsewhere = tmp_path / "plangate.db", tmp_path / "elsewhere.db"
    await until(200, "serving")
    file.rename(elsewhere)
    await until(503, "not serving")
    elsewhere.rename(file)
    await until(200, "serving")


async def test_health_while_running_calls_finish(
    tmp_path: Path, opened: list[socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gate that drains says so until it is gone."""
    monkeypatch.setattr(app, "GRACE_SECONDS", 2 * PATIENCE)
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def create_plan_slowly(*args: Any) -> Any:
        begun.set()
        await go_on.wait()
        return await create_plan(*args)

    monkeypatch.setattr(plan_servicer, "create_plan", create_plan_slowly)
    async with open_gate(tmp_path / "plangate.db") as gate:
        write = asyncio.ensure_future(gate.propose())
        await begun.wait()
        stopping = asyncio.ensure_future(gate.stop())
        async with asyncio.timeout(PATIENCE):
            while (await ask(gate.web, "/healthz")).status != 503:
                pass
            go_on.set()
            await write
            await stopping
        assert [each.fileno() for each in opened] == [-1]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
async def test_every_loopback_address_will_do(tmp_path: Path, host: str) -> None:
    """The address that it says is the one that answers."""
    chosen = replace(settings(tmp_path / "plangate.db"), web_listen=f"{host}:0")
    async with running(chosen) as addresses:
        assert addresses.web.startswith(f"{host}:")
        assert (await ask(addresses.web, "/metrics")).status == 200


async def test_a_port_in_use_opens_no_gate(tmp_path: Path) -> None:
    """It is refused by its address, nothing stays open, and the next start succeeds."""
    chosen = settings(tmp_path / "plangate.db")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(OSError, match=f"cannot listen on {address}: is another server there?"):
            async with running(replace(chosen, web_listen=address)):
                pass
    async with running(chosen) as addresses:
        assert (await ask(addresses.web, "/healthz")).text == "serving\n"


async def test_a_port_of_grpc_in_use_leaves_no_web_port_open(
    gate: Gate, tmp_path: Path, opened: list[socket.socket]
) -> None:
    """What was opened first is closed again."""
    chosen = replace(settings(tmp_path / "second.db"), listen=gate.address)
    with pytest.raises(OSError, match=gate.address):
        async with running(chosen):
            pass
    assert [each.fileno() for each in opened] == [-1]


async def test_no_answer_waits_for_the_peer(opened: list[socket.socket]) -> None:
    """The head of an answer and its body go out as they are written."""
    async with web_server(PlainTextResponse("here"), "127.0.0.1:0"):
        assert [each.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for each in opened] == [1]
