"""GET /metrics: what Prometheus reads."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from plangate_server.metrics import Metrics, table
from plangate_server.ports import Store
from plangate_server.web.access import refusal
from plangate_server.web.waiting import WaitingNow

TEXT_FORMAT: Final = "text/plain; version=0.0.4; charset=utf-8"


def metrics_route(metrics: Metrics, store: Store) -> Route:
    waiting = WaitingNow(store.waiting)
    metrics.read(table.PENDING_REVIEWS, waiting.reviews)
    metrics.read(table.WAITING_TOOL_CALLS, waiting.calls)

    async def scrape(request: Request) -> Response:
        if refused := refusal(request):
            return PlainTextResponse(f"{refused}\n", status_code=403)
        await waiting.refresh()
        return Response(metrics.text(), headers={"Content-Type": TEXT_FORMAT})

    return Route("/metrics", scrape, methods=["GET"])
