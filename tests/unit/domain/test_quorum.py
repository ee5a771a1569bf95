"""Several approvals: so many different people must have approved the same text."""

import pytest

from plangate_server.domain.errors import AlreadyApproved, AlreadyDecided, InvalidField, StaleRevision
from plangate_server.domain.events import EventType
from plangate_server.domain.lifecycle import submit_decision
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import (
    MAX_APPROVALS,
    OUTCOMES,
    Decision,
    DecisionSource,
    Option,
    ReviewOptions,
    ReviewOutcome,
    ReviewStatus,
)
from tests.helpers.lives import after, deciding, proposed, revising, types_of

PEOPLE = ["ada", "bob", "eve", "kim"]


def asking(people: int) -> Plan:
    return proposed(options=ReviewOptions(required_approvals=people))


@pytest.mark.parametrize("needed", [2, 3, 4])
def test_the_last_of_so_many_people_approves_the_plan(needed: int) -> None:
    """Until N different people have approved nothing is approved; with the Nth it is."""
    plan = asking(needed)
    for person in PEOPLE[: needed - 1]:
        plan = deciding(plan, reviewer=person).plan
        assert (plan.state, plan.is_approved) == (PlanState.IN_REVIEW, False)
        assert (plan.review.status, plan.review.outcome) == (ReviewStatus.REQUESTED, None)
    plan = deciding(plan, reviewer=PEOPLE[needed - 1]).plan
    assert (plan.state, plan.is_approved) == (PlanState.APPROVED, True)
    assert (plan.review.outcome, plan.review.source) == (ReviewOutcome.APPROVED, DecisionSource.MANUAL)
    assert [decision.reviewer for decision in plan.review.decisions] == PEOPLE[:needed]


def test_each_approval_is_told() -> None:
    """The log records every approval by who gave it, and the last one as the plan's."""
    first = deciding(asking(2), reviewer="ada")
    second = deciding(first.plan, reviewer="bob", now=after(2))
    assert types_of(first) == [EventType.APPROVAL_RECORDED]
    assert types_of(second) == [EventType.PLAN_APPROVED]
    assert [change.events[0].actor for change in (first, second)] == ["ada", "bob"]
    assert second.plan.review.decide_time == after(2)


def test_nobody_counts_twice() -> None:
    """The same person's second approval is refused, with when the first one was and how many are missing."""
    plan = deciding(deciding(asking(4), reviewer="ada").plan, reviewer="bob", now=after(2)).plan
    with pytest.raises(AlreadyApproved) as refused:
        deciding(plan, reviewer="ada", now=after(9))
    assert refused.value.metadata == {
        "approval_request_id": plan.review.approval_request_id,
        "decided_by": "ada",
        "decide_time": after(1).isoformat(),
        "missing": "2",
    }
    assert str(refused.value) == (
        "you have approved already: 2 of 4 approvals recorded, 2 missing; others must give those"
    )


@pytest.mark.parametrize("reviewer", ["ada", "bob"])
@pytest.mark.parametrize("option", [Option.REJECT, Option.REQUEST_CHANGES])
def test_one_no_ends_it(option: Option, reviewer: str) -> None:
    """Whoever says no ends the review, also somebody who had approved; the approvals stay on record."""
    plan = deciding(asking(3), reviewer="ada").plan
    after_no = deciding(plan, option, reviewer).plan
    assert (after_no.review.status, after_no.review.outcome) == (ReviewStatus.DONE, OUTCOMES[option])
    assert [decision.option for decision in after_no.review.decisions] == [Option.APPROVE, option]
    assert not after_no.is_approved


def test_approvals_after_a_no_are_refused() -> None:
    """The people who come later see who ended it."""
    plan = deciding(asking(2), Option.REJECT, "ada").plan
    with pytest.raises(AlreadyDecided) as refused:
        deciding(plan, reviewer="bob")
    assert (refused.value.metadata["outcome"], refused.value.metadata["decided_by"]) == ("REJECTED", "ada")


def test_approvals_of_another_text_do_not_count() -> None:
    """A new revision starts from none, with people who approved the old one asked again."""
    plan = revising(deciding(asking(2), reviewer="ada").plan).plan
    assert plan.review.decisions == ()
    assert plan.review.required_approvals == 2
    plan = deciding(plan, reviewer="bob", now=after(3)).plan
    assert not plan.is_approved
    assert deciding(plan, reviewer="ada", now=after(4)).plan.is_approved


def test_an_approval_of_the_old_text_is_stale() -> None:
    """Somebody who saw the first revision cannot complete the approval of the second."""
    old = asking(2)
    plan = deciding(revising(old).plan, reviewer="bob", now=after(3)).plan
    late = Decision("ada", Option.APPROVE, after(4))
    with pytest.raises(StaleRevision):
        submit_decision(plan, late, revision=1, seen_digest=old.revision.digest)


@pytest.mark.parametrize("needed", [0, 1])
def test_one_approval_is_the_least(needed: int) -> None:
    """Asking for none and asking for one are the same: somebody has to approve."""
    plan = asking(needed)
    assert plan.review.required_approvals == 1
    assert plan.state is PlanState.IN_REVIEW
    assert deciding(plan).plan.is_approved


@pytest.mark.parametrize("needed", [-1, MAX_APPROVALS + 1, 2**31 - 1])
def test_what_no_team_could_give_is_refused(needed: int) -> None:
    """Fewer than none and more than a hundred approvals are refused, in the field that asked."""
    with pytest.raises(InvalidField) as refused:
        asking(needed)
    assert refused.value.field == "review.required_approvals"


def test_a_hundred_people_can_be_asked() -> None:
    """The largest number that is let through works: 99 are not enough, 100 are."""
    plan = asking(MAX_APPROVALS)
    for number in range(MAX_APPROVALS):
        assert not plan.is_approved
        plan = deciding(plan, reviewer=f"person-{number}").plan
    assert plan.is_approved
