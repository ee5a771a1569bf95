"""The inbox, in words: two rows for each plan and tool call."""

from __future__ import annotations

from rich.text import Text

from plangate._calls.words import word_of
from plangate.cli._standing import approvals_of
from plangate.cli._text import cut, visible, width_of
from plangate.cli._todo_states import State, in_order, progress_line
from plangate.cli._tool_calls import first_line
from plangate.cli._words import age, counted, spoken, state_of, time_left
from plangate.tui.state import Entry, asked_at
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.tool_approval_service_pb2 import ToolKind, WatchApprovalsResponse

RICH = {"1": "bold", "2": "dim", "31": "red", "32": "green", "33": "yellow", "36": "cyan", "": ""}
"""The styles of the commands, as Rich calls them."""


def waiting_row(entry: Entry, width: int) -> Text:
    """What it is and how long it waits; then who asks, and what else one must know to choose."""
    if isinstance(entry, Plan):
        kind, what, more = "plan", entry.name, _of_plan(entry)
    else:
        prompt = entry.prompt
        kind, what, more = "call", f"{prompt.tool_name}: {first_line(prompt.command)}", _of_call(entry)
    return _row(f"{kind}  ", visible(what), f"waits {age(asked_at(entry))}", more, width)


def decided_row(plan: Plan, width: int) -> Text:
    """How it was decided, and how far it is."""
    placed = [*in_order(plan.todos)]
    has_begun = any(each.state in {State.IN_PROGRESS, State.DONE} for each in placed)
    is_built = plan.state in {PlanState.PLAN_STATE_BUILDING, PlanState.PLAN_STATE_COMPLETED}
    more = progress_line(placed) if placed and (has_begun or is_built) else f"by {visible(plan.created_by)}"
    state = state_of(plan)
    return _row("", visible(plan.name), state.text, more, width, style=RICH[state.style])


def _row(kind: str, what: str, end: str, more: str, width: int, *, style: str = "yellow") -> Text:
    room = max(width - len(kind) - len(end) - 2, 1)
    shown = cut(what, room)
    row = Text(kind, end="").append(shown, style="bold")
    row.append(" " * (room - width_of(shown) + 2)).append(end, style=style)
    return row.append(f"\n{' ' * len(kind)}{cut(more, max(width - len(kind), 1))}")


def _of_plan(plan: Plan) -> str:
    review = plan.review
    facts = [f"by {visible(plan.created_by)}"]
    facts += [f"session {visible(plan.session_id)}"] if plan.session_id else []
    facts.append(counted(len(plan.todos), "todo"))
    facts += [f"revision {plan.revision}"] if plan.revision > 1 else []
    facts += [f"expires in {time_left(review.expire_time)}"] if review.HasField("expire_time") else []
    facts += [f"{approvals_of(review)} approvals"] if review.required_approvals > 1 else []
    return ", ".join(facts)


def _of_call(told: WatchApprovalsResponse) -> str:
    prompt = told.prompt
    facts = [f"by {visible(prompt.agent_id)}"] if prompt.agent_id else []
    facts.append(f"session {visible(told.session_id)}")
    facts.append(spoken(word_of(ToolKind, "TOOL_KIND_", prompt.kind)))
    facts += [f"{counted(told.queue_length - 1, 'more call')} after it"] if told.queue_length > 1 else []
    facts += [f"expires in {time_left(prompt.expire_time)}"] if prompt.HasField("expire_time") else []
    return ", ".join(facts)
