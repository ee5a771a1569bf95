"""A session's plans, as the person in front of an IDE sees and decides them."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing

from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.plan_service_pb2 import GetPlanRequest, GetPlanResponse
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.aiserver.v1.human_review_pb2 import HumanReview
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    GetReviewRequest,
    GetReviewResponse,
    SubmitReviewRequest,
    WatchReviewsRequest,
    WatchReviewsResponse,
)
from plangate_server.fronts import Calls, Shown
from plangate_server.web.bodies import BadBody
from plangate_server.web.gateway.chunks import Chunk, chunk_of
from plangate_server.web.gateway.said import Decided
from plangate_server.web.gateway.told import ASKED, TOLD

SERVICE = "/aiserver.v1.PlanReviewService"


class Desk:
    def __init__(self, calls: Calls, shown: Shown, session_id: str) -> None:
        self._calls = calls
        self._shown = shown
        self.session_id = session_id

    async def events(self, cursor: str = "", *, snapshot: bool = True) -> AsyncGenerator[ReviewEvent]:
        """What waits, if it is wanted, then a checkpoint, then what happens."""
        request = WatchReviewsRequest(
            session_id=self.session_id, cursor=cursor, snapshot=snapshot and not cursor
        )
        watched = self._calls.stream(f"{SERVICE}/WatchReviews", self._shown, request.SerializeToString())
        async with aclosing(watched) as messages:
            async for message in messages:
                yield WatchReviewsResponse.FromString(message).event

    async def chunk(self, event: ReviewEvent) -> Chunk | None:
        """The message about an event; None if an IDE is not told of it."""
        # A draft is open, too, and cannot be decided about.
        is_draft = event.plan.state == PlanState.PLAN_STATE_DRAFT
        if event.type not in TOLD or is_draft:
            return None
        return chunk_of(event, await self._plan(event))

    async def decide(self, decided: Decided) -> str:
        """The plan that it was about. RefusedCall or BadBody, if it is not taken.

        The id names the review of one revision, so what was shown under it is what is decided about.
        """
        request = GetReviewRequest(approval_request_id=decided.approval_request_id)
        found = await self._calls.answer(f"{SERVICE}/GetReview", self._shown, request.SerializeToString())
        item = GetReviewResponse.FromString(found).item
        if self.session_id and item.plan.session_id != self.session_id:
            raise BadBody("approval_request_id is of another session: decide about it there")
        submitted = SubmitReviewRequest(
            approval_request_id=decided.approval_request_id,
            human_review=HumanReview(selected_option=decided.decision, feedback_text=decided.feedback),
            revision=item.review.revision,
            digest=item.review.digest,
            request_id=uuid.uuid4().hex,
        )
        await self._calls.answer(f"{SERVICE}/SubmitReview", self._shown, submitted.SerializeToString())
        return item.plan.plan_id

    async def _plan(self, event: ReviewEvent) -> Plan:
        """The plan that an event is about; asked for only where the message says something of it."""
        if event.HasField("plan"):
            return event.plan
        if TOLD[event.type].kind != ASKED and not event.HasField("build"):
            return Plan()
        request = GetPlanRequest(plan_uri=event.plan_uri, revision=event.revision)
        path = "/agent.v1.PlanService/GetPlan"
        answer = await self._calls.answer(path, self._shown, request.SerializeToString())
        return GetPlanResponse.FromString(answer).plan
