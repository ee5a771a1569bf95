"""THE table of errors: every reason has the status and the metadata that its comment promises."""

from collections.abc import Iterator

import pytest

from plangate_server.domain import errors
from plangate_server.domain.errors import Reason, Refusal
from plangate_server.rpc import decode
from plangate_server.rpc.errors import STATUS, InternalError, rich_status
from plangate_server.web import bodies
from plangate_server.web.bodies import BadBody
from tests.helpers.error_reasons import promises
from tests.helpers.refusals import details_of

METHOD = "/agent.v1.PlanService/CreatePlan"


def resumable(ended: errors.StreamEnded) -> errors.StreamEnded:
    """As it leaves a stream, which knows where its reader can go on."""
    ended.metadata["cursor"] = "cursor"
    return ended


# One refusal of each class, as the service makes it.
REFUSALS: dict[type[Refusal], Refusal] = {
    type(refusal): refusal
    for refusal in (
        errors.MissingField("plan", "write it"),
        errors.InvalidField("page_size", "is negative"),
        errors.MalformedPlanUri("x"),
        errors.InvalidPageToken(),
        errors.InvalidCursor(),
        errors.DuplicateTodoId("todos[1].id", "a"),
        errors.UnknownDependency("todos[1].dependencies[0]", "b", "a"),
        errors.DependencyCycle(["a", "b", "a"]),
        errors.UnknownOption("maybe", ["approve"]),
        errors.PlanNotFound("x"),
        errors.RevisionNotFound("x", 2),
        errors.ReviewNotFound("x"),
        errors.TodoNotFound("todo_ids[0]", "x", "a"),
        errors.BuildNotFound("x"),
        errors.CommentNotFound("x"),
        errors.RequestIdReused("x"),
        errors.AlreadyDecided("x", "APPROVED", "ada", "now"),
        errors.AlreadyApproved("x", "ada", "now", recorded=1, required=2),
        errors.NotApproved("x", "rejected"),
        errors.StaleApproval("x", "approved digest", "digest"),
        errors.NoReviewer("session-1"),
        errors.WrongState("x", "withdrawn", ["draft"]),
        errors.TodoHeld("a", "build-1", "now"),
        errors.BuildEnded("build-1"),
        errors.TextNotFound(),
        errors.TextNotUnique(2),
        errors.ReviewExpired("x", "review-1"),
        errors.PlanWithdrawn("x", "review-1"),
        errors.ReviewSuperseded("x", superseded_by="review-2", approval_request_id="review-1"),
        errors.NotAuthor("x", "ada"),
        errors.SessionHasPlan("s", "x", "there may be one"),
        errors.StaleRevision("x", 1, 2, "digest"),
        errors.SessionNotFound("s"),
        errors.ApprovalNotFound("s", "call-1"),
        errors.RememberedNotFound("d"),
        errors.CallIdReused("s", "call-1"),
        errors.CallAlreadyDecided("call-1", "DENIED", "ada", "now"),
        errors.ForbiddenTransition("s", "IDLE", "PLAN_APPROVED", ["RECEIVE_MESSAGE", "RESET"]),
        errors.PromptNotActive("s", "call-1", "the call waits behind others: answer those first"),
        errors.FullAccessNotPending("s", "HIDDEN"),
        errors.CursorExpired("cursor"),
        errors.LimitExceeded("todos", 500, 501, "todos"),
        errors.TooManyStreams("streams", 30_000, 30_001),
        errors.RateLimited("calls_per_second", 5_000),
        errors.TooManyWaiting("calls_in_line", 10_000),
        errors.MissingCredentials(),
        errors.RoleNotAllowed("agent", ["reviewer", "admin"]),
        errors.OwnRequest("review-1", "ada"),
        errors.NotHolder("build_id", "ada", build_id="b", todo_id="a"),
        errors.TokenNotFound("token-1"),
        errors.CertificateTaken("token-1"),
        errors.StorageFull(),
        errors.InvalidCredentials(),
        errors.StoreUnavailable(),
        resumable(errors.SlowConsumer()),
        resumable(errors.ShuttingDown()),
        errors.MessageTooLarge(4_000_000, 5_000_000),
        decode.MalformedRequest("agent.v1.CreatePlanRequest", "args.plan"),
        decode.NulCharacter("args.plan"),
        decode.RequestMissing(30),
        BadBody("the request is not JSON"),
        bodies.TooMuchJson("json_names", 1000, 1001),
        InternalError("1f"),
    )
}


def refusal_classes(base: type[Refusal] = Refusal) -> Iterator[type[Refusal]]:
    """Every class of the service that has a reason."""
    for kind in base.__subclasses__():
        if kind.__module__.startswith("plangate_server.") and hasattr(kind, "reason"):
            yield kind
        yield from refusal_classes(kind)


def test_every_reason_has_a_status() -> None:
    """No reason of the domain is without a status, and no status is for a reason that it does not have."""
    assert STATUS.keys() == set(Reason)


@pytest.mark.parametrize("reason", list(Reason))
def test_a_reason_has_its_documented_status(reason: Reason) -> None:
    """The status of a reason is the one that its comment in error_reason.proto names."""
    assert STATUS[reason].name == promises()[reason].status


def test_every_refusal_is_looked_at() -> None:
    """The examples of this file cover every class of refusal, and so every reason."""
    assert set(refusal_classes()) == REFUSALS.keys()
    assert {kind.reason for kind in REFUSALS} == set(Reason)


@pytest.mark.parametrize("kind", REFUSALS, ids=lambda kind: kind.__name__)
def test_a_refusal_carries_its_documented_metadata(kind: type[Refusal]) -> None:
    """Required keys are there and filled, and no other keys than the documented ones and the method."""
    promise = promises()[kind.reason]
    details = details_of(rich_status(REFUSALS[kind], METHOD))
    assert promise.required_keys | {"method"} <= details.metadata.keys()
    assert details.metadata.keys() <= promise.required_keys | promise.optional_keys | {"method"}
    assert all(details.metadata.values())


@pytest.mark.parametrize("kind", REFUSALS, ids=lambda kind: kind.__name__)
def test_a_refusal_that_passes_says_when_to_retry(kind: type[Refusal]) -> None:
    """RetryInfo is there exactly where the comment in the proto promises it."""
    details = details_of(rich_status(REFUSALS[kind], METHOD))
    assert (details.retry_seconds > 0) == promises()[kind.reason].carries_retry_info


@pytest.mark.parametrize("kind", REFUSALS, ids=lambda kind: kind.__name__)
def test_a_field_at_fault_has_a_violation(kind: type[Refusal]) -> None:
    """BadRequest names the field that the metadata names, and is left out where none is at fault."""
    details = details_of(rich_status(REFUSALS[kind], METHOD))
    field = details.metadata.get("field")
    assert list(details.fields) == ([field] if field else [])


@pytest.mark.parametrize("kind", REFUSALS, ids=lambda kind: kind.__name__)
def test_a_refusal_can_be_read_by_people(kind: type[Refusal]) -> None:
    """The message is a sentence that begins with the field at fault, if there is one."""
    status = rich_status(REFUSALS[kind], METHOD)
    field = details_of(status).metadata.get("field", "")
    assert status.message.startswith(field)
    assert len(status.message.split()) >= 3
