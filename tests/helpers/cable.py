"""The way to a gate, which can be cut."""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace

from tests.helpers.gate_process import Opened


@dataclass
class Cable:
    """Passes everything on while it is plugged in."""

    address: str
    far_end: str
    is_in: bool = True
    ends: set[StreamWriter] = field(default_factory=set)

    def to(self, opened: Opened) -> Opened:
        """The gate as it is seen from this side."""
        return replace(opened, web=self.address, link=opened.link.replace(self.far_end, self.address))

    def pull(self) -> None:
        self.is_in = False
        for end in self.ends:
            end.transport.abort()

    def plug_in(self) -> None:
        self.is_in = True

    async def connect(self, reader: StreamReader, writer: StreamWriter) -> None:
        self.ends.add(writer)
        if not self.is_in:
            writer.transport.abort()
            return
        host, _, port = self.far_end.rpartition(":")
        far_reader, far_writer = await asyncio.open_connection(host, int(port))
        self.ends.add(far_writer)
        with suppress(OSError):
            await asyncio.gather(_copy(reader, far_writer), _copy(far_reader, writer))


async def _copy(reader: StreamReader, writer: StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


@asynccontextmanager
async def cable(far_end: str) -> AsyncIterator[Cable]:
    made = Cable("", far_end)
    async with await asyncio.start_server(made.connect, "127.0.0.1", 0) as server:
        made.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield made
        made.pull()
