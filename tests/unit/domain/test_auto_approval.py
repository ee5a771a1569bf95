"""Approval by a rule of the operator's: always by its name, and only for the text it was applied to."""

import pytest

from plangate_server.domain.errors import AlreadyDecided
from plangate_server.domain.events import Change, EventType
from plangate_server.domain.lifecycle import approve_by_rule, propose
from plangate_server.domain.plan import Approved, PlanState
from plangate_server.domain.policy import AutoRule, rule_for
from plangate_server.domain.review import (
    SERVICE,
    DecisionSource,
    Option,
    ReviewOptions,
    ReviewOutcome,
    ReviewStatus,
)
from plangate_server.domain.todos import TodoEdit, TodoStatus
from tests.helpers.domain import NOW
from tests.helpers.lives import (
    A_DRAFT,
    ORIGIN,
    after,
    deciding,
    proposed,
    revising,
    starting,
    types_of,
    writing,
)


def passed(rule: str = "small plans") -> Change:
    return approve_by_rule(propose(ORIGIN, A_DRAFT, ReviewOptions(), "review-1", NOW), rule, NOW)


def test_a_rule_approves_by_its_name() -> None:
    """The review is done by a rule, says which, and names no person."""
    review = passed().plan.review
    assert (review.status, review.outcome) == (ReviewStatus.DONE, ReviewOutcome.APPROVED)
    assert (review.source, review.rule, review.decided_by) == (
        DecisionSource.AUTO,
        "small plans",
        "small plans",
    )
    assert (review.decisions, review.decide_time) == ((), NOW)


def test_what_a_rule_approved_can_be_built() -> None:
    """An approval by rule covers the digest like any other."""
    plan = passed().plan
    assert (plan.state, plan.is_approved) == (PlanState.APPROVED, True)
    assert plan.approved == Approved(1, plan.revision.digest)
    assert starting(plan).plan.state is PlanState.BUILDING


def test_an_approval_by_rule_is_told_after_the_question() -> None:
    """The log says that the plan was made, that people were asked, and that the service approved it."""
    change = passed()
    assert types_of(change) == [
        EventType.PLAN_CREATED,
        EventType.PLAN_APPROVAL_REQUIRED,
        EventType.PLAN_APPROVED,
    ]
    assert [event.actor for event in change.events] == ["builder-bot", "builder-bot", SERVICE]
    assert [event.plan.state for event in change.events] == [
        PlanState.IN_REVIEW,
        PlanState.IN_REVIEW,
        PlanState.APPROVED,
    ]


def test_the_review_that_was_superseded_is_not_lost() -> None:
    """A revision that a rule approves still ends the review of the one before."""
    change = approve_by_rule(revising(proposed()), "small plans", after(2))
    assert [review.outcome for review in change.reviews] == [ReviewOutcome.SUPERSEDED]
    assert change.plan.review.source is DecisionSource.AUTO


@pytest.mark.parametrize("option", [Option.APPROVE, Option.REJECT, Option.REQUEST_CHANGES])
def test_a_person_who_comes_later_sees_the_rule(option: Option) -> None:
    """The first decision wins, also if a rule made it."""
    with pytest.raises(AlreadyDecided) as refused:
        deciding(passed().plan, option)
    assert (refused.value.metadata["outcome"], refused.value.metadata["decided_by"]) == (
        "APPROVED",
        "small plans",
    )


def test_a_rule_approves_one_text() -> None:
    """A content change after it is back in review, with neither rule nor source."""
    plan = revising(passed().plan).plan
    assert (plan.state, plan.is_approved) == (PlanState.IN_REVIEW, False)
    assert (plan.review.status, plan.review.source, plan.review.rule) == (ReviewStatus.REQUESTED, None, "")


def test_progress_does_not_apply_a_rule_again() -> None:
    """Marking a todo leaves the review, its rule and its times as they are."""
    plan = passed().plan
    assert writing(plan, TodoEdit("measure", status=TodoStatus.COMPLETED)).plan.review == plan.review


@pytest.mark.parametrize(("most", "fits"), [(2, False), (3, True), (4, True)])
def test_a_rule_is_about_small_plans(most: int, *, fits: bool) -> None:
    """It lets pass what has at most so many todos."""
    assert AutoRule("small", max_todos=most).fits(proposed()) is fits


def test_the_first_rule_that_fits_is_named() -> None:
    """Rules are tried in the operator's order."""
    tiny, small, any_size = AutoRule("tiny", 1), AutoRule("small", 5), AutoRule("any", 500)
    assert rule_for(proposed(), [tiny, small, any_size]) == "small"
    assert rule_for(proposed(), [any_size, small]) == "any"


@pytest.mark.parametrize("rules", [[], [AutoRule("tiny", 1)], [AutoRule("none", 0)]])
def test_without_a_rule_that_fits_people_decide(rules: list[AutoRule]) -> None:
    """Nothing passes by default."""
    assert rule_for(proposed(), rules) is None
