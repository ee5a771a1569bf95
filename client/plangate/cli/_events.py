"""What happened, in a line: when, to what, what, by whom, and the words that go with it."""

from __future__ import annotations

from collections.abc import Iterator

from plangate._calls.words import word_of
from plangate._common.text_safety import visible
from plangate.cli._style import Style, styled
from plangate.cli._tool_calls import first_line
from plangate.cli._words import clock, spoken
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.agent.v1.todo_tools_pb2 import TodoStatus
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalDecision

Type = ReviewEventType
SNAPSHOT = Type.REVIEW_EVENT_TYPE_SNAPSHOT
STYLES = {
    SNAPSHOT: Style.WAITING,
    Type.REVIEW_EVENT_TYPE_PLAN_APPROVAL_REQUIRED: Style.WAITING,
    Type.REVIEW_EVENT_TYPE_TOOL_CALL_REQUESTED: Style.WAITING,
    Type.REVIEW_EVENT_TYPE_PLAN_APPROVED: Style.GOOD,
    Type.REVIEW_EVENT_TYPE_PLAN_EDITED: Style.GOOD,
    Type.REVIEW_EVENT_TYPE_EXECUTION_COMPLETED: Style.GOOD,
    Type.REVIEW_EVENT_TYPE_PLAN_REJECTED: Style.BAD,
    Type.REVIEW_EVENT_TYPE_EXECUTION_FAILED: Style.BAD,
    Type.REVIEW_EVENT_TYPE_DECISION_REFUSED: Style.BAD,
    Type.REVIEW_EVENT_TYPE_BREAK_GLASS_USED: Style.BAD,
}


def event_line(event: ReviewEvent) -> str:
    """Nothing in it acts on a terminal, and a line feed in somebody's words does not end it."""
    return "  ".join((clock(event.event_time), visible(_where(event)), happened(event)))


def happened(event: ReviewEvent) -> str:
    """The same without when and to what."""
    what = styled(_what(event), STYLES.get(event.type, Style.PLAIN))
    by = f" by {visible(event.actor)}" if event.actor and event.type != SNAPSHOT else ""
    words = "; ".join(visible(words) for words in _words(event) if words)
    return f"{what}{by}: {words}" if words else f"{what}{by}"


def _what(event: ReviewEvent) -> str:
    if event.type == SNAPSHOT:
        return "waits for a decision"
    return spoken(word_of(ReviewEventType, "REVIEW_EVENT_TYPE_", event.type))


def _where(event: ReviewEvent) -> str:
    """A plan by the end of its id and its goal; without one, the session."""
    if event.plan_id:
        return f"{event.plan_id[-8:]} {event.plan_summary.goal}".rstrip()
    return f"session {event.session_id}" if event.session_id else "workspace"


def _words(event: ReviewEvent) -> Iterator[str]:
    """What an event of its type carries, and then what somebody said with it."""
    if event.HasField("approval"):
        yield f"{event.approval.tool_name} {first_line(event.approval.command)}"
        if event.approval.decision:
            yield spoken(word_of(ApprovalDecision, "APPROVAL_DECISION_", event.approval.decision))
        yield event.approval.feedback_text
    if event.HasField("remembered"):
        yield f"{event.remembered.tool_name} {event.remembered.signature}"
    if event.HasField("refused"):
        yield event.refused.reason
    if event.HasField("build"):
        yield f"by {event.build.agent_id}, {', '.join(event.build.todo_ids)}"
    for todo in event.todos:
        yield f"{todo.id} {spoken(word_of(TodoStatus, 'TODO_STATUS_', todo.status))}"
    yield event.message
