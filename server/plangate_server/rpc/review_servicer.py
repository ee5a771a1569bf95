"""aiserver.v1.PlanReviewService."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from typing import Any

from plangate_proto.aiserver.v1 import plan_review_service_pb2 as pb
from plangate_proto.aiserver.v1.plan_review_service_pb2_grpc import PlanReviewServiceServicer
from plangate_server.domain.errors import InvalidField
from plangate_server.domain.events import EventType
from plangate_server.domain.plan import Plan, plan_id_of
from plangate_server.domain.review import ReviewStatus
from plangate_server.ports import EventFilter, ReviewFilter, World
from plangate_server.rpc import aiserver, audit_messages, convert, requests
from plangate_server.rpc.principal import calling
from plangate_server.rpc.running import Context
from plangate_server.rpc.streaming import Encoder
from plangate_server.rpc.times import timestamp
from plangate_server.usecases.audit import list_events, read_chain, verify_audit
from plangate_server.usecases.comments import AddComment, add_comment, resolve_comment
from plangate_server.usecases.read_reviews import get_review, list_reviews
from plangate_server.usecases.submit_review import SubmitReview, submit_review
from plangate_server.usecases.watch_reviews import watch_reviews


class ReviewServicer(PlanReviewServiceServicer):
    def __init__(self, world: World, encoder: Encoder) -> None:
        self._world = world
        self._encoder = encoder

    async def ListReviews(self, request: pb.ListReviewsRequest, context: Context) -> pb.ListReviewsResponse:
        statuses = requests.all_known(requests.REVIEW_STATUSES, request.statuses, "statuses")
        which = ReviewFilter(request.session_id, statuses or (ReviewStatus.REQUESTED,))
        plans, token = await list_reviews(
            self._world, calling(), which, request.page_size, request.page_token
        )
        return pb.ListReviewsResponse(reviews=[self._item(plan) for plan in plans], next_page_token=token)

    async def GetReview(self, request: pb.GetReviewRequest, context: Context) -> pb.GetReviewResponse:
        found = await get_review(self._world, calling(), request.approval_request_id, request.plan_uri)
        uri = found.plan.uri
        return pb.GetReviewResponse(
            item=self._item(found.plan),
            comments=[convert.comment_message(comment) for comment in found.comments],
            revisions=[
                convert.revision_message(uri, revision, found.reviews.get(revision.number))
                for revision in found.revisions
            ],
            comments_left_out=found.left_out,
            older_revisions=found.older_revisions,
            comments_not_shown=found.comments_not_shown,
        )

    async def WatchReviews(self, request: pb.WatchReviewsRequest, context: Context) -> AsyncGenerator[Any]:
        types = _types(request.types)
        which = EventFilter(session_id=request.session_id, types=types, only_plans=not types)
        moments = watch_reviews(
            self._world,
            calling(),
            which,
            request.cursor,
            snapshot=request.snapshot,
            attended=not request.unattended,
        )
        async with aclosing(moments):
            async for moment in moments:
                yield self._encoder.response(moment, calling().workspace)

    async def SubmitReview(
        self, request: pb.SubmitReviewRequest, context: Context
    ) -> pb.SubmitReviewResponse:
        chosen = request.human_review
        with aiserver.in_older_words(request.edited, "edited"):
            command = SubmitReview(
                approval_request_id=request.approval_request_id,
                selected_option=chosen.selected_option,
                revision=request.revision,
                digest=request.digest,
                feedback_text=chosen.feedback_text,
                submit_feedback_as_new_message=chosen.submit_feedback_as_new_message,
                bubble_id=chosen.bubble_id,
                edited=aiserver.edit_of(request, self._world.limits),
                break_glass=request.break_glass_reason,
                key=requests.request_key("aiserver.v1.SubmitReview", calling(), request),
            )
            plan = await submit_review(self._world, calling(), command)
        return pb.SubmitReviewResponse(
            result=aiserver.result_message(plan),
            review=convert.review_message(plan.uri, plan.review, self._watching()),
        )

    async def AddComment(self, request: pb.AddCommentRequest, context: Context) -> pb.AddCommentResponse:
        command = AddComment(
            plan_uri=request.plan_uri,
            revision=request.revision,
            first_line=request.first_line,
            last_line=request.last_line,
            text=request.text,
            key=requests.request_key("aiserver.v1.AddComment", calling(), request),
        )
        added = await add_comment(self._world, calling(), command)
        return pb.AddCommentResponse(comment=convert.comment_message(added))

    async def ResolveComment(
        self, request: pb.ResolveCommentRequest, context: Context
    ) -> pb.ResolveCommentResponse:
        key = requests.request_key("aiserver.v1.ResolveComment", calling(), request)
        resolved = await resolve_comment(self._world, calling(), request.comment_id, key)
        return pb.ResolveCommentResponse(comment=convert.comment_message(resolved))

    async def ListEvents(self, request: pb.ListEventsRequest, context: Context) -> pb.ListEventsResponse:
        if request.chain:
            return await self._chain(request)
        which = EventFilter(
            plan_id=plan_id_of(request.plan_uri) if request.plan_uri else "",
            session_id=request.session_id,
            types=_types(request.types),
        )
        page = await list_events(
            self._world,
            calling(),
            which,
            request.cursor,
            request.page_size,
            newest_first=request.newest_first,
        )
        cursors = self._world.store.cursors
        entries = [
            pb.AuditEntry(
                event=self._encoder.event(event),
                sequence=event.sequence,
                previous_hash=page.previous[event.sequence],
                hash=page.links[event.sequence].hash,
            )
            for event in page.events
        ]
        return pb.ListEventsResponse(
            entries=entries, next_cursor=cursors.encode(calling().workspace, page.position)
        )

    async def VerifyAudit(self, request: pb.VerifyAuditRequest, context: Context) -> pb.VerifyAuditResponse:
        verdict = await verify_audit(
            self._world, calling(), request.expected_head_sequence, request.expected_head_hash
        )
        return pb.VerifyAuditResponse(
            valid=verdict.valid,
            checked=verdict.checked,
            head_sequence=verdict.head_sequence,
            head_hash=verdict.head_hash,
            first_bad_sequence=verdict.first_bad_sequence,
            problem=verdict.problem,
            check_time=timestamp(self._world.clock.now()),
        )

    async def _chain(self, request: pb.ListEventsRequest) -> pb.ListEventsResponse:
        if request.plan_uri or request.session_id or request.types:
            raise InvalidField("chain", "reads the whole log: leave the filters out")
        if request.newest_first:
            raise InvalidField("newest_first", "the chain is read from its first entry on: leave it out")
        page = await read_chain(self._world, calling(), request.cursor, request.page_size)
        cursor = self._world.store.cursors.encode(calling().workspace, page.position)
        return pb.ListEventsResponse(entries=audit_messages.chain_entries(page), next_cursor=cursor)

    def _item(self, plan: Plan) -> pb.ReviewItem:
        watching = self._watching()
        return pb.ReviewItem(
            review=convert.review_message(plan.uri, plan.review, watching),
            plan=self._encoder.plan(plan, watching),
            summary=convert.summary_message(plan.revision),
            choices=aiserver.choices(plan),
        )

    def _watching(self) -> int:
        return self._world.feed.reviewers_watching(calling().workspace)


def _types(numbers: Iterable[int]) -> frozenset[EventType]:
    return frozenset(requests.all_known(requests.EVENT_TYPES, numbers, "types"))
