"""The one interceptor: nobody passes unknown, nothing unread on the way in or unexplained on the way out.

Who calls, and whether they may, is settled before anything of a request is read. Requests arrive as bytes
and are decoded here, so that what cannot be read is refused like everything else; a refusal becomes a status
by the table; any other exception becomes INTERNAL with an id, and its text goes nowhere, not even to the log.
Whatever way a call ends, the log has one line of it.
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

from plangate_server.domain.errors import InvalidCredentials, Refusal, SlowConsumer
from plangate_server.rpc.calls import Call, CallLog
from plangate_server.rpc.decode import decoder
from plangate_server.rpc.door import Door
from plangate_server.rpc.errors import STATUS, InternalError, rich_status
from plangate_server.rpc.running import Context
from plangate_server.rpc.streaming import cursor_of, serialize

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"

Ended: TypeAlias = Exception | asyncio.CancelledError
Begin: TypeAlias = Callable[[Context], Call]

CUT_OFF: Final = (SlowConsumer, InvalidCredentials)
DETAILS: Final = "grpc-status-details-bin"


class Boundary(grpc.aio.ServerInterceptor):
    def __init__(self, door: Door, calls: CallLog, message_bytes: int) -> None:
        self._door = door
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
        self._guarded[method] = guarded = guard(method, handler, decode, self._door, self._calls)
        return guarded


def guard(method: str, handler: Handler, decode: Callable[[Any], Any], door: Door, calls: CallLog) -> Handler:
    """The handler, taking bytes and giving only statuses that the table knows."""
    behaviour = _behaviour(handler)
    wrap = _GUARDS[handler.request_streaming, handler.response_streaming]
    return _MAKE_HANDLER[handler.request_streaming, handler.response_streaming](
        wrap(partial(calls.begin, method), behaviour, decode, door), None, serialize
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


def _guard_unary(begin: Begin, behaviour: Any, decode: Any, door: Door) -> Any:
    async def answer(data: Any, context: Context) -> Any:
        call = begin(context)
        try:
            with door.running:
                await door.admit(call, context)
                response = await behaviour(decode(data), context)
        except (Exception, asyncio.CancelledError) as error:
            await _end(error, call, context)
        call.finished("OK")
        return response

    return answer


def _guard_upload(begin: Begin, behaviour: Any, decode: Any, door: Door) -> Any:
    async def answer(data: Any, context: Context) -> Any:
        call = begin(context)
        try:
            with door.running:
                async with door.stream(call, context):
                    response = await behaviour(decode(data), context)
        except (Exception, asyncio.CancelledError) as error:
            await _end(error, call, context)
        call.finished("OK")
        return response

    return answer


def _guard_stream(begin: Begin, behaviour: Any, decode: Any, door: Door) -> Any:
    async def answer(data: Any, context: Context) -> None:
        call = begin(context)
        call.sent = 0
        sent = None
        try:
            with door.running:
                async with (
                    door.stream(call, context),
                    aclosing(behaviour(decode(data), context)) as responses,
                ):
                    async for response in responses:
                        await door.running.send(response, context)
                        sent = response
                        call.sent += 1
        except (Exception, asyncio.CancelledError) as error:
            await _end(_resumable(error, sent), call, context)
        call.finished("OK")

    return answer


_GUARDS: Final = {
    (False, False): _guard_unary,
    (True, False): _guard_upload,
    (False, True): _guard_stream,
    (True, True): _guard_stream,
}


def _resumable(error: Ended, sent: Any) -> Ended:
    """A stream that was cut off goes on after what was sent last."""
    if isinstance(error, CUT_OFF) and "cursor" not in error.metadata and (cursor := cursor_of(sent)):
        error.metadata["cursor"] = cursor
    return error


async def _end(error: Ended, call: Call, context: Context) -> NoReturn:
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
