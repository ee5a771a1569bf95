"""How the bare servers serve: as processes that say where they listen."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from typing import Final

import grpc

from plangate_server.rpc.options import OPTIONS

GRACE_SECONDS: Final = 1.0


async def serve(fill: Callable[[grpc.aio.Server], None]) -> None:
    """Serve what is put into the server until SIGINT or SIGTERM."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    server = grpc.aio.server(options=OPTIONS)
    fill(server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"gRPC 127.0.0.1:{port}", flush=True)
    await stop.wait()
    # Calls whose callers have gone take a moment to notice.
    await server.stop(GRACE_SECONDS)
