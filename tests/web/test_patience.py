"""Nobody holds a connection for ever by asking slowly, not asking, or not reading the answer."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from plangate_server.web import bodies, patience, server
from plangate_server.web.server import web_server
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, open_gate
from tests.helpers.scraping import ask
from tests.helpers.tokens import local_token
from tests.web.test_api import GET

HEAD = (
    "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    "Content-Type: application/json\r\nContent-Length: 100\r\n"
)


async def said(gate: Gate, sent: bytes) -> bytes:
    """All that comes back until the server closes the connection, which stays open on this side."""
    reader, writer = await connect(gate)
    writer.write(sent)
    try:
        async with asyncio.timeout(PATIENCE):
            return await read_all(reader)
    finally:
        writer.close()


async def connect(gate: Gate) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, _, port = gate.web.rpartition(":")
    return await asyncio.open_connection(host, int(port))


async def read_all(reader: asyncio.StreamReader) -> bytes:
    """What comes until the end, which may be abrupt."""
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET /healthz HT", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: 1\r\n"],
    ids=["nothing", "half a line", "half a head"],
)
async def test_a_head_that_does_not_come(gate: Gate, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    """The connection ends, and whoever asks is answered meanwhile."""
    is_there, wait = asyncio.Event(), patience.PatientProtocol._wait

    def waiting_for_a_head(protocol: patience.PatientProtocol) -> None:
        wait(protocol)
        is_there.set()

    monkeypatch.setattr(patience.PatientProtocol, "_wait", waiting_for_a_head)
    monkeypatch.setattr(patience, "HEAD_SECONDS", 0.2)
    waiting = asyncio.ensure_future(said(gate, sent))
    async with asyncio.timeout(PATIENCE):
        await is_there.wait()
    monkeypatch.setattr(patience, "HEAD_SECONDS", PATIENCE)
    assert (await ask(gate.web, "/healthz")).status == 200
    assert await waiting == b""


async def test_a_second_head_that_does_not_come(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer before does not buy more time."""
    reader, writer = await connect(gate)
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    async with asyncio.timeout(PATIENCE):
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        monkeypatch.setattr(patience, "HEAD_SECONDS", 0.2)
        writer.write(b"GET /heal")
        assert b"HTTP/1.1" not in await read_all(reader)
    writer.close()


@pytest.mark.parametrize("path", ["/sign-in", f"/api/{GET}", "/api/render", "/agent/message/stream"])
async def test_a_body_that_does_not_come(gate: Gate, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """It is refused with what was waited for."""
    monkeypatch.setattr(bodies, "BODY_SECONDS", 0.1)
    head = HEAD.format(path=path) + f"Authorization: Bearer {local_token('reviewer')}\r\n\r\n"
    answer = await said(gate, head.encode() + b'{"x": ')
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"has not come within" in answer


@pytest.mark.parametrize("path", ["/sign-in", f"/api/{GET}", "/api/render", "/agent/message/stream"])
async def test_a_body_that_breaks_off(tmp_path: Path, caplog: pytest.LogCaptureFixture, path: str) -> None:
    """Is no fault of the server's, and leaves nothing behind."""
    async with open_gate(tmp_path / "plangate.db") as gate:
        _, writer = await connect(gate)
        head = HEAD.format(path=path) + f"Authorization: Bearer {local_token('reviewer')}\r\n\r\n"
        writer.write(head.encode() + b'{"x": ')
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        assert (await ask(gate.web, "/healthz")).status == 200
    assert not caplog.records


async def test_an_answer_that_nobody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line is closed, and what was sending to it learns that nobody is there."""
    monkeypatch.setattr(server, "UNREAD_SECONDS", 0.5)
    left = asyncio.Event()

    async def talk(send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while True:
            await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})

    async def app(_: Scope, receive: Receive, send: Send) -> None:
        talking = asyncio.create_task(talk(send))
        while (await receive())["type"] != "http.disconnect":
            """More of the request."""
        left.set()
        talking.cancel()
        await asyncio.wait([talking])

    async with web_server(app, "127.0.0.1:0") as address:
        host, _, port = address.rpartition(":")
        with socket.create_connection((host, int(port))) as line:
            line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            async with asyncio.timeout(PATIENCE):
                await left.wait()
