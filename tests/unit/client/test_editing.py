"""A plan in a person's editor: what comes back, what is refused, and that no edit is lost."""

import os
import shlex
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from plangate._editing import CannotEdit, PlanEdit
from plangate_proto.agent.v1.create_plan_tool_pb2 import Phase
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.todo_tools_pb2 import TODO_STATUS_COMPLETED, TODO_STATUS_PENDING, TodoItem

TODOS = (
    TodoItem(id="sort", content="sort the boxes", status=TODO_STATUS_COMPLETED),
    TodoItem(id="sweep", content="sweep the floor", status=TODO_STATUS_PENDING, dependencies=["sort"]),
)
PLAN = Plan(
    plan_id="0" * 24 + "1234abcd",
    name="Tidy the cellar",
    overview="Before winter",
    plan="# Tidy the cellar\n\nSort, then sweep.\n",
    todos=TODOS,
    phases=[Phase(name="first", todos=TODOS[:1])],
    is_project=True,
    is_spec=True,
    revision=3,
)


@pytest.fixture
def edit() -> Iterator[PlanEdit]:
    begun = PlanEdit(PLAN)
    yield begun
    begun.forget()


def change(edit: PlanEdit, old: str, new: str) -> None:
    text = edit.path.read_text(encoding="utf-8")
    assert old in text
    edit.path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_changed_file_becomes_what_the_gate_takes(edit: PlanEdit) -> None:
    """All of the plan is in it, changed or not; how far todos are is not for an edit to say."""
    change(edit, "Sort, then sweep.", "Sort, then sweep twice.")
    change(edit, "content: sweep the floor", "content: sweep the floor twice")
    edited = edit.read()
    assert edited is not None
    assert edited.plan == "# Tidy the cellar\n\nSort, then sweep twice.\n"
    assert (edited.name, edited.overview) == ("Tidy the cellar", "Before winter")
    assert [(t.id, t.content, list(t.dependencies), t.status) for t in edited.todos] == [
        ("sort", "sort the boxes", [], ""),
        ("sweep", "sweep the floor twice", ["sort"], ""),
    ]
    assert [(phase.name, [todo.id for todo in phase.todos]) for phase in edited.phases] == [
        ("first", ["sort"])
    ]
    assert edited.is_project
    assert edited.is_spec


def test_a_file_that_nobody_changed_is_no_edit(edit: PlanEdit) -> None:
    """Nothing is sent."""
    assert edit.read() is None


def test_an_editor_that_ends_the_last_line_changes_nothing() -> None:
    """Most do, also if the agent did not."""
    edit = PlanEdit(Plan(name="A", plan="# A"))
    edit.path.write_bytes(edit.path.read_bytes() + b"\n")
    assert edit.read() is None
    edit.forget()


def test_what_was_changed_can_be_shown(edit: PlanEdit) -> None:
    """Line by line, before anybody decides."""
    change(edit, "Sort, then sweep.", "Only sweep.")
    told = edit.diff()
    assert told[:2] == ["--- revision 3", "+++ as edited"]
    assert "-Sort, then sweep." in told
    assert "+Only sweep." in told


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("name: Tidy", "name: [Tidy", "line 3: between two entries"),
        ("---\nname", "name", "line 1: the front matter is gone"),
        ("# Tidy the cellar\n\nSort, then sweep.\n", "", "the text is gone: write one"),
        ("isSpec: true", "isSpec: true\nowner: ada", "'owner' is no part of a plan"),
        ("isSpec: true", "isSpec: true\n# later", "'# later' is a comment"),
        ("status: pending", "status: completed", "todo 'sweep' is pending"),
        ("status: completed", "status: pending", "todo 'sort' is completed"),
        ("    content: sort the", "    owner: ada\n    content: sort the", "'owner' is no part of a plan"),
    ],
)
def test_what_would_not_arrive_is_refused(edit: PlanEdit, old: str, new: str, words: str) -> None:
    """With the place and what to do; the file is as the person left it."""
    change(edit, old, new)
    left = edit.path.read_bytes()
    with pytest.raises(CannotEdit) as refusal:
        edit.read()
    assert words in str(refusal.value)
    assert str(edit.path) in str(refusal.value)
    assert edit.path.read_bytes() == left


def test_all_but_the_text_can_be_taken_away(edit: PlanEdit) -> None:
    """The file is the whole plan: what is no longer there is no longer wanted."""
    edit.path.write_text("---\nname: Tidy the cellar\n---\n\n# Tidy the cellar\n", encoding="utf-8")
    edited = edit.read()
    assert edited is not None
    assert (edited.name, edited.plan, edited.overview) == ("Tidy the cellar", "# Tidy the cellar\n", "")
    assert (len(edited.todos), len(edited.phases)) == (0, 0)
    assert (edited.is_project, edited.is_spec) == (False, False)


def test_the_editor_is_the_persons_own(edit: PlanEdit, tmp_path: Path) -> None:
    """VISUAL before EDITOR, with its arguments; it gets a file that only they can read."""
    script = tmp_path / "my editor.py"
    script.write_text("import sys\nwith open(sys.argv[2], 'a') as file: file.write(sys.argv[1])\n")
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))} Done."
    edit.open_editor({"VISUAL": command, "EDITOR": "false"})
    assert edit.path.read_text(encoding="utf-8").endswith("Sort, then sweep.\nDone.")
    assert edit.path.name == "tidy_the_cellar_1234abcd.plan.md"
    assert stat.S_IMODE(edit.path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("false", "ended with 1, so nothing was taken"),
        ("no-such-editor-anywhere", "does not start"),
        ("'never closed", "does not start"),
    ],
)
def test_an_editor_that_fails_is_told(edit: PlanEdit, command: str, words: str) -> None:
    """Nothing is taken from the file."""
    with pytest.raises(CannotEdit, match=words):
        edit.open_editor({"EDITOR": command, "PATH": os.environ["PATH"]})


def test_a_file_that_was_removed_is_told() -> None:
    """It is no edit, and no yes."""
    edit = PlanEdit(PLAN)
    edit.path.unlink()
    with pytest.raises(CannotEdit, match="No such file"):
        edit.read()
    edit.forget()


def test_forgetting_leaves_nothing_behind() -> None:
    """A plan can hold what nobody else should read."""
    edit = PlanEdit(PLAN)
    edit.forget()
    assert not edit.path.parent.exists()
