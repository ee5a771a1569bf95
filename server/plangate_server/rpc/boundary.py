"""The one interceptor: nothing passes it undecoded on the way in or unexplained on the way out.

Requests arrive as bytes and are decoded here, so that what cannot be read is refused like everything
else; a refusal becomes a status by the table; any other exception becomes INTERNAL with an id, and its
text goes nowhere, not even to the log. Whatever way a call ends, the log has one line of it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import Any, Final, NoReturn, TypeAlias

import grpc
from google.protobuf.message import Message

from plangate_server.domain.errors import Refusal
from plangate_server.rpc.calls import Call, CallLog
from plangate_server.rpc.decode import decoder
from plangate_server.rpc.errors import STATUS, InternalError, rich_status
from plangate_server.rpc.running import Context, Running
from plangate_server.rpc.streaming import serialize

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"

Begin: TypeAlias = Callable[[Context], Call]

DETAILS: Final = "grpc-status-details-bin"


class Boundary(grpc.aio.ServerInterceptor):
    def __init__(self, running: Running, calls: CallLog, message_bytes: int) -> None:
        self._running = running
        self._calls = calls
        self._message_bytes = message_bytes
        self._guarded: dict[str, Handler] = {}

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        method = handler_call_details.method
        if method in self._guarded:
            return self._guarded[method]
        handler = await continuation(handler_call_details)
        if handler is None or method.startswith("/grpc."):
            self._calls.passed(handler_call_details, known=handler is not None)
            return handler  # unknown to us, or a standard service, which has errors of its own
        decode = _decoder(method, handler, self._message_bytes)
        self._guarded[method] = guarded = guard(method, handler, decode, self._running, self._calls)
        return guarded


def guard(
    method: str, handler: Handler, decode: Callable[[Any], Any], running: Running, calls: CallLog
) -> Handler:
    """The handler, taking bytes and giving only statuses that the table knows."""
    behaviour = _behaviour(handler)
    wrap = _guard_stream if handler.response_streaming else _guard_unary
    return _MAKE_HANDLER[handler.request_streaming, handler.response_streaming](
        wrap(partial(calls.begin, method), behaviour, decode, running), None, serialize
    )


_MAKE_HANDLER: dict[tuple[bool, bool], Callable[..., Handler]] = {
    (False, False): grpc.unary_unary_rpc_method_handler,
    (False, True): grpc.unary_stream_rpc_method_handler,
    (True, False): grpc.stream_unary_rpc_method_handler,
    (True, True): grpc.stream_stream_rpc_method_handler,
}


def _behaviour(handler: Handler) -> Any:
    return handler.unary_unary or handler.unary_stream or handler.stream_unary or handler.stream_stream


def _decoder(method: str, handler: Handler, message_bytes: int) -> Callable[[Any], Any]:
    assert handler.request_deserializer
    decode = decoder(method, handler.request_deserializer, message_bytes)
    return partial(_decode_each, decode) if handler.request_streaming else decode


async def _decode_each(
    decode: Callable[[bytes], Message], stream: AsyncIterator[bytes]
) -> AsyncIterator[Message]:
    async for data in stream:
        yield decode(data)


def _guard_unary(begin: Begin, behaviour: Any, decode: Any, running: Running) -> Any:
    async def answer(data: Any, context: Context) -> Any:
        call = begin(context)
        try:
            with running:
                response = await behaviour(decode(data), context)
        except (Exception, asyncio.CancelledError) as error:
            await _end(error, call, context)
        call.finished("OK")
        return response

    return answer


def _guard_stream(begin: Begin, behaviour: Any, decode: Any, running: Running) -> Any:
    async def answer(data: Any, context: Context) -> None:
        call = begin(context)
        call.sent = 0
        try:
            with running:
                sent = None
                async with aclosing(behaviour(decode(data), context)) as responses:
                    async for response in responses:
                        await running.send(response, context, after=sent)
                        sent = response
                        call.sent += 1
        except (Exception, asyncio.CancelledError) as error:
            await _end(error, call, context)
        call.finished("OK")

    return answer


async def _end(error: Exception | asyncio.CancelledError, call: Call, context: Context) -> NoReturn:
    """End a call that got no answer, or not all of it."""
    if isinstance(error, asyncio.CancelledError):
        call.finished("CANCELLED")  # the caller hung up, or its time is over: which, only the caller knows
        raise error
    if isinstance(error, grpc.aio.AbortError):
        call.finished(context.code().name)
        raise error
    if isinstance(error, Refusal):
        refusal = error
        call.finished(STATUS[refusal.reason].name, reason=refusal.reason)
    else:
        refusal = InternalError(secrets.token_hex(8))
        call.failed(error, **refusal.metadata)
    status = rich_status(refusal, call.method)
    details = ((DETAILS, status.SerializeToString()), call.trailer)
    await context.abort(STATUS[refusal.reason], status.message, details)
