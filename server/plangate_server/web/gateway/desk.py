"""A session's plans and tool calls, as the person in front of an IDE sees and decides them."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing

from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.plan_service_pb2 import GetPlanRequest, GetPlanResponse
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    ResolveApprovalRequest,
    WatchApprovalsRequest,
    WatchApprovalsResponse,
)
from plangate_proto.aiserver.v1.human_review_pb2 import HumanReview
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    GetReviewRequest,
    GetReviewResponse,
    ListEventsRequest,
    ListEventsResponse,
    SubmitReviewRequest,
    WatchReviewsRequest,
    WatchReviewsResponse,
)
from plangate_server.fronts import Calls, Shown
from plangate_server.web.bodies import BadBody
from plangate_server.web.gateway.calls import ended_chunk, prompt_chunk
from plangate_server.web.gateway.chunks import Chunk, chunk_of, superseded_chunk
from plangate_server.web.gateway.said import ANSWERS, Answered, Decided
from plangate_server.web.gateway.told import ASKED, CALLS, PLANS, WATCHED

REVIEWS = "/aiserver.v1.PlanReviewService"
APPROVALS = "/agent.v1.ApprovalService"


class Desk:
    """One line to an IDE."""

    def __init__(self, calls: Calls, shown: Shown, session_id: str) -> None:
        self._calls = calls
        self._shown = shown
        self.session_id = session_id
        self.cursor = ""
        """Behind all that was told; empty until that is a place to go on from."""
        self._is_snapshot = False
        self._prompts: dict[str, tuple[str, str]] = {}
        """Which call of each session was told to be active, and by which token."""

    async def events(self, cursor: str = "", *, snapshot: bool = True) -> AsyncGenerator[ReviewEvent]:
        """What waits, if it is wanted, or what came after the cursor; a checkpoint; then what happens."""
        self._is_snapshot = snapshot and not cursor
        request = WatchReviewsRequest(
            session_id=self.session_id, cursor=cursor, snapshot=self._is_snapshot, types=WATCHED
        )
        watched = self._calls.stream(f"{REVIEWS}/WatchReviews", self._shown, request.SerializeToString())
        async with aclosing(watched) as messages:
            async for message in messages:
                event = WatchReviewsResponse.FromString(message).event
                yield event
                self.cursor = event.cursor

    async def chunks(self, event: ReviewEvent) -> AsyncGenerator[Chunk]:
        """The messages about an event, of which the last one has the place to go on from."""
        last: Chunk | None = None
        async with aclosing(self._told(event)) as told:
            async for chunk in told:
                if last is not None:
                    yield last
                last = chunk
        if last is not None:
            yield {**last, "cursor": event.cursor} if event.cursor else last

    async def decide(self, said: Decided | Answered) -> dict[str, str]:
        """What the messages about it have in common. RefusedCall or BadBody, if it is not taken."""
        return await (self._decide(said) if isinstance(said, Decided) else self._answer(said))

    async def _decide(self, decided: Decided) -> dict[str, str]:
        """The id names the review of one revision, so what was shown under it is what is decided about."""
        request = GetReviewRequest(approval_request_id=decided.approval_request_id)
        item = (await self._review(request)).item
        if any(named and named != item.plan.session_id for named in (self.session_id, decided.session_id)):
            raise BadBody("approval_request_id is of another session: decide about it there")
        submitted = SubmitReviewRequest(
            approval_request_id=decided.approval_request_id,
            human_review=HumanReview(selected_option=decided.decision, feedback_text=decided.feedback),
            revision=item.review.revision,
            digest=decided.digest or item.review.digest,
            request_id=uuid.uuid4().hex,
        )
        await self._calls.answer(f"{REVIEWS}/SubmitReview", self._shown, submitted.SerializeToString())
        return {"plan_id": item.plan.plan_id}

    async def _answer(self, answered: Answered) -> dict[str, str]:
        session_id = answered.session_id or self.session_id
        if not session_id:
            raise BadBody("session_id is missing: send the one of tool_approval_required")
        if self.session_id and session_id != self.session_id:
            raise BadBody("session_id is another one than that of this line: answer there")
        if answered.digest:
            await self._check_digest(session_id, answered)
        resolved = ResolveApprovalRequest(
            session_id=session_id,
            call_id=answered.call_id,
            authority_token=answered.authority_token,
            decision=ANSWERS[answered.decision],
            feedback_text=answered.feedback,
            request_id=uuid.uuid4().hex,
        )
        await self._calls.answer(f"{APPROVALS}/ResolveApproval", self._shown, resolved.SerializeToString())
        return {"session_id": session_id, "call_id": answered.call_id}

    async def _check_digest(self, session_id: str, answered: Answered) -> None:
        """Of the active call; of any other one the gate says that it cannot be answered."""
        async with aclosing(self._active(session_id)) as seen:
            prompt = (await anext(seen)).prompt
        if prompt.call_id == answered.call_id and prompt.digest != answered.digest:
            raise BadBody(f"digest is not that of the call, which is {prompt.digest}: look at it again")

    async def _told(self, event: ReviewEvent) -> AsyncGenerator[Chunk]:
        if event.type == ReviewEventType.REVIEW_EVENT_TYPE_CHECKPOINT:
            if self._is_snapshot:
                self._is_snapshot = False
                async for chunk in self._asked(self.session_id, event.cursor):
                    yield chunk
        elif event.type in CALLS:
            if ended := ended_chunk(event):
                yield ended
            async for chunk in self._asked(event.session_id, event.cursor):
                yield chunk
        elif event.type == ReviewEventType.REVIEW_EVENT_TYPE_PLAN_UPDATED:
            async for chunk in self._superseded(event):
                yield chunk
        # A draft is open, too, and cannot be decided about.
        elif event.type in PLANS and event.plan.state != PlanState.PLAN_STATE_DRAFT:
            yield chunk_of(event, await self._plan(event))

    async def _asked(self, session_id: str, cursor: str) -> AsyncGenerator[Chunk]:
        """The active prompt of a session, or of all, unless it was told already.

        It is what is active now. While the log has more to tell of the session's calls, the prompt waits for
        that: nobody is asked about the next call before the end of the one before is told.
        """
        async with aclosing(self._active(session_id)) as found:
            async for seen in found:
                prompt = seen.prompt
                active = (prompt.call_id, prompt.authority_token)
                if not seen.HasField("prompt"):
                    self._prompts.pop(seen.session_id, None)
                elif self._prompts.get(seen.session_id) != active and not await self._follows(seen, cursor):
                    self._prompts[seen.session_id] = active
                    yield prompt_chunk(seen)

    async def _follows(self, seen: WatchApprovalsResponse, cursor: str) -> bool:
        """Whether anything happened to the session's calls behind the cursor."""
        request = ListEventsRequest(session_id=seen.session_id, types=CALLS, cursor=cursor, page_size=1)
        answer = await self._calls.answer(f"{REVIEWS}/ListEvents", self._shown, request.SerializeToString())
        return bool(ListEventsResponse.FromString(answer).entries)

    async def _active(self, session_id: str) -> AsyncGenerator[WatchApprovalsResponse]:
        """How things stand in a session, or in all in which something waits."""
        request = WatchApprovalsRequest(session_id=session_id).SerializeToString()
        watched = self._calls.stream(f"{APPROVALS}/WatchApprovals", self._shown, request)
        async with aclosing(watched) as messages:
            async for message in messages:
                seen = WatchApprovalsResponse.FromString(message)
                if not seen.checkpoint:
                    yield seen
                if session_id or seen.checkpoint:
                    return

    async def _superseded(self, event: ReviewEvent) -> AsyncGenerator[Chunk]:
        """The review that waited until the event opened its own; none, if nobody was being asked."""
        found = await self._review(GetReviewRequest(plan_uri=event.plan_uri))
        for revision in found.revisions:
            if revision.review.superseded_by == event.approval_request_id:
                yield superseded_chunk(event, revision.review)

    async def _review(self, request: GetReviewRequest) -> GetReviewResponse:
        answer = await self._calls.answer(f"{REVIEWS}/GetReview", self._shown, request.SerializeToString())
        return GetReviewResponse.FromString(answer)

    async def _plan(self, event: ReviewEvent) -> Plan:
        """The plan that an event is about; asked for only where the message says something of it."""
        if event.HasField("plan"):
            return event.plan
        if PLANS[event.type].kind != ASKED and not event.HasField("build"):
            return Plan()
        request = GetPlanRequest(plan_uri=event.plan_uri, revision=event.revision)
        path = "/agent.v1.PlanService/GetPlan"
        answer = await self._calls.answer(path, self._shown, request.SerializeToString())
        return GetPlanResponse.FromString(answer).plan
