"""GET /metrics: what Prometheus reads."""

from __future__ import annotations

import time
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from plangate_server.metrics import Metrics, table
from plangate_server.ports import Store
from plangate_server.web.access import refusal
from plangate_server.web.waiting import WaitingNow

TEXT_FORMAT: Final = "text/plain; version=0.0.4; charset=utf-8"
FRESH_SECONDS: Final = 1.0


class Page:
    """The text, made at most once a second: it takes milliseconds, in which no call is answered."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._text = b""
        self._fresh_until = float("-inf")

    def text(self) -> bytes:
        if time.monotonic() >= self._fresh_until:
            self._text = self._metrics.text()
            self._fresh_until = time.monotonic() + FRESH_SECONDS
        return self._text


def metrics_route(metrics: Metrics, store: Store) -> Route:
    page, waiting = Page(metrics), WaitingNow(store.waiting)
    metrics.read(table.PENDING_REVIEWS, waiting.reviews)
    metrics.read(table.WAITING_TOOL_CALLS, waiting.calls)

    async def scrape(request: Request) -> Response:
        if refused := refusal(request):
            return PlainTextResponse(f"{refused}\n", status_code=403)
        await waiting.refresh()
        return Response(page.text(), headers={"Content-Type": TEXT_FORMAT})

    return Route("/metrics", scrape, methods=["GET"])
