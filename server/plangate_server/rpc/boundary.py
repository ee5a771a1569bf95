"""The one interceptor: nobody passes unknown, nothing unread on the way in or unexplained on the way out.

Who calls, and whether they may, is settled before anything of a request is read. Requests arrive as bytes
and are decoded here, so that what cannot be read is refused like everything else; a refusal becomes a status
by the table; any other exception becomes INTERNAL with an id, and its text goes nowhere, not even to the log.
Whatever way a call ends, the log has one line of it.
"""

from __future__ import annotations

import asyncio
import secrets
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, aclosing
from functools import partial
from typing import Any, Final, NoReturn, TypeAlias

import grpc
from google.protobuf.message import Message

from plangate_server.domain.errors import InvalidCredentials, Refusal, SlowConsumer
from plangate_server.domain.limits import Limits
from plangate_server.rpc.calls import Call, CallLog
from plangate_server.rpc.decode import RequestMissing, decoder
from plangate_server.rpc.door import Door
from plangate_server.rpc.errors import STATUS, InternalError, rich_status
from plangate_server.rpc.running import Context, Running
from plangate_server.rpc.standard import Standard
from plangate_server.rpc.streaming import cursor_of, serialize

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"

Ended: TypeAlias = Exception | asyncio.CancelledError
Take: TypeAlias = Callable[[AsyncIterator[bytes], Context], Awaitable[Any]]
Admit: TypeAlias = Callable[[Call, Context], AbstractAsyncContextManager[Running]]
Begin: TypeAlias = Callable[[Context], Call]

CUT_OFF: Final = (SlowConsumer, InvalidCredentials)
REQUEST_SECONDS: Final = 30
"""How long a caller who is let in may take to send its request."""
DETAILS: Final = "grpc-status-details-bin"


class Boundary(grpc.aio.ServerInterceptor):
    def __init__(self, door: Door, calls: CallLog, limits: Limits) -> None:
        self._door = door
        self._calls = calls
        self._limits = limits
        self._guarded: dict[str, Handler] = {}
        self._standard = Standard(door.lines)

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
            return self._standard.bounded(handler) if handler else self._standard.missing
        take = _taker(method, handler, self._limits)
        self._guarded[method] = guarded = guard(method, handler, take, self._door, self._calls)
        return guarded


def guard(method: str, handler: Handler, take: Take, door: Door, calls: CallLog) -> Handler:
    """The handler, giving only statuses that the table knows.

    For gRPC every request is a stream, also of a single message: or the whole of it would be in memory before
    anybody knows who sends it.
    """
    behaviour = _behaviour(handler)
    begin = partial(calls.begin, method)
    if handler.response_streaming:
        return grpc.stream_stream_rpc_method_handler(
            _streaming(begin, behaviour, take, door), None, serialize
        )
    admit = door.stream if handler.request_streaming else door.call
    return grpc.stream_unary_rpc_method_handler(
        _answering(begin, behaviour, take, admit, door), None, serialize
    )


def _behaviour(handler: Handler) -> Any:
    return handler.unary_unary or handler.unary_stream or handler.stream_unary or handler.stream_stream


def _taker(method: str, handler: Handler, limits: Limits) -> Take:
    """What reads a request, once its caller is known."""
    assert handler.request_deserializer
    decode = decoder(method, handler.request_deserializer, limits)

    async def take_one(_: AsyncIterator[bytes], context: Context) -> Message:
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                data: Any = await context.read()
        except TimeoutError:
            raise RequestMissing(REQUEST_SECONDS) from None
        return decode(b"" if data is grpc.aio.EOF else data)

    async def take_each(stream: AsyncIterator[bytes], _: Context) -> AsyncIterator[Message]:
        return (decode(data) async for data in stream)

    return take_each if handler.request_streaming else take_one


def _answering(begin: Begin, behaviour: Any, take: Take, admit: Admit, door: Door) -> Any:
    async def answer(stream: Any, context: Context) -> Any:
        call = begin(context)
        request = None
        try:
            async with admit(call, context) as running:
                request = await take(stream, context)
                door.check_still(call)
                running.begin()
                response = await behaviour(request, context)
        except (Exception, asyncio.CancelledError) as error:
            request = None
            await _end(error, call, context, door.running)
        call.finished("OK")
        return response

    return answer


def _streaming(begin: Begin, behaviour: Any, take: Take, door: Door) -> Any:
    async def answer(stream: Any, context: Context) -> None:
        call = begin(context)
        call.sent = 0
        request = sent = None
        try:
            async with door.stream(call, context) as running:
                request = await take(stream, context)
                running.begin()
                async with aclosing(behaviour(request, context)) as responses:
                    async for response in responses:
                        await running.send(response, context)
                        call.make_room()
                        sent = response
                        call.sent += 1
        except (Exception, asyncio.CancelledError) as error:
            error, request, sent = _resumable(error, sent), None, None
            await _end(error, call, context, door.running)
        call.finished("OK")

    return answer


def _resumable(error: Ended, sent: Any) -> Ended:
    """A stream that was cut off goes on after what was sent last."""
    if isinstance(error, CUT_OFF) and "cursor" not in error.metadata and (cursor := cursor_of(sent)):
        error.metadata["cursor"] = cursor
    return error


def _let_go(error: BaseException) -> None:
    """What a refused call had in its hands goes at once: its context and what aborts it hold each other, so
    all that they lead to would wait for the garbage collector.
    """
    links: list[BaseException] = [error]
    for each in links:
        traceback.clear_frames(each.__traceback__)
        links += [one for one in (each.__context__, each.__cause__) if one is not None]
        each.__traceback__ = each.__context__ = each.__cause__ = None


async def _end(error: Ended, call: Call, context: Context, running: Running) -> NoReturn:
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
    elif running.is_cut_off:
        call.finished("UNAVAILABLE")  # what the caller sees whose connection is lost
        raise error
    else:
        refusal = InternalError(secrets.token_hex(8))
        call.failed(error, **refusal.metadata)
    status = rich_status(refusal, call.method)
    details = ((DETAILS, status.SerializeToString()), call.trailer)
    if refusal is error:  # the log still reads where a fault comes from
        _let_go(error)
    await context.abort(STATUS[refusal.reason], status.message, details)
