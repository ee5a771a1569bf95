"""Which events of tool calls end one for an IDE."""

from __future__ import annotations

import pytest

from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.agent.v1.tool_approval_service_pb2 import Approval, ApprovalDecision, ApprovalState
from plangate_server.web.gateway.calls import ended_chunk


def told(type_: str, decision: str = "") -> str | None:
    """The type of the message about an event of a call that is decided by then, or not."""
    call = Approval(call_id="c1", state=ApprovalState.APPROVAL_STATE_ACTIVE)
    if decision:
        call.state = ApprovalState.APPROVAL_STATE_DECIDED
        call.decision = ApprovalDecision.Value(f"APPROVAL_DECISION_{decision}")
    chunk = ended_chunk(ReviewEvent(type=ReviewEventType.Value(f"REVIEW_EVENT_TYPE_{type_}"), approval=call))
    return chunk["type"] if chunk else None


@pytest.mark.parametrize("decision", ["APPROVED", "APPROVED_FOR_SESSION", "DENIED"])
def test_a_call_is_answered_by_the_event_of_its_answer(decision: str) -> None:
    """And never by that of the question, which has the answer already where a rule gave it."""
    assert told("TOOL_CALL_REQUESTED", decision) is None
    assert told("TOOL_CALL_DECIDED", decision) == ("tool_denied" if decision == "DENIED" else "tool_approved")


def test_a_call_that_waits_has_not_ended() -> None:
    """Until it is answered, taken back, or out of time."""
    assert told("TOOL_CALL_REQUESTED") is None
    assert told("TOOL_CALL_CANCELLED") == "tool_cancelled"
    assert told("TOOL_CALL_EXPIRED") == "tool_expired"
