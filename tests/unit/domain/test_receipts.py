"""Receipts: when a decision was made, carried to the agent, acknowledged by it, and acted upon."""

from datetime import datetime

import pytest

from plangate_server.domain.errors import Reason, WrongState
from plangate_server.domain.events import EventType
from plangate_server.domain.lifecycle import acknowledge, deliver
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import Option
from tests.helpers.lives import (
    after,
    approved,
    deciding,
    finishing,
    plan_that_is,
    proposed,
    revising,
    starting,
    types_of,
)

UNDECIDED = {PlanState.DRAFT, PlanState.IN_REVIEW}
DECIDED = sorted(set(PlanState) - UNDECIDED)


def delivered(plan: Plan, now: datetime) -> Plan:
    change = deliver(plan, "builder-bot", now)
    assert change is not None
    return change.plan


def acknowledged(plan: Plan, now: datetime) -> Plan:
    change = acknowledge(plan, "builder-bot", now)
    assert change is not None
    return change.plan


@pytest.mark.parametrize("state", DECIDED)
def test_every_decision_can_be_delivered_and_acknowledged(state: PlanState) -> None:
    """Whatever the outcome, both receipts are recorded with their times, and the plan stays as it is."""
    plan = plan_that_is(state)
    received = acknowledged(delivered(plan, after(6)), after(7))
    assert (received.review.deliver_time, received.review.acknowledge_time) == (after(6), after(7))
    assert (received.state, received.revision, received.approved) == (
        plan.state,
        plan.revision,
        plan.approved,
    )
    assert (received.review.outcome, received.review.decisions) == (
        plan.review.outcome,
        plan.review.decisions,
    )


def test_each_receipt_is_told() -> None:
    """One event each, by the agent that has the decision."""
    delivery = deliver(approved(), "builder-bot", after(2))
    assert delivery is not None
    receipt = acknowledge(delivery.plan, "coder", after(3))
    assert receipt is not None
    assert types_of(delivery) == [EventType.DECISION_DELIVERED]
    assert types_of(receipt) == [EventType.DECISION_ACKNOWLEDGED]
    assert [change.events[0].actor for change in (delivery, receipt)] == ["builder-bot", "coder"]


def test_the_first_delivery_counts() -> None:
    """A second stream that carries the decision changes nothing."""
    assert deliver(delivered(approved(), after(2)), "builder-bot", after(3)) is None


def test_the_first_acknowledgement_counts() -> None:
    """An agent may say it again: nothing changes, and it is no error."""
    assert acknowledge(acknowledged(approved(), after(2)), "builder-bot", after(3)) is None


def test_what_is_acknowledged_was_delivered() -> None:
    """An acknowledgement without a stream before it is the delivery, too."""
    review = acknowledged(approved(), after(2)).review
    assert (review.deliver_time, review.acknowledge_time) == (after(2), after(2))
    assert deliver(acknowledged(approved(), after(2)), "builder-bot", after(3)) is None


@pytest.mark.parametrize("state", sorted(UNDECIDED))
def test_nothing_is_delivered_before_it_is_decided(state: PlanState) -> None:
    """A stream that shows an open review carries no decision."""
    assert deliver(plan_that_is(state), "builder-bot", after(2)) is None


@pytest.mark.parametrize("state", sorted(UNDECIDED))
def test_nothing_is_acknowledged_before_it_is_decided(state: PlanState) -> None:
    """An agent cannot have a decision that nobody made."""
    with pytest.raises(WrongState) as refused:
        acknowledge(plan_that_is(state), "builder-bot", after(2))
    assert refused.value.reason is Reason.WRONG_STATE
    assert refused.value.metadata["state"] == state
    assert refused.value.metadata["allowed"].split(", ") == DECIDED


def test_the_first_build_consumes_the_decision() -> None:
    """The time of the first build is kept, however many follow it."""
    plan = approved()
    assert plan.review.consume_time is None
    plan = starting(plan, "measure", now=after(4)).plan
    plan = starting(plan, "tidy", agent_id="other", build_id="build-2", now=after(5)).plan
    assert plan.review.consume_time == after(4)
    plan = finishing(finishing(plan).plan, build_id="build-2").plan
    plan = starting(plan, "move", build_id="build-3", now=after(6)).plan
    assert plan.review.consume_time == after(4)


def test_the_times_of_a_decision_are_in_order() -> None:
    """Asked, decided, delivered, acknowledged, consumed: five times that nothing later overwrites."""
    plan = starting(acknowledged(delivered(approved(), after(2)), after(3)), now=after(4)).plan
    review = finishing(plan, now=after(5)).plan.review
    assert [
        review.request_time,
        review.decide_time,
        review.deliver_time,
        review.acknowledge_time,
        review.consume_time,
    ] == [after(minutes) for minutes in range(5)]


def test_a_new_review_has_receipts_of_its_own() -> None:
    """What the agent acknowledged of the first decision says nothing about the second."""
    first = deciding(proposed(), Option.REQUEST_CHANGES).plan
    plan = revising(acknowledged(first, after(2))).plan
    review = deciding(plan, now=after(3)).plan.review
    assert (review.deliver_time, review.acknowledge_time, review.consume_time) == (None, None, None)
