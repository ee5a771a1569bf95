"""Tool calls that agents ask for, in words."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from plangate._calls.words import word_of
from plangate._common.text_safety import visible
from plangate.cli._style import Style, styled
from plangate.cli._text import numbered, quoted
from plangate.cli._words import age, clock, counted, spoken, time_left
from plangate_proto.agent.v1.review_resource_pb2 import DecisionSource
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    Approval,
    ApprovalDecision,
    ApprovalPrompt,
    ApprovalState,
    ToolKind,
)


def first_line(command: str) -> str:
    """A command in a list; if it has more lines than one, that is said."""
    first, *others = command.split("\n")
    return f"{first} … (+{counted(len(others), 'line')})" if others else first


def answer_of(call: Approval) -> str:
    """Where it waits, or what became of it and by whom."""
    match call.state:
        case ApprovalState.APPROVAL_STATE_ACTIVE:
            return "waits"
        case ApprovalState.APPROVAL_STATE_QUEUED:
            return f"behind {call.position}"
        case ApprovalState.APPROVAL_STATE_DECIDED:
            decision = spoken(word_of(ApprovalDecision, "APPROVAL_DECISION_", call.decision))
            by_rule = call.source == DecisionSource.DECISION_SOURCE_AUTO
            return f"{decision} by {f'the rule {call.rule}' if by_rule else call.reviewer}"
        case _:
            return spoken(word_of(ApprovalState, "APPROVAL_STATE_", call.state))


def call_lines(call: Approval | ApprovalPrompt) -> Iterator[str]:
    """Who asks; exactly what would be done; why, in the agent's words; and what the answer is about."""
    yield from asked_lines(call)
    why = call.message if isinstance(call, ApprovalPrompt) else call.prompt
    yield from quoted(why) if why else ()
    yield from _work(call)
    yield f"call    {visible(call.call_id)}"
    yield f"digest  {call.digest}"
    if call.HasField("expire_time"):
        yield f"expires in {time_left(call.expire_time)}, at {clock(call.expire_time)}"


def asked_lines(call: Approval | ApprovalPrompt) -> Iterator[str]:
    """What nobody may decide about without having seen it; so no words of the agent's come before it."""
    kind = spoken(word_of(ToolKind, "TOOL_KIND_", call.kind))
    asks = f"asked for by {visible(call.agent_id)}, {age(call.request_time)} ago"
    yield f"{visible(call.tool_name)}  ({kind}, {asks}, session {visible(call.session_id)})"
    yield from ("", *numbered(call.command), "")
    for name, value in sorted(call.metadata.items()):
        yield f"with    {visible(name)}: {visible(value)}"


def answer_lines(call: Approval) -> Iterator[str]:
    """Where it stands, and what to type if it waits for an answer."""
    yield f"state   {visible(answer_of(call))}"
    yield from quoted(call.feedback_text) if call.feedback_text else ()
    if call.state == ApprovalState.APPROVAL_STATE_ACTIVE:
        # An agent chooses the ids: a shell must take each as one word and no more.
        named = shlex.quote(visible(call.call_id))
        yield from ("", styled("to decide", Style.STRONG))
        yield f"  plangate approvals answer {named} approved"
        yield f"  plangate approvals answer {named} denied 'what to do differently'"


def _work(call: Approval | ApprovalPrompt) -> Iterator[str]:
    if call.plan_uri:
        yield f"plan    {call.plan_uri}"
    if call.todo_id:
        yield f"todo    {visible(call.todo_id)}"
