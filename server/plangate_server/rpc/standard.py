"""Standard services need no token and have errors of their own; what they take is bounded, too."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, NoReturn, TypeAlias

import grpc

from plangate_server.domain.errors import TooManyWaiting
from plangate_server.rpc.lines import Lines
from plangate_server.rpc.options import STANDARD_STREAMS
from plangate_server.rpc.running import Context

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


class Standard:
    """Health and reflection, and methods that there are not: how often they are called, and what is open."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._open = 0
        self.missing: Handler = grpc.stream_stream_rpc_method_handler(self._missing)

    def bounded(self, handler: Handler) -> Handler:
        """The handler, in whose turn it is, refusing what would be one too many."""
        if handler.response_streaming:
            return self._streaming(handler)
        behaviour: Any = handler.unary_unary

        async def answer(request: Any, context: Context) -> Any:
            await self._turn(context)
            return await behaviour(request, context)

        make = grpc.unary_unary_rpc_method_handler
        return make(answer, handler.request_deserializer, handler.response_serializer)

    def _streaming(self, handler: Handler) -> Handler:
        behaviour: Any = handler.unary_stream or handler.stream_stream
        make = grpc.unary_stream_rpc_method_handler
        if handler.request_streaming:
            make = grpc.stream_stream_rpc_method_handler

        async def answer(request: Any, context: Context) -> AsyncIterator[Any]:
            await self._turn(context)
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

    async def _missing(self, _: Any, context: Context) -> NoReturn:
        await self._turn(context)
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, "Method not found!")

    async def _turn(self, context: Context) -> None:
        try:
            await self._lines.open_to_all(context)
        except TooManyWaiting as refusal:
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, refusal.words)
