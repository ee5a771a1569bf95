"""What the commands that talk to a gate have in common."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

from plangate._client import Client
from plangate.cli._text import visible, visible_lines
from plangate.errors import PlangateError
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.review_resource_pb2 import Decision

CHOICES: Final = {
    "approve": "approved",
    "rejectAndTellWhatToDoDifferently": "rejected",
    "requestChanges": "changes requested",
    "edit": "approved as edited",
}


class CommandError(Exception):
    """What the person at the terminal should read; the command ends with exit code 1."""


@contextmanager
def gate(exit_code: int = 1) -> Iterator[Client]:
    """A client; what goes wrong with it ends the command with one line, not a traceback."""
    try:
        client = Client()
    except ValueError as error:
        _end(str(error), exit_code)
    with client:
        try:
            yield client
        except CommandError as error:
            _end(str(error), exit_code)
        except PlangateError as error:
            _end(error.words, exit_code)


def _end(words: str, exit_code: int) -> NoReturn:
    print(f"plangate: {visible(words)}", file=sys.stderr)
    sys.exit(exit_code)


def find_plan(client: Client, named: str, *states: PlanState.ValueType) -> Plan:
    """The one plan, in one of the states or in any, that a name fits: its uri, or a part of its id or
    file name that no other has.
    """
    if "://" in named:
        return client.get_plan(named)
    plans = client.list_plans(*states) if named else ()
    fitting = [plan for plan in plans if named in plan.plan_id or named in plan.file_name]
    match fitting:
        case [plan]:
            return plan
        case []:
            raise CommandError(f"no plan is called {named!r}: see 'plangate pending'")
        case _:
            names = ", ".join(plan.file_name for plan in fitting[:5]) + (", …" if len(fitting) > 5 else "")
            raise CommandError(f"{named!r} fits {len(fitting)} plans ({names}): give more of the name")


def print_plan(plan: Plan) -> None:
    """A plan as a person should see it before deciding: all of it, and nothing hidden."""
    state = PlanState.Name(plan.state).removeprefix("PLAN_STATE_").lower().replace("_", " ")
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
