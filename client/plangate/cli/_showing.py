"""A plan as a person should see it before deciding, and after: all of it, and nothing hidden."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TextIO

from plangate._common.text_safety import visible
from plangate.cli._changes import change_lines, described
from plangate.cli._decisions import comment_lines
from plangate.cli._finding import short_id
from plangate.cli._looking import Seen
from plangate.cli._standing import is_waiting, standing_lines
from plangate.cli._style import Style, styled
from plangate.cli._text import numbered, quoted
from plangate.cli._todo_states import in_order
from plangate.cli._words import state_of, text_by
from plangate_proto.agent.v1.plan_resource_pb2 import Plan

LONGEST_STATE: Final = 13


def print_plan(seen: Seen, to: TextIO | None = None) -> None:
    """Who asks and for what; what would be done; what changed, and what was asked for; where it stands."""
    print(*_lines(seen), sep="\n", file=to)


def print_choices(seen: Seen) -> None:
    """What to type next, if the plan waits for a decision."""
    if not (seen.is_latest and is_waiting(seen.plan.review)):
        return
    plan = short_id(seen.plan)
    print(
        "",
        styled("to decide", Style.STRONG),
        f"  plangate approve {plan}",
        f"  plangate reject {plan} 'what to do differently'",
        f"  plangate request-changes {plan} 'what to change'",
        f"  plangate edit {plan}",
        f"  plangate comment add {plan} 'a remark' --lines 1-2",
        sep="\n",
    )


def _lines(seen: Seen) -> Iterator[str]:
    plan = seen.plan
    yield heading(seen)
    yield from quoted(plan.overview) if plan.overview else ()
    yield from ("", *numbered(plan.plan), "")
    yield from todo_lines(plan)
    yield from change_lines(seen)
    if seen.remarks:
        yield from ("", styled("comments", Style.STRONG))
        yield from (f"  {line}" for comment in seen.remarks for line in comment_lines(comment))
    yield from ("", f"plan    {plan.plan_uri}", f"digest  {plan.digest}")
    yield from standing_lines(seen)


def heading(seen: Seen) -> str:
    """What it is called, who asks, and where it stands."""
    plan = seen.plan
    # An earlier revision has no state of its own: where it stands is told below.
    facts = [styled(*state_of(plan)), f"revision {plan.revision}"]
    if not seen.is_latest:
        facts = [f"revision {plan.revision} of {seen.head}"]
    facts.append(f"by {visible(plan.created_by)}")
    if seen.author != plan.created_by:
        facts.append(f"this revision by {visible(seen.author)}")
    if text_by(plan) not in {plan.created_by, seen.author}:
        facts.append(f"from a text by {visible(text_by(plan))}")
    if plan.session_id:
        facts.append(f"session {visible(plan.session_id)}")
    return f"{styled(visible(plan.name), Style.STRONG)}  ({', '.join(facts)})"


def todo_lines(plan: Plan) -> Iterator[str]:
    """What would be done, in the order in which it can be."""
    for number, placed in enumerate(in_order(plan.todos), start=1):
        state, style = placed.state.cell
        yield f"{number:3}. {styled(f'{state:<{LONGEST_STATE}}', style)}  {described(placed.todo)}"
    kinds = [kind for kind, is_one in (("project", plan.is_project), ("spec", plan.is_spec)) if is_one]
    if kinds:
        yield f"     this is a {' and a '.join(kinds)}"
    for phase in plan.phases:
        yield f"phase {visible(phase.name)}: {', '.join(visible(todo.id) for todo in phase.todos)}"
