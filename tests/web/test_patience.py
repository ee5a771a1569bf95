"""Nobody holds a connection for ever by asking slowly, not asking, or not reading the answer."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from plangate_server.web import bodies, patience, server
from plangate_server.web.server import web_server
from tests.helpers.gate import Gate, open_gate
from tests.helpers.scraping import PATIENCE, ask
from tests.helpers.tokens import local_token
from tests.web.test_api import GET

HEAD = "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n"


async def said(gate: Gate, sent: bytes) -> bytes:
    """All that comes back until the server closes the connection, which stays open on this side."""
    host, _, port = gate.web.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(sent)
    try:
        async with asyncio.timeout(PATIENCE):
            return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET /healthz HT", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: 1\r\n"],
    ids=["nothing", "half a line", "half a head"],
)
async def test_a_head_that_does_not_come(gate: Gate, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    """The connection ends, and whoever asks is answered meanwhile."""
    monkeypatch.setattr(patience, "HEAD_SECONDS", 0.2)
    waiting = asyncio.ensure_future(said(gate, sent))
    assert (await ask(gate.web, "/healthz")).status == 200
    assert await waiting == b""


async def test_a_second_head_that_does_not_come(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer before does not buy more time."""
    monkeypatch.setattr(patience, "HEAD_SECONDS", 0.2)
    whole = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answers = await said(gate, whole + b"GET /heal")
    assert answers.count(b"HTTP/1.1 200") == 1


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
        host, _, port = gate.web.rpartition(":")
        _, writer = await asyncio.open_connection(host, int(port))
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
