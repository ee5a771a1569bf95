"""A time-out is an outcome of its own: never an approval, never a person's no."""

from datetime import datetime, timedelta

import pytest

from plangate_server.domain.errors import AlreadyDecided, InvalidField, Reason
from plangate_server.domain.events import EventType
from plangate_server.domain.lifecycle import expire
from plangate_server.domain.limits import LONGEST_WAIT
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import (
    SERVICE,
    Option,
    ReviewOptions,
    ReviewOutcome,
    ReviewStatus,
)
from tests.helpers.domain import NOW
from tests.helpers.lives import after, deciding, expired, plan_that_is, proposed, revising, types_of

HOUR = timedelta(hours=1)
INSTANT = timedelta(microseconds=1)
DUE = NOW + HOUR


def asking(approvals: int = 1) -> Plan:
    """A plan whose review ends an hour after it was proposed."""
    return proposed(options=ReviewOptions(HOUR, approvals))


def test_without_a_span_a_review_waits_for_ever() -> None:
    """There is no hidden clock: nobody decides for as long as nobody decides."""
    plan = proposed()
    assert plan.review.expire_time is None
    assert expire(plan, NOW + timedelta(days=36500)) is None
    assert deciding(plan, now=NOW + timedelta(days=36500)).plan.is_approved


@pytest.mark.parametrize("now", [NOW, DUE - INSTANT])
def test_before_its_time_nothing_expires(now: datetime) -> None:
    """Until the very last instant the review is open, and a decision counts."""
    assert expire(asking(), now) is None
    assert deciding(asking(), now=now).plan.is_approved


@pytest.mark.parametrize("now", [DUE, DUE + INSTANT, DUE + timedelta(days=365)])
def test_at_its_time_a_review_expires(now: datetime) -> None:
    """From that instant on the outcome is EXPIRED, by the service and with nobody's decision."""
    change = expire(asking(), now)
    assert change is not None
    plan, review = change.plan, change.plan.review
    assert (plan.state, plan.is_approved) == (PlanState.EXPIRED, False)
    assert (review.status, review.outcome) == (ReviewStatus.DONE, ReviewOutcome.EXPIRED)
    assert (review.source, review.decisions, review.decided_by) == (None, (), SERVICE)
    assert review.decide_time == now
    assert types_of(change) == [EventType.REVIEW_EXPIRED]
    assert change.events[0].actor == SERVICE


@pytest.mark.parametrize("state", sorted(set(PlanState) - {PlanState.IN_REVIEW}))
def test_only_an_open_review_expires(state: PlanState) -> None:
    """What was decided, withdrawn or never asked is not undone by the clock."""
    assert expire(plan_that_is(state), NOW + timedelta(days=36500)) is None


@pytest.mark.parametrize("option", [Option.APPROVE, Option.REJECT, Option.REQUEST_CHANGES])
def test_whoever_decided_in_time_has_decided(option: Option) -> None:
    """A decision before the end stays what it is afterwards."""
    assert expire(deciding(asking(), option).plan, DUE + HOUR) is None


@pytest.mark.parametrize("option", [Option.APPROVE, Option.REJECT, Option.REQUEST_CHANGES])
@pytest.mark.parametrize("now", [DUE, DUE + INSTANT, DUE + HOUR])
def test_a_late_decision_is_refused_before_anyone_swept(option: Option, now: datetime) -> None:
    """The end counts from its very instant: a decision finds the review EXPIRED, not open."""
    with pytest.raises(AlreadyDecided) as refused:
        deciding(asking(), option, now=now)
    assert refused.value.reason is Reason.ALREADY_DECIDED
    assert refused.value.metadata == {
        "approval_request_id": "review-1",
        "outcome": "EXPIRED",
        "decided_by": SERVICE,
        "decide_time": DUE.isoformat(),
    }


def test_a_late_decision_is_refused_after_the_sweep() -> None:
    """Once it is recorded as expired it is refused in the same terms."""
    with pytest.raises(AlreadyDecided) as refused:
        deciding(expired(), now=after(2))
    assert (refused.value.metadata["outcome"], refused.value.metadata["decided_by"]) == ("EXPIRED", SERVICE)


def test_expiring_happens_once() -> None:
    """A second sweep finds nothing to do."""
    assert expire(expired(), after(60)) is None


def test_too_few_approvals_in_time_are_none() -> None:
    """A plan that one of two people approved expires like any other, with the approval on record."""
    plan = deciding(asking(2), reviewer="ada").plan
    change = expire(plan, DUE)
    assert change is not None
    assert (change.plan.review.outcome, change.plan.is_approved) == (ReviewOutcome.EXPIRED, False)
    assert [decision.reviewer for decision in change.plan.review.decisions] == ["ada"]


def test_a_new_revision_has_a_time_of_its_own() -> None:
    """The clock of an expired review does not run on: the next one gets the whole span."""
    plan = revising(expired(), now=after(30)).plan
    assert plan.review.expire_time == after(31)
    assert expire(plan, after(30.9)) is None
    assert expire(plan, after(31)) is not None


def test_a_clock_set_back_expires_nothing_early() -> None:
    """An hour back, the review is open and a decision counts."""
    earlier = NOW - HOUR
    assert expire(asking(), earlier) is None
    assert deciding(asking(), now=earlier).plan.is_approved


def test_a_clock_set_back_revives_nothing() -> None:
    """What has expired stays expired, whatever the clock says later."""
    change = expire(asking(), DUE)
    assert change is not None
    with pytest.raises(AlreadyDecided):
        deciding(change.plan, now=NOW)


def test_a_clock_set_forward_expires() -> None:
    """An hour ahead, the review is over, for the sweeper and for a person alike."""
    assert expire(asking(), NOW + HOUR) is not None
    with pytest.raises(AlreadyDecided):
        deciding(asking(), now=NOW + HOUR)


def test_a_review_waits_for_ten_years_at_most() -> None:
    """The longest span that is let through ends when it should."""
    plan = proposed(options=ReviewOptions(LONGEST_WAIT))
    assert plan.review.expire_time == NOW + timedelta(days=3650)


@pytest.mark.parametrize("span", [timedelta(), -INSTANT, -HOUR, LONGEST_WAIT + INSTANT, timedelta.max])
def test_a_span_that_no_review_could_keep_is_refused(span: timedelta) -> None:
    """No review begins expired, or ends after all calendars; the refusal names the field."""
    with pytest.raises(InvalidField) as refused:
        proposed(options=ReviewOptions(span))
    assert refused.value.field == "review.expires_after"
