"""A plan as a person should see it before deciding: all of it, and nothing hidden."""

from __future__ import annotations

from plangate.cli._style import styled
from plangate.cli._text import visible, visible_lines
from plangate.cli._words import CHOICES, state_of
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_resource_pb2 import Decision


def print_plan(plan: Plan) -> None:
    state = styled(*state_of(plan))
    print(f"{visible(plan.name)}  ({state}, revision {plan.revision}, by {visible(plan.created_by)})")
    if plan.overview:
        print(*visible_lines(plan.overview), sep="\n")
    print(f"\n{'─' * 72}")
    print(*visible_lines(plan.plan), sep="\n")
    print("─" * 72)
    for number, todo in enumerate(plan.todos, start=1):
        after = f"  (after {', '.join(map(visible, todo.dependencies))})" if todo.dependencies else ""
        print(f"{number:3}. [{visible(todo.id)}] {visible(todo.content)}{after}")
    kinds = [kind for kind, is_one in (("project", plan.is_project), ("spec", plan.is_spec)) if is_one]
    if kinds:
        print(f"     this is a {' and a '.join(kinds)}")
    for phase in plan.phases:
        print(f"phase {visible(phase.name)}: {', '.join(visible(todo.id) for todo in phase.todos)}")
    print(f"\nplan    {plan.plan_uri}\ndigest  {plan.digest}")
    print(*(f"{_decision(each)}\n" for each in plan.review.decisions), sep="", end="")


def _decision(decision: Decision) -> str:
    chosen = visible(CHOICES.get(decision.selected_option, decision.selected_option))
    person = "" if decision.person in {"", decision.reviewer} else f", of {visible(decision.person)}"
    reason = decision.break_glass_reason
    glass = f"; the glass was broken: {visible(reason)}" if reason else ""
    return f"decided {chosen} by {visible(decision.reviewer)}{person}{glass}"
