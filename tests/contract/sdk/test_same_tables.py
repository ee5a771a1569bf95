"""What the fake gate knows by heart is what the server knows."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from plangate.testing._fake import (
    plan_streams,
    queue,
    records,
    refusals,
    review_calls,
    rules,
    sessions,
    state,
)
from plangate_proto.agent.v1.agent_session_service_pb2 import FsmEvent
from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from plangate_proto.agent.v1.review_event_pb2 import ReviewEventType
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOutcome
from plangate_proto.agent.v1.session_state_pb2 import FsmState
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalState
from plangate_server.domain import (
    approval_queue,
    approvals,
    events,
    lifecycle,
    plan,
    review,
    session_life,
    tool_names,
    tools,
)
from plangate_server.domain import sessions as served
from plangate_server.domain.errors import Reason
from plangate_server.rpc.errors import STATUS


def names(enum: Any, numbers: Iterable[int]) -> set[str]:
    """Values of a message's enum, in the words of the domain."""
    prefix = enum.Name(0).removesuffix("UNSPECIFIED")
    return {enum.Name(number).removeprefix(prefix).lower() for number in numbers}


def name(enum: Any, number: int) -> str:
    (found,) = names(enum, [number])
    return found


def values(members: Iterable[StrEnum]) -> set[str]:
    return {member.value for member in members}


def test_the_states_of_plans() -> None:
    """What can be done in which state, and what ends a plan."""
    assert names(PlanState, records.REVISABLE - {0}) == values(lifecycle.REVISABLE)
    assert names(PlanState, records.STANDING) == values(lifecycle.STANDING)
    assert names(PlanState, records.WITHDRAWABLE) == values(lifecycle.WITHDRAWABLE)
    assert names(PlanState, plan_streams.ENDED) == values(plan.ENDED)


def test_the_choices() -> None:
    """What a person can choose, in which words, and what follows from it."""
    assert review_calls.OTHER_WORDS == review.OTHER_WORDS
    for option, (outcome, after, kind) in review_calls.OUTCOMES.items():
        expected = review.OUTCOMES[review.Option(option)]
        assert name(ReviewOutcome, outcome) == expected
        state_after, told = lifecycle.AFTER_REVIEW[expected]
        assert (name(PlanState, after), name(ReviewEventType, kind)) == (state_after, told)
    assert review_calls.OUTCOMES.keys() == set(review.Option)
    assert records.MOST_APPROVALS == review.MAX_APPROVALS


def test_the_state_machine_of_sessions() -> None:
    """Where plans lead a session, and where reports do."""
    led = {name(PlanState, one): name(FsmState, other) for one, other in sessions.STATE_WITH.items()}
    assert led == {one.value: other.value for one, other in served.STATE_WITH.items()}
    reported = {each.event.value: each for each in served.FSM if each.led_by is None}
    assert {name(FsmEvent, event) for event in sessions.REPORTED} == reported.keys()
    for event, (sources, target) in sessions.REPORTED.items():
        expected = reported[name(FsmEvent, event)]
        assert names(FsmState, sources - {0}) == values(expected.sources)
        assert name(FsmState, target) == expected.target


def test_events() -> None:
    """Which of them carry a plan, which lead a session, and which end a call."""
    assert names(ReviewEventType, state.CARRY_PLAN) == values(events.CARRY_PLAN)
    assert names(ReviewEventType, state.MOVING) == values(session_life.MOVING)
    ended = {name(ApprovalState, one): name(ReviewEventType, two) for one, two in queue.ENDED_BY.items()}
    assert ended == {one.value: two.value for one, two in approval_queue.ENDED_BY.items()}
    assert names(ApprovalState, queue.WAITING) == values(approvals.WAITING)


def test_the_words_of_tools() -> None:
    """What the name of a tool, or of an argument, gives away."""
    assert (rules.EXECUTING, rules.WRITING) == (tool_names.EXECUTING, tool_names.WRITING)
    assert rules.COMMAND_WORDS == tools.COMMAND_WORDS


def test_the_codes_of_refusals() -> None:
    """A refusal has the status that the server gives it."""
    assert {reason: STATUS[Reason(reason)] for reason in refusals.CODES} == refusals.CODES
