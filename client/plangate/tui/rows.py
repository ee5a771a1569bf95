"""The inbox, in words: two rows for each plan and tool call."""

from __future__ import annotations

from typing import NamedTuple

from rich.text import Text

from plangate._calls.words import word_of
from plangate._common.text_safety import visible
from plangate.cli._standing import approvals_of
from plangate.cli._text import cut, width_of
from plangate.cli._todo_states import State, in_order, progress_line
from plangate.cli._tool_calls import first_line
from plangate.cli._words import age, counted, spoken, state_of, text_by, time_left
from plangate.tui.state import Entry, asked_at
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.review_resource_pb2 import Review
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    ApprovalPrompt,
    ToolKind,
    WatchApprovalsResponse,
)

MARK = "▸ "
RICH = {"1": "bold", "2": "dim", "31": "red", "32": "green", "33": "yellow", "36": "cyan", "": ""}
"""The styles of the commands, as Rich calls them."""


class Row(NamedTuple):
    """What it is, and at the end of the line how it stands; below it, what else one must know."""

    kind: str
    what: str
    end: str
    style: str
    more: str

    def drawn(self, width: int, *, is_marked: bool) -> Text:
        """Not wider than this; the mark is also there without colour."""
        begin = f"{MARK if is_marked else ' ' * len(MARK)}{self.kind}"
        room = max(width - len(begin) - len(self.end) - 2, 1)
        shown = cut(self.what, room)
        row = Text(begin, end="").append(shown, "bold")
        row.append(" " * (room - width_of(shown) + 2)).append(self.end, "" if is_marked else self.style)
        below = f"{' ' * len(begin)}{cut(self.more, max(width - len(begin), 1))}"
        row.append(f"\n{below}{' ' * (width - width_of(below))}")
        row.stylize("reverse" if is_marked else "")
        return row


def waiting_row(entry: Entry, width: int, is_marked: bool = False) -> Text:
    """What it is and how long it waits; then who asks, and what else one must know to choose."""
    if isinstance(entry, Plan):
        kind, what, more = "plan", entry.name, _of_plan(entry)
    else:
        prompt = entry.prompt
        kind, what, more = "call", f"{prompt.tool_name}: {first_line(prompt.command)}", _of_call(entry)
    row = Row(f"{kind}  ", visible(what), f"waits {age(asked_at(entry))}", "yellow", more)
    return row.drawn(width, is_marked=is_marked)


def decided_row(plan: Plan, width: int, is_marked: bool = False) -> Text:
    """How it was decided, and how far it is."""
    placed = [*in_order(plan.todos)]
    has_begun = any(each.state in {State.IN_PROGRESS, State.DONE} for each in placed)
    is_built = plan.state in {PlanState.PLAN_STATE_BUILDING, PlanState.PLAN_STATE_COMPLETED}
    more = progress_line(placed) if placed and (has_begun or is_built) else f"by {visible(text_by(plan))}"
    state = state_of(plan)
    row = Row("", visible(plan.name), state.text, RICH[state.style], more)
    return row.drawn(width, is_marked=is_marked)


def waiting_time(asked: Review | ApprovalPrompt) -> str:
    """How long something waits, and when that ends by itself."""
    expires = f", expires in {time_left(asked.expire_time)}" if asked.HasField("expire_time") else ""
    return f"waits {age(asked.request_time)}{expires}"


def _of_plan(plan: Plan) -> str:
    review = plan.review
    facts = [f"by {visible(text_by(plan))}"]
    facts += [f"session {visible(plan.session_id)}"] if plan.session_id else []
    facts += [counted(len(plan.todos), "todo")] if plan.todos else []
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
