"""What happens to plans, told as it happens. A stream gives None where it has to wait for more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plangate.testing._fake.draft_calls import submit_as_it_stands
from plangate.testing._fake.log import Entry
from plangate.testing._fake.messages import moment
from plangate.testing._fake.plan_calls import deliver
from plangate.testing._fake.state import SERVICE, State, Type
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.plan_service_pb2 import ReviewPlanRequest, ReviewPlanResponse
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.review_resource_pb2 import ReviewStatus
from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest, WatchReviewsResponse

OPEN: Final = frozenset({PlanState.PLAN_STATE_DRAFT, PlanState.PLAN_STATE_IN_REVIEW})
ENDED: Final = frozenset(
    {
        PlanState.PLAN_STATE_REJECTED,
        PlanState.PLAN_STATE_EXPIRED,
        PlanState.PLAN_STATE_COMPLETED,
        PlanState.PLAN_STATE_FAILED,
        PlanState.PLAN_STATE_WITHDRAWN,
    }
)


def review_plan(state: State, request: ReviewPlanRequest) -> Iterator[ReviewPlanResponse | None]:
    """A snapshot, or what came after the cursor, then live, until it is decided or, following, has ended."""
    record, uri = state.record(request.plan_uri), request.plan_uri
    if record.plan.state == PlanState.PLAN_STATE_DRAFT:
        submit_as_it_stands(state, record)
    plan = record.shown()
    if request.cursor:
        position = state.log.position_of(request.cursor)
        is_over = _is_over(plan, request) and not any(_is_of(uri, each) for each in state.log.after(position))
    else:
        position, is_over = state.log.end, _is_over(plan, request)
        snapshot = state.event(record, Type.REVIEW_EVENT_TYPE_SNAPSHOT, SERVICE)
        snapshot.cursor = str(position)
        deliver(state, record)
        yield ReviewPlanResponse(event=snapshot)
    for entry in () if is_over else state.log.following(position):
        if entry is None:
            yield None
        elif entry.plan is not None and _is_of(uri, entry):
            if entry.plan.review.status == ReviewStatus.REVIEW_STATUS_DONE:
                deliver(state, record)
            yield ReviewPlanResponse(event=entry.event)
            if _is_over(entry.plan, request):
                return


def _is_of(plan_uri: str, entry: Entry) -> bool:
    return entry.plan is not None and entry.plan.plan_uri == plan_uri


def _is_over(plan: Plan, request: ReviewPlanRequest) -> bool:
    if request.follow or plan.state == PlanState.PLAN_STATE_WITHDRAWN:
        return plan.state in ENDED
    return plan.review.status == ReviewStatus.REVIEW_STATUS_DONE


def watch_reviews(state: State, request: WatchReviewsRequest) -> Iterator[WatchReviewsResponse | None]:
    """What is open or what came after the cursor, a mark behind it, then live, for ever."""
    if request.cursor:
        position = state.log.position_of(request.cursor)
        past = state.log.after(position)
        position += len(past)
        for entry in past:
            if _is_wanted(entry, request):
                yield WatchReviewsResponse(event=entry.event)
    else:
        position = state.log.end
        for record in [*state.records.values()] if request.snapshot else ():
            if record.plan.state in OPEN and request.session_id in {"", record.plan.session_id}:
                snapshot = state.event(record, Type.REVIEW_EVENT_TYPE_SNAPSHOT, SERVICE)
                yield WatchReviewsResponse(event=snapshot)
    mark = ReviewEvent(
        cursor=str(position),
        type=Type.REVIEW_EVENT_TYPE_CHECKPOINT,
        event_time=moment(),
        actor=SERVICE,
    )
    yield WatchReviewsResponse(event=mark)
    for following in state.log.following(position):
        if following is None:
            yield None
        elif _is_wanted(following, request):
            yield WatchReviewsResponse(event=following.event)


def _is_wanted(entry: Entry, request: WatchReviewsRequest) -> bool:
    """Without types it is about plans only."""
    event = entry.event
    is_of_type = event.type in request.types if request.types else entry.plan is not None
    return is_of_type and request.session_id in {"", event.session_id}
