"""GET /healthz: the health of grpc.health.v1, for those who speak HTTP only."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route


def health_route(is_serving: Callable[[], bool]) -> Route:
    async def health(_: Request) -> Response:
        if is_serving():
            return PlainTextResponse("serving\n")
        return PlainTextResponse("not serving\n", status_code=503)

    return Route("/healthz", health, methods=["GET"])
