"""Reads, waits and decisions that cannot be answered, whatever is stored."""

from collections.abc import Callable

from google.protobuf.message import Message

from plangate_proto.agent.v1.plan_resource_pb2 import PLAN_STATE_UNSPECIFIED
from plangate_proto.agent.v1.plan_service_pb2 import (
    GetPlanRequest,
    ListCommentsRequest,
    ListPlansRequest,
    ReviewPlanRequest,
)
from plangate_proto.aiserver.v1.human_review_pb2 import HumanReview
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    ListEventsRequest,
    ListReviewsRequest,
    SubmitReviewRequest,
    WatchReviewsRequest,
)
from plangate_proto.aiserver.v1.plan_service_pb2 import ReviewPlanRequest as AiserverReviewRequest
from tests.rpc.bad_requests import AISERVER_REVIEW, GET, LIST, REVIEW, SUBMIT, Bad, over

UNKNOWN = "plangate://plans/" + "0" * 32
FILTERS: tuple[tuple[str, Callable[..., Message], str], ...] = (
    ("agent.v1.PlanService/ListPlans", ListPlansRequest, "session_id"),
    ("agent.v1.PlanService/ListPlans", ListPlansRequest, "agent_id"),
    ("aiserver.v1.PlanReviewService/ListReviews", ListReviewsRequest, "session_id"),
    ("aiserver.v1.PlanReviewService/ListEvents", ListEventsRequest, "session_id"),
    ("aiserver.v1.PlanReviewService/WatchReviews", WatchReviewsRequest, "session_id"),
)
"""What can only be an id, where it is no question whether it is there."""
OPTIONS = "approve, rejectAndTellWhatToDoDifferently, requestChanges, edit, reject, modify"


def get(reason: str, plan_uri: str) -> Bad:
    told = {"field": "plan_uri", "plan_uri": plan_uri[:200]}
    return Bad(GET, reason, GetPlanRequest(plan_uri=plan_uri), told)


def wait(reason: str, request: ReviewPlanRequest, field: str, **metadata: str) -> Bad:
    return Bad(REVIEW, reason, request, {"field": field, **metadata})


def aiserver_wait(reason: str, request: AiserverReviewRequest, field: str, **metadata: str) -> Bad:
    return Bad(AISERVER_REVIEW, reason, request, {"field": field, **metadata})


def listing(reason: str, request: ListPlansRequest, field: str) -> Bad:
    return Bad(LIST, reason, request, {"field": field})


def whole_decision() -> SubmitReviewRequest:
    """A decision that has all that it needs, about a review that is not there."""
    chosen = HumanReview(selected_option="approve")
    return SubmitReviewRequest(approval_request_id="none", human_review=chosen, revision=1, digest="d")


def missing(path: str) -> Bad:
    """A decision that lacks the one field."""
    request = whole_decision()
    inner: Message = request
    *outer, last = path.split(".")
    for name in outer:
        inner = getattr(inner, name)
    inner.ClearField(last)
    return Bad(SUBMIT, "MISSING_FIELD", request, {"field": path})


URIS = {
    f"malformed uri {uri[:40]!r}": get("MALFORMED_PLAN_URI", uri)
    for uri in (
        "",
        "cellar",
        "plangate://plans/",
        UNKNOWN[:-1],
        UNKNOWN + "0",
        UNKNOWN + "\n",
        UNKNOWN[:-1] + "g",
        UNKNOWN[:-1] + "A",
        UNKNOWN.replace("plangate", "http"),
        UNKNOWN + "/" + "x" * 5000,
    )
}

