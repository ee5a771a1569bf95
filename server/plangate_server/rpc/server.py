"""The gRPC server: which services it has, and how it is set up."""

from __future__ import annotations

import asyncio
import os
from typing import Any, Final, NoReturn

import grpc
from grpc_health.v1 import health_pb2_grpc
from grpc_health.v1.health import SERVICE_NAME

from plangate_server.ports import World
from plangate_server.rpc.boundary import Boundary
from plangate_server.rpc.calls import CallLog
from plangate_server.rpc.connections import Address, close_connections, listening
from plangate_server.rpc.door import Door
from plangate_server.rpc.handlers import ByName
from plangate_server.rpc.health import Health
from plangate_server.rpc.inside import Inside
from plangate_server.rpc.options import OPTIONS
from plangate_server.rpc.reflection import add_reflection
from plangate_server.rpc.running import Running
from plangate_server.rpc.services import NAMES, add_services
from plangate_server.tls import Certificates

FOR_ITS_USER: Final = 0o177
HANG_UP_SECONDS: Final = 1.0
"""How long whoever is connected when the server stops may take to read what it was told last."""


class RpcServer:
    """The server with its health. Made unstarted; ``start`` gives the port it listens on.

    It serves from the start, and says so when its health is told.
    """

    def __init__(self, world: World, calls: CallLog) -> None:
        self._running = Running()
        self._door = Door(world, self._running)
        self._watches: list[asyncio.Task[NoReturn]] = []
        self._listeners: frozenset[Address] = frozenset()
        boundary = Boundary(self._door, calls, world.limits)
        self._server = grpc.aio.server(interceptors=(boundary,), options=OPTIONS)
        calls.expect(NAMES)
        self.health = Health(NAMES, world.clock, self._running)
        server: Any = ByName(self._server)
        add_services(server, world)
        self.inside = Inside(boundary, tuple(server.handlers))
        health_pb2_grpc.add_HealthServicer_to_server(self.health, server)
        add_reflection(self._server, [*NAMES, SERVICE_NAME])

    async def start(self, address: str, certificates: Certificates | None = None) -> int:
        """Listen and serve, over TLS if there are certificates. OSError if the address cannot be had."""
        others = listening()
        before = os.umask(FOR_ITS_USER)  # for a Unix socket, which is a file
        try:
            if certificates is None:
                port = self._server.add_insecure_port(address)
            else:
                port = self._server.add_secure_port(address, certificates.credentials())
        except RuntimeError as error:
            raise OSError(f"cannot listen on {address}: is another server there?") from error
        finally:
            os.umask(before)
        await self._server.start()
        self._listeners = listening() - others
        always = (self._running.cut_off_slow_readers(), self._door.see_out())
        self._watches = [asyncio.create_task(each) for each in always]
        return port

    async def stop(self, grace: float) -> None:
        """Let running calls finish and refuse others, for the grace at most; then close all connections. gRPC
        stops when nobody is connected any more: what reached it then would be CANCELLED.
        """
        self._running.close()
        await self._running.finished(grace)
        self._running.cut_off()
        await close_connections(self._listeners, HANG_UP_SECONDS)
        await self._server.stop(None)
        for watch in self._watches:
            watch.cancel()
