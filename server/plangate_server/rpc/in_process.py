"""The whole gate without a server: whoever is in its process calls it, by the same way as everybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import grpc

from plangate_server.ports import World
from plangate_server.rpc.boundary import Boundary
from plangate_server.rpc.calls import CallLog
from plangate_server.rpc.door import Door
from plangate_server.rpc.inside import Inside
from plangate_server.rpc.running import Running
from plangate_server.rpc.services import NAMES, add_services


class InProcess:
    """``inside`` has its methods. Nothing listens, and nothing is counted or logged of finished calls."""

    def __init__(self, world: World) -> None:
        self._door = Door(world, Running())
        calls = CallLog()
        calls.expect(NAMES)
        handlers = _Handlers()
        add_services(handlers, world)
        self.inside = Inside(Boundary(self._door, calls, world.limits), handlers.every)

    async def see_out(self) -> NoReturn:
        """End the streams of those whose tokens ended."""
        await self._door.see_out()


class _Handlers:
    """As much of a server as the generated code needs."""

    def __init__(self) -> None:
        self.every: list[grpc.GenericRpcHandler] = []

    def add_generic_rpc_handlers(self, handlers: Sequence[grpc.GenericRpcHandler]) -> None:
        self.every.extend(handlers)

    def add_registered_method_handlers(self, service: str, handlers: Mapping[str, Any]) -> None:
        """They are among the generic ones already."""
