"""What gRPC itself refuses: headers that are too large, pings all the time, peers that are gone."""

import asyncio
import struct
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import grpc
import pytest

from plangate_proto.agent.v1.plan_service_pb2 import ListPlansRequest
from plangate_server import app
from plangate_server.rpc import server
from plangate_server.rpc.options import HEADER_BYTES, OPTIONS
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, connected, open_gate
from tests.helpers.streams import WatchedHub
from tests.helpers.tokens import LOCAL
from tests.rpc.steps import watching

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS, PING, GOAWAY = 4, 6, 7
ACKNOWLEDGED = 1
ENHANCE_YOUR_CALM = 11


def frame(kind: int, body: bytes = b"", flags: int = 0) -> bytes:
    return len(body).to_bytes(3, "big") + bytes([kind, flags]) + bytes(4) + body


async def frames(reader: StreamReader) -> AsyncIterator[tuple[int, int, bytes]]:
    """Kind, flags and body of each frame until the other end closes."""
    with suppress(asyncio.IncompleteReadError, ConnectionResetError):
        while head := await reader.readexactly(9):
            body = await reader.readexactly(int.from_bytes(head[:3], "big"))
            yield head[3], head[4], body


def asking_after(milliseconds: int) -> tuple[tuple[str, int], ...]:
    """The options of a server that asks a silent peer so soon, and waits as long for its answer."""
    waits = ("grpc.keepalive_time_ms", "grpc.keepalive_timeout_ms", "grpc.http2.ping_timeout_ms")
    soon = dict.fromkeys(waits, milliseconds)
    return tuple((name, soon.get(name, value)) for name, value in OPTIONS)


@asynccontextmanager
async def plain_connection(gate: Gate) -> AsyncIterator[tuple[StreamReader, StreamWriter]]:
    """HTTP/2 without anything that takes care of it."""
    host, _, port = gate.address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(PREFACE + frame(SETTINGS))
    try:
        yield reader, writer
    finally:
        writer.close()


async def list_with_header(gate: Gate, size: int) -> None:
    await gate.agent.ListPlans(ListPlansRequest(), metadata=(("x-padding", "x" * size),), timeout=PATIENCE)


async def test_headers_are_taken_up_to_their_limit(gate: Gate) -> None:
    """Not at random: three quarters of it pass each time, and more than all of it is refused each time."""
    for _ in range(5):
        await list_with_header(gate, HEADER_BYTES * 3 // 4)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await list_with_header(gate, HEADER_BYTES)
        assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_who_pings_all_the_time_is_sent_away(gate: Gate) -> None:
    """The connection is ended with the reason; others are not touched."""
    async with asyncio.timeout(PATIENCE), plain_connection(gate) as (reader, writer):
        writer.write(b"".join(frame(PING, struct.pack("!Q", number)) for number in range(10)))
        (goodbye,) = [body async for kind, _, body in frames(reader) if kind == GOAWAY]
    assert (int.from_bytes(goodbye[4:8], "big"), goodbye[8:]) == (ENHANCE_YOUR_CALM, b"too_many_pings")
    assert await gate.plans() == []


async def test_a_ping_now_and_then_is_answered(gate: Gate) -> None:
    """Also on a connection without a call."""
    async with asyncio.timeout(PATIENCE), plain_connection(gate) as (reader, writer):
        writer.write(frame(PING, b"are you?"))
        answer = await anext(each async for each in frames(reader) if each[0] == PING)
    assert answer == (PING, ACKNOWLEDGED, b"are you?")


async def test_a_watcher_that_is_gone_without_a_word_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its machine sleeps or its network is cut: it does not answer, and its stream is ended."""
    milliseconds = 300
    while not await is_missed(tmp_path, monkeypatch, milliseconds):
        # The machine is so busy that the watcher was given up before it was gone: it gets more time.
        milliseconds *= 4
        assert milliseconds < PATIENCE * 1000 / 2


async def is_missed(folder: Path, monkeypatch: pytest.MonkeyPatch, milliseconds: int) -> bool:
    """Whether a watcher was counted until it was gone; then it must not be counted any longer."""
    hub = WatchedHub()
    monkeypatch.setattr(app, "Hub", lambda: hub)
    monkeypatch.setattr(server, "OPTIONS", asking_after(milliseconds))
    async with (
        open_gate(folder / "plangate.db") as gate,
        way_to(gate) as (address, cut),
        connected(address) as far_away,
    ):
        try:
            stream, _ = await watching(far_away)
        except grpc.aio.AioRpcError:
            return False
        if not (counted := hub.reviewers_watching(LOCAL.workspace)):
            return False
        assert counted == 1
        cut.set()
        await hub.until_followers(0)
        assert hub.reviewers_watching(LOCAL.workspace) == 0
        stream.cancel()
        return True


@asynccontextmanager
async def way_to(gate: Gate) -> AsyncIterator[tuple[str, asyncio.Event]]:
    """Another address of the gate; once it is cut, nothing gets through and nobody is told."""
    host, _, port = gate.address.rpartition(":")
    cut = asyncio.Event()

    async def copy(reader: StreamReader, writer: StreamWriter) -> None:
        while data := await reader.read(65536):
            if not cut.is_set():
                writer.write(data)

    async def serve(reader: StreamReader, writer: StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection(host, int(port))
        with suppress(OSError):
            await asyncio.gather(copy(reader, there_writer), copy(there_reader, writer))
        for end in (writer, there_writer):
            end.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as proxy:
        yield f"127.0.0.1:{proxy.sockets[0].getsockname()[1]}", cut