READS = {
    **URIS,
    "unknown plan": get("PLAN_NOT_FOUND", UNKNOWN),
    "revision 0": Bad(
        GET, "INVALID_FIELD", GetPlanRequest(plan_uri=UNKNOWN, revision=0), {"field": "revision"}
    ),
    "comments on a negative revision": Bad(
        "/agent.v1.PlanService/ListComments",
        "INVALID_FIELD",
        ListCommentsRequest(plan_uri=UNKNOWN, revision=-(2**63)),
        {"field": "revision"},
    ),
    **{
        f"a long {field} to {method}": Bad(
            f"/{method}", "LIMIT_EXCEEDED", kind(**{field: "x" * 257}), over("id_bytes", 256, field)
        )
        for method, kind, field in FILTERS
    },
    "negative revision": Bad(
        GET, "INVALID_FIELD", GetPlanRequest(plan_uri=UNKNOWN, revision=-1), {"field": "revision"}
    ),
    "negative page size": listing("INVALID_FIELD", ListPlansRequest(page_size=-1), "page_size"),
    "unknown state": listing("INVALID_FIELD", ListPlansRequest(states=[2, 99]), "states[1]"),  # type: ignore[list-item]
    "state that is not set": listing(
        "INVALID_FIELD", ListPlansRequest(states=[PLAN_STATE_UNSPECIFIED]), "states[0]"
    ),
    "page token that is no token": listing(
        "INVALID_PAGE_TOKEN", ListPlansRequest(page_token="2"), "page_token"
    ),
    "page token that is not ASCII": listing(
        "INVALID_PAGE_TOKEN", ListPlansRequest(page_token="für"), "page_token"
    ),
}

MALFORMED, NOT_FOUND, BAD_CURSOR = "MALFORMED_PLAN_URI", "PLAN_NOT_FOUND", "INVALID_CURSOR"
WAITS = {
    "waiting for a malformed uri": wait(MALFORMED, ReviewPlanRequest(plan_uri="x"), "plan_uri", plan_uri="x"),
    "waiting for an unknown plan": wait(
        NOT_FOUND, ReviewPlanRequest(plan_uri=UNKNOWN), "plan_uri", plan_uri=UNKNOWN
    ),
    "bad cursor": wait(BAD_CURSOR, ReviewPlanRequest(plan_uri=UNKNOWN, cursor="nonsense"), "cursor"),
    "cursor that is not ASCII": wait(BAD_CURSOR, ReviewPlanRequest(plan_uri=UNKNOWN, cursor="für"), "cursor"),
    "cursor of the right length": wait(
        BAD_CURSOR, ReviewPlanRequest(plan_uri=UNKNOWN, cursor="A" * 16), "cursor"
    ),
    "malformed uri in aiserver": aiserver_wait(
        MALFORMED, AiserverReviewRequest(plan_uri="x"), "plan_uri", plan_uri="x"
    ),
    "unknown plan in aiserver": aiserver_wait(
        NOT_FOUND, AiserverReviewRequest(plan_uri=UNKNOWN), "plan_uri", plan_uri=UNKNOWN
    ),
    "bad cursor in aiserver": aiserver_wait(
        BAD_CURSOR, AiserverReviewRequest(plan_uri=UNKNOWN, cursor="nonsense"), "cursor"
    ),
}

DECISIONS = {
    "decision about nothing": missing("approval_request_id"),
    "decision without a choice": Bad(
        SUBMIT,
        "MISSING_FIELD",
        SubmitReviewRequest(approval_request_id="none", revision=1, digest="d"),
        {"field": "human_review.selected_option"},
    ),
    "decision without an option": missing("human_review.selected_option"),
    "decision without a revision": missing("revision"),
    "decision without a digest": missing("digest"),
    "unknown review": Bad(
        SUBMIT,
        "REVIEW_NOT_FOUND",
        whole_decision(),
        {"field": "approval_request_id", "approval_request_id": "none"},
    ),
    "unknown option": Bad(
        SUBMIT,
        "UNKNOWN_OPTION",
        SubmitReviewRequest(
            approval_request_id="none",
            human_review=HumanReview(selected_option="Approve"),
            revision=1,
            digest="d",
        ),
        {"field": "human_review.selected_option", "selected_option": "Approve", "allowed": OPTIONS},
    ),
}

BAD_QUESTIONS = {**READS, **WAITS, **DECISIONS}
