"""The agent takes its plan back."""

import pytest

from plangate_server.domain.errors import AlreadyDecided, NotApproved, Reason, WrongState
from plangate_server.domain.events import Change, EventType
from plangate_server.domain.lifecycle import withdraw
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import Option, ReviewOptions, ReviewOutcome, ReviewStatus
from plangate_server.domain.todos import TodoEdit, TodoStatus
from tests.helpers.lives import after, approved, deciding, plan_that_is, proposed, revising, starting, writing

LATE = {PlanState.BUILDING, PlanState.COMPLETED, PlanState.FAILED, PlanState.WITHDRAWN}
EARLY = sorted(set(PlanState) - LATE)


def withdrawing(plan: Plan) -> Change:
    return withdraw(plan, "Not needed any more", "builder-bot", after(5))


@pytest.mark.parametrize("state", EARLY)
def test_a_plan_that_nobody_works_on_can_be_taken_back(state: PlanState) -> None:
    """It is withdrawn, keeps its content, and one event tells by whom and why."""
    plan = plan_that_is(state)
    change = withdrawing(plan)
    (event,) = change.events
    assert (change.plan.state, change.plan.update_time) == (PlanState.WITHDRAWN, after(5))
    assert change.plan.revision == plan.revision
    assert (event.type, event.actor, event.message) == (
        EventType.PLAN_WITHDRAWN,
        "builder-bot",
        "Not needed any more",
    )
    assert event.plan == change.plan


@pytest.mark.parametrize("state", sorted(LATE))
def test_a_plan_that_was_begun_or_is_over_cannot(state: PlanState) -> None:
    """Taking it back is refused with the states in which it could be done."""
    with pytest.raises(WrongState) as refused:
        withdrawing(plan_that_is(state))
    assert refused.value.reason is Reason.WRONG_STATE
    assert refused.value.metadata["state"] == state
    assert refused.value.metadata["allowed"].split(", ") == EARLY


def test_an_open_review_ends_as_withdrawn() -> None:
    """Nobody needs to answer any more, and nobody has."""
    review = withdrawing(proposed()).plan.review
    assert (review.status, review.outcome) == (ReviewStatus.DONE, ReviewOutcome.WITHDRAWN)
    assert (review.decide_time, review.source, review.decisions) == (after(5), None, ())


def test_approvals_so_far_stay_on_record() -> None:
    """Who had approved before the plan was taken back can still be seen."""
    plan = deciding(proposed(options=ReviewOptions(required_approvals=2))).plan
    review = withdrawing(plan).plan.review
    assert review.outcome is ReviewOutcome.WITHDRAWN
    assert [decision.reviewer for decision in review.decisions] == ["ada"]


@pytest.mark.parametrize("option", [Option.APPROVE, Option.REJECT, Option.REQUEST_CHANGES])
def test_what_was_decided_stays_decided(option: Option) -> None:
    """The outcome of a review that was over is not rewritten."""
    plan = deciding(proposed(), option).plan
    assert withdrawing(plan).plan.review == plan.review


def test_a_draft_that_is_taken_back_was_never_asked_about() -> None:
    """There is no review that could have an outcome."""
    review = withdrawing(plan_that_is(PlanState.DRAFT)).plan.review
    assert (review.status, review.outcome) == (ReviewStatus.NONE, None)


def test_nobody_decides_about_a_plan_that_was_taken_back() -> None:
    """A person who comes too late learns that it was withdrawn."""
    with pytest.raises(AlreadyDecided) as refused:
        deciding(withdrawing(proposed()).plan, now=after(6))
    assert refused.value.metadata["outcome"] == "WITHDRAWN"


def test_nobody_builds_a_plan_that_was_taken_back() -> None:
    """Its approval is gone with it."""
    plan = withdrawing(approved()).plan
    assert (plan.is_approved, plan.approved) == (False, None)
    with pytest.raises(NotApproved):
        starting(plan)


def test_a_plan_that_was_taken_back_stays_so() -> None:
    """Neither a new revision nor a todo's progress brings it back."""
    plan = plan_that_is(PlanState.WITHDRAWN)
    with pytest.raises(WrongState):
        revising(plan)
    with pytest.raises(WrongState):
        writing(plan, TodoEdit("measure", status=TodoStatus.COMPLETED))
