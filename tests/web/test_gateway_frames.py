"""What a socket takes in frames: of whom it does not know nothing, and of others not for ever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from plangate_server.web import sockets
from plangate_server.web.gateway import socket as gateway
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate
from tests.helpers.ide import ide
from tests.helpers.tokens import local_token

PING, TEXT, MORE = 9, 1, 0
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def frame(kind: int, *, is_last: bool = True) -> bytes:
    """Empty, masked with zeros."""
    return bytes([0x80 * is_last + kind, 0x80, 0, 0, 0, 0])


@asynccontextmanager
async def raw_socket(gate: Gate) -> AsyncIterator[Streams]:
    host, _, port = gate.web.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(
        f"GET /ws HTTP/1.1\r\nHost: {gate.web}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        f"Authorization: Bearer {local_token('reviewer')}\r\n\r\n".encode()
    )
    async with asyncio.timeout(PATIENCE):
        await reader.readuntil(b"\r\n\r\n")
        yield reader, writer
    writer.close()


async def closed_with(reader: asyncio.StreamReader) -> bytes:
    """The last that is said before the end."""
    said = b""
    try:
        while part := await reader.read(65536):
            said = said[-200:] + part
    except ConnectionError:
        """It broke off."""
    return said


@pytest.mark.parametrize("token", ["", "nonsense"])
async def test_of_a_stranger_nothing_is_heard(
    gate: Gate, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    """Their messages are not read, however good or bad they are."""
    heard: list[bytes] = []
    monkeypatch.setattr(gateway, "json_message", lambda data, _: heard.append(data))
    async with ide(gate.web, token=token) as desk:
        for _ in range(3):
            await desk.says("{" * 1000)
        assert (await desk.closed())[0] == 4401
    assert heard == []


async def test_an_agent_is_not_heard(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor anybody else who may not look on."""
    heard: list[bytes] = []
    monkeypatch.setattr(gateway, "json_message", lambda data, _: heard.append(data))
    async with ide(gate.web, token=local_token("agent")) as desk:
        await desk.says({"type": "user_message"})
        assert (await desk.closed())[0] == 4403
    assert heard == []


@pytest.mark.parametrize("kind", [PING, TEXT], ids=["pings", "messages"])
async def test_more_frames_than_anybody_sends(gate: Gate, monkeypatch: pytest.MonkeyPatch, kind: int) -> None:
    """In a minute end the socket, with the reason."""
    monkeypatch.setattr(sockets, "MOST_A_MINUTE", 20)
    async with raw_socket(gate) as (reader, writer):
        writer.write(frame(kind) * 21)
        assert b"more than 20 frames in a minute" in await closed_with(reader)


async def test_a_message_of_nothing_for_ever(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames that add nothing to a message are counted, too."""
    monkeypatch.setattr(sockets, "MOST_FRAMES", 20)
    async with raw_socket(gate) as (reader, writer):
        writer.write(frame(TEXT, is_last=False) + frame(MORE, is_last=False) * 21)
        assert b"more than 20 frames of a message" in await closed_with(reader)
