"""GET /api/live: everything that a page shows live, as one stream of server-sent events.

One, because a browser keeps six connections to a server, whatever the number of pages.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from functools import lru_cache
from typing import Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from plangate_proto.agent.v1.review_event_pb2 import ReviewEventType
from plangate_proto.agent.v1.tool_approval_service_pb2 import WatchApprovalsRequest
from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest
from plangate_server.fronts import Calls, RefusedCall, Shown
from plangate_server.web.api import shown_by
from plangate_server.web.crowd import let_in
from plangate_server.web.messages import METHODS, Method
from plangate_server.web.refusals import call_refusal_body, refused
from plangate_server.web.sse import EventStream, stream_route, text_of, written
from plangate_server.web.workers import Workers

METHOD: Final[Mapping[str, Method]] = {
    "review": METHODS["/aiserver.v1.PlanReviewService/WatchReviews"],
    "prompt": METHODS["/agent.v1.ApprovalService/WatchApprovals"],
}
KEPT: Final = 8
"""All pages are told the same at about the same time: so many messages are written down once for all."""
AT_ONCE: Final = 32 * 1024
"""What is longer is written down beside the event loop."""
BETWEEN: Final = "~"
"""Stands in no cursor."""
ALL_TYPES: Final = [number for number in ReviewEventType.values() if number]


class Told(Struct, frozen=True):
    """One event of the stream."""

    kind: str
    text: str
    """Its body, in JSON."""
    cursor: str = ""


def live_route(calls: Calls) -> Route:
    workers = Workers()

    async def live(request: Request) -> Response:
        shown = shown_by(request)
        if not shown.token:
            return refused("UNAUTHENTICATED", "MISSING_CREDENTIALS", "sign in first")
        told = _told(calls, workers, shown, request.headers.get("last-event-id", ""))
        # Before the answer begins: a refusal has a status of its own.
        first = await anext(told)
        let_in(request)
        return EventStream(_written(first, told))

    return stream_route("/api/live", live)


async def _told(calls: Calls, workers: Workers, shown: Shown, last_id: str) -> AsyncGenerator[Told]:
    """Both streams, from where the page has them; anew, if that is no longer kept."""
    reviews, _, prompts = last_id.partition(BETWEEN)
    try:
        async with aclosing(_merged(calls, workers, shown, reviews, prompts)) as events:
            async for event in events:
                yield event
    except RefusedCall as refusal:
        if not last_id or refusal.code not in {"OUT_OF_RANGE", "INVALID_ARGUMENT"}:
            raise
    yield Told("reset", "{}")
    async with aclosing(_merged(calls, workers, shown, "", "")) as events:
        async for event in events:
            yield event


async def _merged(
    calls: Calls, workers: Workers, shown: Shown, reviews: str, prompts: str
) -> AsyncGenerator[Told]:
    asked = {
        "review": WatchReviewsRequest(cursor=reviews, snapshot=not reviews, types=ALL_TYPES),
        "prompt": WatchApprovalsRequest(cursor=prompts),
    }
    cursors = {"review": reviews, "prompt": prompts}
    # It holds one: a page that does not read holds up the gate's own streams, which then cut it off.
    arrived: asyncio.Queue[tuple[str, bytes | Exception]] = asyncio.Queue(1)

    async def pump(kind: str) -> None:
        request = asked[kind].SerializeToString()
        try:
            async with aclosing(calls.stream(METHOD[kind].path, shown, request)) as stream:
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
            cursor, text = await _translated(workers, shown.token, kind, message)
            cursors[kind] = cursor or cursors[kind]
            yield Told(kind, text, BETWEEN.join((cursors["review"], cursors["prompt"])))
    finally:
        for each in pumps:
            each.cancel()
        await asyncio.wait(pumps)


async def _translated(workers: Workers, caller: str, kind: str, message: bytes) -> tuple[str, str]:
    if len(message) <= AT_ONCE:
        return _in_json(kind, message)
    return await workers.do(caller, lambda _: _in_json(kind, message))


@lru_cache(maxsize=KEPT)
def _in_json(kind: str, message: bytes) -> tuple[str, str]:
    """The cursor of a message, and its text."""
    body = METHOD[kind].write(message)
    return body.get("cursor") or body.get("event", {}).get("cursor", ""), text_of(body)


async def _written(first: Told, told: AsyncGenerator[Told]) -> AsyncGenerator[str]:
    """The events as text. However the stream ends, the page learns why."""
    try:
        yield written(first.kind, first.text, first.cursor)
        async with aclosing(told):
            async for each in told:
                yield written(each.kind, each.text, each.cursor)
    except RefusedCall as refusal:
        yield written("end", text_of(call_refusal_body(refusal)))
