"""The web app: which routes it has."""

from __future__ import annotations

from collections.abc import Callable

from starlette.applications import Starlette
from starlette.types import ASGIApp

from plangate_server.metrics import Metrics
from plangate_server.ports import Store
from plangate_server.web.headers import SafeHeaders
from plangate_server.web.health import health_route
from plangate_server.web.scrape import metrics_route


def web_app(metrics: Metrics, store: Store, is_serving: Callable[[], bool]) -> ASGIApp:
    routes = [metrics_route(metrics, store), health_route(is_serving)]
    return SafeHeaders(Starlette(routes=routes))
