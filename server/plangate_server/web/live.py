"""GET /api/live: everything that a page shows live, as one stream of server-sent events.

One, because a browser keeps six connections to a server, whatever the number of pages.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from plangate_proto.agent.v1.review_event_pb2 import ReviewEventType
from plangate_proto.agent.v1.tool_approval_service_pb2 import WatchApprovalsRequest
from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest
from plangate_server.fronts import Calls, RefusedCall, Shown
from plangate_server.web.api import shown_by
from plangate_server.web.messages import METHODS
from plangate_server.web.refusals import call_refusal_body, refused
from plangate_server.web.sse import event_stream, stream_route, written

REVIEWS: Final = METHODS["/aiserver.v1.PlanReviewService/WatchReviews"]
PROMPTS: Final = METHODS["/agent.v1.ApprovalService/WatchApprovals"]
BETWEEN: Final = "~"
"""Stands in no cursor."""
ALL_TYPES: Final = [number for number in ReviewEventType.values() if number]


class Told(Struct, frozen=True):
    """One event of the stream."""

    kind: str
    body: dict[str, Any]
    cursor: str = ""


def live_route(calls: Calls) -> Route:
    async def live(request: Request) -> Response:
        shown = shown_by(request)
        if not shown.token:
            return refused("UNAUTHENTICATED", "MISSING_CREDENTIALS", "sign in first")
        told = _told(calls, shown, request.headers.get("last-event-id", ""))
        # Before the answer begins: a refusal has a status of its own.
        first = await anext(told)
        return event_stream(_written(first, told))

    return stream_route("/api/live", live)


async def _told(calls: Calls, shown: Shown, last_id: str) -> AsyncGenerator[Told]:
    """Both streams, from where the page has them; anew, if that is no longer kept."""
    reviews, _, prompts = last_id.partition(BETWEEN)
    try:
        async with aclosing(_merged(calls, shown, reviews, prompts)) as events:
            async for event in events:
                yield event
    except RefusedCall as refusal:
        if not last_id or refusal.code not in {"OUT_OF_RANGE", "INVALID_ARGUMENT"}:
            raise
    yield Told("reset", {})
    async with aclosing(_merged(calls, shown, "", "")) as events:
        async for event in events:
            yield event


async def _merged(calls: Calls, shown: Shown, reviews: str, prompts: str) -> AsyncGenerator[Told]:
    asked = {
        "review": (REVIEWS, WatchReviewsRequest(cursor=reviews, snapshot=not reviews, types=ALL_TYPES)),
        "prompt": (PROMPTS, WatchApprovalsRequest(cursor=prompts)),
    }
    cursors = {"review": reviews, "prompt": prompts}
    # It holds one: a page that does not read holds up the gate's own streams, which then cut it off.
    arrived: asyncio.Queue[tuple[str, bytes | Exception]] = asyncio.Queue(1)

    async def pump(kind: str) -> None:
        method, request = asked[kind]
        try:
            async with aclosing(calls.stream(method.path, shown, request.SerializeToString())) as stream:
                async for message in stream:
                    await arrived.put((kind, message))
        except Exception as error:
            await arrived.put((kind, error))

    pumps = [asyncio.create_task(pump(kind)) for kind in asked]
    try:
        while True:
            kind, message = await arrived.get()
            if isinstance(message, Exception):
                raise message
            body = asked[kind][0].write(message)
            cursors[kind] = body.get("cursor") or body.get("event", {}).get("cursor") or cursors[kind]
            yield Told(kind, body, BETWEEN.join((cursors["review"], cursors["prompt"])))
    finally:
        for each in pumps:
            each.cancel()
        await asyncio.wait(pumps)


async def _written(first: Told, told: AsyncGenerator[Told]) -> AsyncGenerator[str]:
    """The events as text. However the stream ends, the page learns why."""
    try:
        yield written(first.kind, first.body, first.cursor)
        async with aclosing(told):
            async for each in told:
                yield written(each.kind, each.body, each.cursor)
    except RefusedCall as refusal:
        yield written("end", call_refusal_body(refusal))
