"""Tool calls that agents ask for, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from plangate._calls.words import word_of
from plangate.cli._text import visible, visible_lines
from plangate.cli._words import age, clock, spoken, time_left
from plangate_proto.agent.v1.review_resource_pb2 import DecisionSource
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    Approval,
    ApprovalDecision,
    ApprovalPrompt,
    ApprovalState,
    ToolKind,
)

RULE = "─" * 72
"""Above and below what would be done, so that nothing else is taken for it."""


def first_line(command: str) -> str:
    """A command in a list; if it has more lines than one, that is said."""
    first, *others = command.split("\n")
    return f"{first} … (+{len(others)} lines)" if others else first


def answer_of(call: Approval) -> str:
    """Where it waits, or what became of it and by whom."""
    match call.state:
        case ApprovalState.APPROVAL_STATE_ACTIVE:
            return "waits for an answer"
        case ApprovalState.APPROVAL_STATE_QUEUED:
            return f"waits behind {call.position}"
        case ApprovalState.APPROVAL_STATE_DECIDED:
            decision = spoken(word_of(ApprovalDecision, "APPROVAL_DECISION_", call.decision))
            by_rule = call.source == DecisionSource.DECISION_SOURCE_AUTO
            return f"{decision} by {f'the rule {call.rule}' if by_rule else call.reviewer}"
        case _:
            return spoken(word_of(ApprovalState, "APPROVAL_STATE_", call.state))


def call_lines(call: Approval | ApprovalPrompt) -> Iterator[str]:
    """Who asks and why; exactly what would be done; and what the answer is about."""
    kind = spoken(word_of(ToolKind, "TOOL_KIND_", call.kind))
    asks = f"asked for by {visible(call.agent_id)}, {age(call.request_time)} ago"
    yield f"{visible(call.tool_name)}  ({kind}, {asks}, session {visible(call.session_id)})"
    why = call.message if isinstance(call, ApprovalPrompt) else call.prompt
    yield from visible_lines(why) if why else ()
    yield from ("", RULE, *visible_lines(call.command), RULE)
    yield from _facts(call.metadata)
    yield from _work(call)
    yield f"call    {visible(call.call_id)}"
    yield f"digest  {call.digest}"
    if call.HasField("expire_time"):
        yield f"expires in {time_left(call.expire_time)}, at {clock(call.expire_time)}"


def _facts(metadata: Mapping[str, str]) -> Iterator[str]:
    return (f"{visible(name)}: {visible(value)}" for name, value in sorted(metadata.items()))


def _work(call: Approval | ApprovalPrompt) -> Iterator[str]:
    if call.plan_uri:
        yield f"plan    {call.plan_uri}"
    if call.todo_id:
        yield f"todo    {visible(call.todo_id)}"
