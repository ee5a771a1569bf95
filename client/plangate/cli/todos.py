"""``plangate todos``: how far a plan is; or, as an agent, tell it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from plangate.cli._finding import find_plan
from plangate.cli._gate import CommandError, gate
from plangate.cli._json import print_json_list
from plangate.cli._parsing import add_json, add_plan, add_target
from plangate.cli._tables import Row, print_table
from plangate.cli._todo_states import Placed, in_order, progress_line
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus

HEADINGS = ("TODO", "STATE", "WHAT", "WAITS FOR", "GIVEN TO")
MOVES = {
    "start": TodoStatus.TODO_STATUS_IN_PROGRESS,
    "done": TodoStatus.TODO_STATUS_COMPLETED,
    "cancel": TodoStatus.TODO_STATUS_CANCELLED,
}


def arguments(parser: argparse.ArgumentParser) -> None:
    add_plan(parser)
    for name, said in (("start", "is being worked on"), ("done", "is done"), ("cancel", "will not be done")):
        parser.add_argument(
            f"--{name}",
            action="append",
            default=[],
            metavar="TODO",
            help=f"as an agent: it {said}; repeatable",
        )
    parser.add_argument("--build", default="", metavar="BUILD", help="the build on whose behalf")
    parser.add_argument("--agent", default="", metavar="ID", help="the agent that says so")
    add_json(parser)
    add_target(parser)


def run(given: argparse.Namespace) -> int:
    with gate(given) as client:
        plan = find_plan(client, given.plan)
        if moved := list(_moved(given)):
            _check(plan, moved)
            client.update_todos(plan, moved, agent_id=given.agent, build_id=given.build)
            plan = client.get_plan(plan)
        elif given.build or given.agent:
            raise CommandError("--build and --agent say who moves a todo: give --start, --done or --cancel")
    placed = list(in_order(plan.todos))
    if given.json:
        print_json_list(each.todo for each in placed)
    elif placed:
        print_table(HEADINGS, [_row(each, plan) for each in placed])
        print(f"\n{progress_line(placed)}")
    else:
        print("the plan has no todos")
    return 0


def _moved(given: argparse.Namespace) -> Iterator[TodoItem]:
    for name, status in MOVES.items():
        for todo_id in getattr(given, name):
            yield TodoItem(id=todo_id, status=status)


def _check(plan: Plan, moved: list[TodoItem]) -> None:
    known = [todo.id for todo in plan.todos]
    for todo in moved:
        if todo.id not in known:
            raise CommandError(f"the plan has no todo {todo.id!r}: it has {', '.join(known) or 'none'}")


def _row(placed: Placed, plan: Plan) -> Row:
    todo, state, waits_for = placed
    given_to = [agent for agent, given in plan.built_by.items() if todo.id in given.todo_ids]
    return (todo.id, state.cell, todo.content, ", ".join(waits_for), ", ".join(sorted(given_to)))
