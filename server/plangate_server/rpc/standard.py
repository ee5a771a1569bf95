"""Standard services need no token and have errors of their own; what they hold open is bounded, too."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, TypeAlias

import grpc

from plangate_server.rpc.options import STANDARD_STREAMS
from plangate_server.rpc.running import Context

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


class StandardStreams:
    """The streams of health and reflection that are open."""

    def __init__(self) -> None:
        self._open = 0

    def bounded(self, handler: Handler) -> Handler:
        """The handler, refusing what would be one too many."""
        if not handler.response_streaming:
            return handler
        behaviour: Any = handler.unary_stream or handler.stream_stream
        make = grpc.unary_stream_rpc_method_handler
        if handler.request_streaming:
            make = grpc.stream_stream_rpc_method_handler

        async def answer(request: Any, context: Context) -> AsyncIterator[Any]:
            if self._open >= STANDARD_STREAMS:
                words = (
                    f"at most {STANDARD_STREAMS} streams of standard services are open: close others first"
                )
                await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, words)
            self._open += 1
            try:
                async for response in behaviour(request, context):
                    yield response
            finally:
                self._open -= 1

        return make(answer, handler.request_deserializer, handler.response_serializer)
