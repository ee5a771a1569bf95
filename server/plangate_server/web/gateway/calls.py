"""Tool calls that wait and what became of them, as the messages that an IDE is told."""

from __future__ import annotations

from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    ApprovalDecision,
    ToolKind,
    WatchApprovalsResponse,
)
from plangate_server.web.gateway.chunks import Chunk, filled
from plangate_server.web.gateway.said import ANSWERS
from plangate_server.web.gateway.told import ANSWERED, ENDED, TOOL_WAITS, Row

WORDS = {option: word for word, option in ANSWERS.items()}


def prompt_chunk(seen: WatchApprovalsResponse) -> Chunk:
    """The call that people are asked about now: with what it takes to answer it, if whoever listens may."""
    prompt = seen.prompt
    metadata = {
        "digest": prompt.digest,
        "agent_id": prompt.agent_id,
        "plan_uri": prompt.plan_uri,
        "build_id": prompt.build_id,
        "todo_id": prompt.todo_id,
        "expire_time": prompt.expire_time.ToJsonString() if prompt.HasField("expire_time") else None,
        "queue_length": seen.queue_length,
        "call": dict(prompt.metadata),
    }
    choices = [
        {
            "value": WORDS[ApprovalDecision.Value(f"APPROVAL_DECISION_{option.value}")],
            "label": option.label,
            "description": option.description,
        }
        for option in prompt.options
    ]
    return filled(
        {
            "type": TOOL_WAITS.kind,
            "content": TOOL_WAITS.words,
            "session_id": prompt.session_id,
            "call_id": prompt.call_id,
            "authority_token": prompt.authority_token,
            "kind": _kind(prompt.kind),
            "tool_name": prompt.tool_name,
            "command": prompt.command,
            "prompt": prompt.message,
            "can_remember": prompt.can_remember,
            "choices": [filled(each) for each in choices],
            "metadata": filled(metadata),
        }
    )


def ended_chunk(event: ReviewEvent) -> Chunk | None:
    """What became of a call; None of the event that it was asked for, also if a rule answered it at once."""
    call = event.approval
    row = ENDED.get(event.type) or _answered(event)
    if row is None:
        return None
    metadata = {
        "digest": call.digest,
        "agent_id": call.agent_id,
        "actor": event.actor,
        "decision": WORDS.get(call.decision),
        "rule": call.rule,
        "feedback": call.feedback_text,
        "plan_uri": call.plan_uri,
    }
    return filled(
        {
            "type": row.kind,
            "content": "\n\n".join(filter(None, (row.words, call.feedback_text))),
            "session_id": call.session_id,
            "call_id": call.call_id,
            "kind": _kind(call.kind),
            "tool_name": call.tool_name,
            "metadata": filled(metadata),
            "is_final": True,
        }
    )


def _answered(event: ReviewEvent) -> Row | None:
    is_answer = event.type == ReviewEventType.REVIEW_EVENT_TYPE_TOOL_CALL_DECIDED
    return ANSWERED[event.approval.decision] if is_answer else None


def _kind(kind: ToolKind.ValueType) -> str:
    return ToolKind.Name(kind).removeprefix("TOOL_KIND_").lower()
