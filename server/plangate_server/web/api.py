"""POST /api/{service}/{method}: every call of the gate in protobuf's JSON, by the same way as over gRPC."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import Route

from plangate_server.domain.errors import Refusal
from plangate_server.fronts import Calls, RefusedCall, Shown
from plangate_server.web.bodies import JSON, MOST_VALUES, Shape, json_body
from plangate_server.web.crowd import let_in
from plangate_server.web.messages import METHODS
from plangate_server.web.refusals import refused, refused_call
from plangate_server.web.signing_in import shown_token
from plangate_server.web.workers import Workers

ESCAPED: Final = 6
"""So many bytes a byte of a text can become when JSON writes it as an escape."""
WRITTEN: Final = 2
"""And so many with the names and marks around it."""
AT_ONCE: Final = 8 * 1024
"""What is longer, in JSON or in protobuf, is translated beside the event loop."""
PASSED_ON: Final = ("x-request-id", "traceparent", "tracestate")

Data = TypeVar("Data", bytes, bytearray)
Answer = Callable[[Request], Awaitable[Response]]


def shown_by(connection: HTTPConnection) -> Shown:
    headers = connection.headers
    passed_on = tuple((name, headers[name]) for name in PASSED_ON if name in headers)
    return Shown(shown_token(connection), passed_on, connection.client.host if connection.client else "")


def api_route(calls: Calls, message_bytes: int) -> Route:
    workers = Workers()

    async def translated(caller: str, translate: Callable[[Data], bytes], data: Data) -> bytes:
        if len(data) <= AT_ONCE:
            return translate(data)
        return await workers.do(caller, lambda _: translate(data))

    async def call(request: Request) -> Response:
        path = f"/{request.path_params['service']}/{request.path_params['method']}"
        method = METHODS.get(path)
        if method is None or method.streams:
            return refused("NOT_FOUND", "UNKNOWN_METHOD", f"there is no call {path} here")
        shown = shown_by(request)
        if not shown.token:
            return refused("UNAUTHENTICATED", "MISSING_CREDENTIALS", "sign in first")

        async def asked() -> bytes:
            let_in(request)
            body = await json_body(
                request, ESCAPED * message_bytes, Shape(MOST_VALUES, WRITTEN * message_bytes)
            )
            return await translated(shown.token, lambda data: method.read(data, message_bytes), body)

        answer = await calls.answer(path, shown, asked)
        return Response(await translated(shown.token, method.write_text, answer), media_type=JSON)

    return Route("/api/{service}/{method}", with_refusals(call), methods=["POST"])


def with_refusals(answer: Answer) -> Answer:
    """The same, with every refusal written down for whoever asked."""

    async def answered(request: Request) -> Response:
        try:
            return await answer(request)
        except (RefusedCall, Refusal) as refusal:
            return refused_call(refusal)

    return answered
