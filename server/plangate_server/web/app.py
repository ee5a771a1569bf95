"""The web app: which routes it has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct
from starlette.applications import Starlette
from starlette.types import ASGIApp

from plangate_server.fronts import Calls
from plangate_server.metrics import Metrics
from plangate_server.ports import Store
from plangate_server.web.api import api_route
from plangate_server.web.gateway.socket import socket_routes
from plangate_server.web.gateway.streams import stream_routes
from plangate_server.web.headers import SafeHeaders
from plangate_server.web.health import health_route
from plangate_server.web.invitations import Invitation
from plangate_server.web.live import live_route
from plangate_server.web.origins import OwnOrigin
from plangate_server.web.pages import page_routes
from plangate_server.web.rendering import render_route
from plangate_server.web.scrape import metrics_route
from plangate_server.web.shares import Shares
from plangate_server.web.sign_in import sign_in_routes

STREAMS: Final = frozenset({"/api/live", "/agent/events", "/agent/message/stream"})


class Behind(Struct, frozen=True):
    """What the web app shows of the gate."""

    calls: Calls
    metrics: Metrics
    store: Store
    is_serving: Callable[[], bool]
    message_bytes: int


def web_app(behind: Behind, invitation: Invitation) -> ASGIApp:
    routes = [
        metrics_route(behind.metrics, behind.store),
        health_route(behind.is_serving),
        *sign_in_routes(behind.calls, invitation),
        live_route(behind.calls),
        render_route(behind.calls),
        api_route(behind.calls, behind.message_bytes),
        *stream_routes(behind.calls),
        *socket_routes(behind.calls),
        *page_routes(),
    ]
    app = Starlette(routes=routes)
    # No answer leads anywhere else.
    app.router.redirect_slashes = False
    return SafeHeaders(OwnOrigin(Shares(app, STREAMS, behind.calls)))
