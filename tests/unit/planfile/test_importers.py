"""What other tools write is told apart by what it holds, and read without losing anything."""

import json

import pytest

from plangate.planfile import Extra, Phase, PlanFile, Todo, read_plan_file, write_plan_file
from plangate.planfile.importers import import_plan

TODO_WRITE = {
    "todos": [
        {"content": "Run it", "status": "in_progress", "activeForm": "Running it"},
        {"content": "Run it", "status": "pending", "activeForm": "Running it: again"},
    ]
}
CODEX = {"explanation": "In two steps", "plan": [{"step": "Look", "status": "completed"}, {"step": "Leap"}]}
ENTRIES = {"entries": [{"content": "Look", "priority": "high", "status": "pending"}]}
TASKS = [
    {
        "id": 1,
        "title": "Lay the ground",
        "description": "Dig.",
        "details": "Deep: 2 m",
        "testStrategy": "Jump on it",
        "status": "done",
        "priority": "high",
        "dependencies": [],
        "subtasks": [
            {"id": 1, "title": "Find a spade", "status": "pending"},
            {"id": 2, "title": "Dig", "status": "review", "dependencies": [1, "1.1"]},
        ],
    },
    {"id": "2", "title": "Build", "status": "in-progress", "dependencies": [1]},
]


def imported(value: object, name: str = "") -> PlanFile:
    plan = import_plan(json.dumps(value).encode(), name)
    assert read_plan_file(write_plan_file(plan)) == plan
    return plan


@pytest.mark.parametrize(
    "value",
    [TODO_WRITE, TODO_WRITE["todos"], {"name": "TodoWrite", "input": TODO_WRITE}, {"tool_input": TODO_WRITE}],
)
def test_todo_write(value: object) -> None:
    """The list, what the tool is given, or the whole call; ids are made, other keys kept."""
    assert imported(value).todos == (
        Todo("run-it", "Run it", "in_progress", (), (Extra("activeForm", "activeForm: Running it"),)),
        Todo("run-it-2", "Run it", "pending", (), (Extra("activeForm", 'activeForm: "Running it: again"'),)),
    )


def test_ids_do_not_change_from_one_import_to_the_next() -> None:
    """They are made from words and place, not by chance."""
    assert imported(TODO_WRITE) == imported(TODO_WRITE)


@pytest.mark.parametrize("value", [CODEX, {"name": "update_plan", "arguments": json.dumps(CODEX)}])
def test_codex(value: object) -> None:
    """Steps are todos, the explanation is the overview; the call has its arguments as a text."""
    plan = imported(value, "steps.json")
    assert (plan.name, plan.overview) == ("steps", "In two steps")
    assert plan.todos == (Todo("look", "Look", "completed"), Todo("leap", "Leap", "pending"))


@pytest.mark.parametrize(
    "value",
    [
        ENTRIES,
        {
            "method": "session/update",
            "params": {"sessionId": "s", "update": {"sessionUpdate": "plan", **ENTRIES}},
        },
    ],
)
def test_acp(value: object) -> None:
    """Entries alone or in a notification; priorities are kept."""
    assert imported(value).todos == (
        Todo("look", "Look", "pending", (), (Extra("priority", "priority: high"),)),
    )


@pytest.mark.parametrize("value", [{"tasks": TASKS}, {"master": {"tasks": TASKS, "metadata": {}}}])
def test_task_master(value: object) -> None:
    """Subtasks are todos of their own; what tasks say beyond their titles is the text."""
    plan = imported(value, "tasks.json")
    assert [(todo.id, todo.status, todo.dependencies) for todo in plan.todos] == [
        ("1", "completed", ()),
        ("1.1", "pending", ()),
        ("1.2", "review", ("1.1", "1.1")),
        ("2", "in_progress", ("1",)),
    ]
    assert plan.body == "# tasks\n\n## 1 Lay the ground\n\nDig.\n\nDeep: 2 m\n\nJump on it\n"
    assert ["'review'" in warning.words for warning in plan.warnings] == [True]


def test_tags_of_task_master_are_phases() -> None:
    """With ids that tell their tasks apart, and with all that the file says beside the tasks."""
    tag = {"tasks": [{"id": 1, "title": "A"}, {"id": 2, "title": "B", "dependencies": [1]}]}
    plan = imported({"one": {**tag, "metadata": {"made": "today"}}, "two": tag, "empty": {"tasks": []}})
    assert plan.phases == (Phase("one", ("one-1", "one-2")), Phase("two", ("two-1", "two-2")))
    assert plan.todos[3].dependencies == ("two-1",)
    assert "today" in plan.extras[0].text


def test_spec_kit() -> None:
    """Tasks under headings are todos in phases; the whole file stays the text."""
    text = (
        "# Tasks: Login\n\n## Phase 1: Setup\n\n- [x] T001 Make the project\n- [ ] T002 [P] Set up: lint\n\n"
        "## Phase 2: Story\n\n### Tests\n\n- [ ] T003 [P] [US1] Test it in tests/a.py\n\n"
        "```md\n- [ ] T009 not one\n```\n"
    )
    plan = import_plan(text.encode())
    assert plan.name == "Tasks: Login"
    assert plan.body == text
    assert plan.todos == (
        Todo("T001", "Make the project", "completed"),
        Todo("T002", "Set up: lint", "pending", (), (Extra("parallel", "parallel: true"),)),
        Todo(
            "T003",
            "Test it in tests/a.py",
            "pending",
            (),
            (Extra("parallel", "parallel: true"), Extra("story", "story: US1")),
        ),
    )
    assert plan.phases == (Phase("Phase 1: Setup", ("T001", "T002")), Phase("Phase 2: Story", ("T003",)))
    assert read_plan_file(write_plan_file(plan)) == plan


@pytest.mark.parametrize(
    "text", ["# Fix it\n\n1. Look\n2. Leap\n", "[a link](b) first\n\n# Fix it\n", "[[wiki]]\n# Fix it\n"]
)
def test_claude_code(text: str) -> None:
    """Plain Markdown is the plan as it is."""
    plan = import_plan(text.encode())
    assert (plan.name, plan.body, plan.todos) == ("Fix it", text, ())
