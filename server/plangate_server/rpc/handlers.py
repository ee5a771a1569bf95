"""Adds services to a server in the way that costs a call least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import grpc


class ByName:
    """A server as the generated code sees it, which finds methods by their names only.

    The generated code also registers each method. For every call that arrives, grpc.aio then waits on as many
    futures as there are methods, fifty here, and undoes that for all but one.
    """

    def __init__(self, server: grpc.aio.Server) -> None:
        self._server = server
        self.handlers: list[grpc.GenericRpcHandler] = []

    def add_generic_rpc_handlers(self, handlers: Sequence[grpc.GenericRpcHandler]) -> None:
        self._server.add_generic_rpc_handlers(handlers)
        self.handlers.extend(handlers)

    def add_registered_method_handlers(self, service: str, handlers: Mapping[str, Any]) -> None:
        """Not registered: they are among the generic ones already."""
