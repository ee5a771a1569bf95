"""What is timed on a database, one call after the other."""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from bench import steps
from bench.growth.copying import renamed
from bench.growth.seed import small_request
from bench.measurements import methods
from bench.wire import Connection
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import GetPlanRequest, ReviewPlanRequest
from plangate_proto.agent.v1.review_event_pb2 import ReviewEventType
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    ListEventsRequest,
    ListEventsResponse,
    ListReviewsRequest,
    WatchReviewsRequest,
    WatchReviewsResponse,
)

Latencies: TypeAlias = dict[str, list[float]]
_LIST: Final = ListReviewsRequest().SerializeToString()


@dataclass(frozen=True, slots=True)
class Old:
    """The plans that the database was filled with: some, and so many copies of them."""

    plans: Sequence[Plan]
    copies: int

    def any_uri(self) -> str:
        plan = random.choice(self.plans)
        copy = random.randint(0, self.copies)
        return plan.plan_uri.replace(plan.plan_id, renamed(plan.plan_id, copy)) if copy else plan.plan_uri


class Visitor:
    """Agent and person in one, who do one thing after the other."""

    def __init__(self, connection: Connection, old: Old, waiting: Sequence[Plan]) -> None:
        self._connection = connection
        self._old = old
        self._waiting = deque(waiting)
        self._cursor = ""
        self._of_plan = ReviewPlanRequest()
        self._acts = {
            "CreatePlan": self._create,
            "SubmitReview": self._decide,
            "GetPlan": self._get,
            "ListReviews": self._list,
            "WatchReviews, snapshot": self._begin_watch,
            "WatchReviews, resumed": self._resume_watch,
            "ListEvents of a plan": self._list_events,
            "ReviewPlan, resumed": self._resume_plan,
        }

    async def stay(self, seconds: float, latencies: Latencies) -> None:
        """Do everything again and again for a while, and once at the least."""
        await self._resume_watch()
        until = time.perf_counter() + seconds
        first = True
        while first or time.perf_counter() < until:
            first = False
            for name, act in self._acts.items():
                started = time.perf_counter()
                await act()
                latencies.setdefault(name, []).append(time.perf_counter() - started)

    async def _create(self) -> None:
        self._waiting.append(await steps.create(self._connection, small_request()))

    async def _decide(self) -> None:
        await steps.approve(self._connection, self._waiting.popleft())

    async def _get(self) -> None:
        request = GetPlanRequest(plan_uri=self._old.any_uri())
        await self._connection.unary(methods.GET_PLAN, request.SerializeToString())

    async def _list(self) -> None:
        await self._connection.unary(methods.LIST_REVIEWS, _LIST)

    async def _begin_watch(self) -> None:
        await self._watch(WatchReviewsRequest(snapshot=True))

    async def _resume_watch(self) -> None:
        self._cursor = await self._watch(WatchReviewsRequest(cursor=self._cursor))

    async def _watch(self, request: WatchReviewsRequest) -> str:
        """What there is to tell, up to the CHECKPOINT that says that this was all; gives its cursor."""
        call = self._connection.call(methods.WATCH_REVIEWS, request.SerializeToString())
        async for message in call:
            event = WatchReviewsResponse.FromString(message).event
            if event.type == ReviewEventType.REVIEW_EVENT_TYPE_CHECKPOINT:
                self._connection.cancel(call)
                return event.cursor
        raise RuntimeError("a watch of the workspace ended by itself")

    async def _list_events(self) -> None:
        uri = self._old.any_uri()
        request = ListEventsRequest(plan_uri=uri).SerializeToString()
        answer = await self._connection.unary(methods.LIST_EVENTS, request)
        first = ListEventsResponse.FromString(answer).entries[0].event
        self._of_plan = ReviewPlanRequest(plan_uri=uri, cursor=first.cursor)

    async def _resume_plan(self) -> None:
        """All that happened to the plan, from its creation to its decision, which ends the stream."""
        async for _ in self._connection.call(methods.REVIEW_PLAN, self._of_plan.SerializeToString()):
            pass
