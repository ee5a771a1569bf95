"""A plan file becomes a request to the gate, and a plan of the gate becomes a file."""

import subprocess
import sys

from hypothesis import given

from plangate.planfile import Extra, Phase, PlanFile, Todo, read_plan_file, write_plan_file
from plangate.planfile.api import from_plan, to_create_args, to_create_request
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.todo_tools_pb2 import (
    TODO_STATUS_COMPLETED,
    TODO_STATUS_PENDING,
    TODO_STATUS_UNSPECIFIED,
    TodoItem,
)
from tests.helpers.examples import repeatable
from tests.helpers.plan_files import ALL, plan_files


def as_stored(plan: PlanFile, *, is_spec: bool = False) -> Plan:
    """The plan as a gate would tell it."""
    args = to_create_args(plan)
    items = {todo.id: todo for phase in args.phases for todo in phase.todos} | {t.id: t for t in args.todos}
    todos = [*args.todos, *(item for id, item in items.items() if id not in {t.id for t in args.todos})]
    return Plan(
        name=args.name,
        overview=args.overview,
        plan=args.plan,
        todos=todos,
        phases=args.phases,
        is_project=args.is_project,
        is_spec=is_spec,
    )


def test_a_file_becomes_a_request() -> None:
    """Every field of the plan is in it; statuses are those of the gate."""
    args = to_create_request(read_plan_file(ALL["with todos"])).args
    assert (args.name, args.overview) == ("Move the cache", "Three steps: measure, move, tidy")
    assert args.plan.startswith("# Move the cache\n")
    assert args.todos[0] == TodoItem(
        id="measure", content="Measure how often it is missed", status=TODO_STATUS_COMPLETED
    )
    assert list(args.todos[2].dependencies) == ["measure", "move"]


def test_a_status_that_the_gate_does_not_know_stays_in_the_file() -> None:
    """The gate is told nothing about it, and begins with pending."""
    args = to_create_args(PlanFile("A", todos=(Todo("a", "x", "blocked"),)))
    assert args.todos[0].status == TODO_STATUS_UNSPECIFIED


def test_phases_tell_their_todos_in_full() -> None:
    """Also those that a file only names."""
    args = to_create_args(read_plan_file(ALL["with phases"]))
    assert [todo.id for todo in args.phases[0].todos] == ["first", "second"]
    assert args.phases[0].todos[0] == args.todos[0]


def test_a_list_of_todos_gets_a_text() -> None:
    """A gate takes no plan without one."""
    assert to_create_args(PlanFile("Tidy", "All of it", (Todo("a", "x"),))).plan == "# Tidy\n\nAll of it\n"
    assert to_create_args(PlanFile("", todos=(Todo("a", "x"),))).plan == "# Plan\n"


def test_nothing_stays_nothing() -> None:
    """A file without a text and without todos gets no text that nobody wrote: the gate refuses it."""
    assert to_create_args(PlanFile("Tidy")).plan == ""


def test_a_specification_stays_one() -> None:
    """Though plan files have no key for it."""
    plan = from_plan(Plan(name="A", plan="b", is_spec=True, todos=[TodoItem(id="a", content="x")]))
    assert plan.extras == (Extra("isSpec", "isSpec: true"),)
    assert plan.todos == (Todo("a", "x", "pending"),)
    assert to_create_request(read_plan_file(write_plan_file(plan))).is_spec


def test_phases_of_a_gate_name_their_todos() -> None:
    """The todos stand once, in the order of the gate."""
    item = TodoItem(id="a", content="x", status=TODO_STATUS_PENDING)
    stored = Plan(name="A", plan="b", todos=[item])
    stored.phases.add(name="One", todos=[item])
    assert from_plan(stored).phases == (Phase("One", ("a",)),)


@repeatable
@given(plan_files())
def test_what_the_gate_has_comes_back_from_a_file(plan: PlanFile) -> None:
    """A plan that is exported and imported again is the same content to the gate."""
    stored = as_stored(plan)
    again = as_stored(read_plan_file(write_plan_file(from_plan(stored))))
    for message in (stored, again):
        for todo in (*message.todos, *(todo for phase in message.phases for todo in phase.todos)):
            todo.status = TODO_STATUS_PENDING
    assert again == stored


def test_nothing_loads_plan_files_unasked() -> None:
    """`import plangate` stays as small as it is, and plan files are read without gRPC."""
    code = (
        "import sys, plangate; print(*sys.modules); import plangate.planfile.importers; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    before, after = done.stdout.splitlines()
    assert "plangate.planfile" not in before
    assert {"grpc", "google.protobuf", "plangate_proto", "yaml"} & set(after.split()) == set()
