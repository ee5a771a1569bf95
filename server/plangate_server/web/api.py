"""POST /api/{service}/{method}: every call of the gate in protobuf's JSON, by the same way as over gRPC."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from plangate_server.fronts import Calls, RefusedCall, Shown
from plangate_server.web.bodies import BadBody, json_body
from plangate_server.web.messages import METHODS
from plangate_server.web.refusals import refused, refused_call
from plangate_server.web.signing_in import shown_token

ESCAPED: Final = 6
"""So many bytes a byte of a text can become when JSON writes it as an escape."""
PASSED_ON: Final = ("x-request-id", "traceparent", "tracestate")

Answer = Callable[[Request], Awaitable[Response]]


def shown_by(connection: HTTPConnection) -> Shown:
    headers = connection.headers
    passed_on = tuple((name, headers[name]) for name in PASSED_ON if name in headers)
    return Shown(shown_token(connection), passed_on, connection.client.host if connection.client else "")


def api_route(calls: Calls, message_bytes: int) -> Route:
    async def call(request: Request) -> Response:
        path = f"/{request.path_params['service']}/{request.path_params['method']}"
        method = METHODS.get(path)
        if method is None or method.streams:
            return refused("NOT_FOUND", "UNKNOWN_METHOD", f"there is no call {path} here")
        shown = shown_by(request)
        if not shown.token:
            return refused("UNAUTHENTICATED", "MISSING_CREDENTIALS", "sign in first")

        async def asked() -> bytes:
            return method.read(await json_body(request, ESCAPED * message_bytes))

        return JSONResponse(method.write(await calls.answer(path, shown, asked)))

    return Route("/api/{service}/{method}", with_refusals(call), methods=["POST"])


def with_refusals(answer: Answer) -> Answer:
    """The same, with every refusal written down for whoever asked."""

    async def answered(request: Request) -> Response:
        try:
            return await answer(request)
        except (RefusedCall, BadBody) as refusal:
            return refused_call(refusal)

    return answered
