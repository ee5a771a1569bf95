"""`plangate todos`: how far a plan is, and how an agent tells it."""

import json
import re

import pytest

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from tests.helpers.command_line import CommandLine, Done


def todo(id: str, *dependencies: str) -> TodoItem:
    return TodoItem(id=id, content=f"do {id}", dependencies=dependencies)


@pytest.fixture
def plan(client: Client) -> Plan:
    """An approved plan whose todos stand in another order than they can be done in."""
    todos = [todo("paint", "sweep", "sort"), todo("sweep", "sort"), todo("sort"), todo("rest")]
    plan = client.create_plan("# Tidy the cellar", todos=todos, agent_id="tidier")
    client.decide(plan, "approve")
    return client.get_plan(plan)


def rows(done: Done) -> list[list[str]]:
    """The cells under the headings."""
    assert (done.code, done.err) == (0, "")
    return [re.split(r" {2,}", line) for line in done.out.split("\n\n")[0].splitlines()[1:]]


def test_todos_stand_in_the_order_of_doing(plangate: CommandLine, plan: Plan) -> None:
    """Each comes after what it needs, with a shape, a word, and what it still waits for."""
    done = plangate("todos", plan.plan_uri)
    assert done.out.split()[:2] == ["TODO", "STATE"]
    assert rows(done) == [
        ["sort", "○ ready", "do sort"],
        ["rest", "○ ready", "do rest"],
        ["sweep", "◌ waits", "do sweep", "sort"],
        ["paint", "◌ waits", "do paint", "sweep, sort"],
    ]
    assert done.out.endswith("\n\n0 of 4 todos completed, 2 ready\n")


def test_an_agent_tells_how_far_it_is(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """What was started, done and dropped is written, and the list shows it."""
    build = client.build(plan)
    options = ("--build", build.build_id, "--agent", "tidier")
    assert plangate("todos", plan.plan_uri, "--start", "sort", *options).code == 0
    done = plangate(
        "todos", plan.plan_uri, "--done", "sort", "--start", "sweep", "--cancel", "rest", *options
    )
    assert rows(done) == [
        ["sort", "● completed", "do sort", "tidier"],
        ["rest", "✕ cancelled", "do rest", "tidier"],
        ["sweep", "◐ in progress", "do sweep", "tidier"],
        ["paint", "◌ waits", "do paint", "sweep", "tidier"],
    ]
    assert done.out.endswith("\n\n1 of 4 todos completed, 1 in progress, 1 cancelled\n")


def test_a_todo_that_is_not_there(plangate: CommandLine, plan: Plan) -> None:
    """It is named, with those that are; nothing is written."""
    complaint = plangate("todos", plan.plan_uri, "--done", "sort", "--done", "polish").complaint
    assert complaint == "the plan has no todo 'polish': it has paint, sweep, sort, rest"
    assert rows(plangate("todos", plan.plan_uri))[0] == ["sort", "○ ready", "do sort"]


def test_what_the_gate_refuses_is_told(plangate: CommandLine, plan: Plan) -> None:
    """A build that is not there is one line."""
    assert plangate("todos", plan.plan_uri, "--done", "sort", "--build", "none").complaint


@pytest.mark.parametrize("option", ["--build", "--agent"])
def test_who_moves_a_todo_without_moving_one(plangate: CommandLine, plan: Plan, option: str) -> None:
    """Whoever forgot to say what is done is told so, and is not shown the list as if it were written."""
    complaint = plangate("todos", plan.plan_uri, option, "tidier").complaint
    assert complaint == "--build and --agent say who moves a todo: give --start, --done or --cancel"


def test_as_json(plangate: CommandLine, plan: Plan) -> None:
    """One array of todos, in the same order."""
    todos = json.loads(plangate("todos", plan.plan_uri, "--json").out)
    assert [todo["id"] for todo in todos] == ["sort", "rest", "sweep", "paint"]


def test_a_plan_without_todos(plangate: CommandLine, client: Client) -> None:
    """It says so."""
    plan = client.create_plan("# Rest")
    assert plangate("todos", plan.plan_uri) == Done(0, "the plan has no todos\n", "")


def test_where_only_ascii_can_be_shown(plangate: CommandLine, plan: Plan) -> None:
    """Shapes are made of what there is."""
    plain = CommandLine(plangate.target, plangate.folder, {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"})
    assert rows(plain.process("todos", plan.plan_uri))[0] == ["sort", "[ ] ready", "do sort"]
