"""A plan and its file are brought into step: what each side changed, what both did, what cannot be read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from plangate.folder.files import PART, Directory
from plangate.planfile.model import Extra, Todo
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.todo_tools_pb2 import TodoStatus
from tests.helpers.folders import Desk, Mortal
from tests.helpers.full_disk import little_room_for_files

DONE = TodoStatus.TODO_STATUS_COMPLETED


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A folder with a plan that is in step."""
    desk = Desk(tmp_path / "plans")
    desk.propose()
    desk.look()
    return desk


def at_rest(desk: Desk) -> bool:
    return desk.look() == 0


def test_a_plan_gets_its_file(desk: Desk) -> None:
    """Under its name, with all that it says, and then there is nothing more to do."""
    assert [file.name for file in desk.path.glob("*.md")] == [desk.plan.file_name]
    assert (desk.read().body, [todo.id for todo in desk.read().todos]) == (desk.plan.plan, ["sort", "sweep"])
    assert at_rest(desk)
    assert desk.told == []


def test_what_the_agent_writes_gets_into_the_file(desk: Desk) -> None:
    """A new revision, and how far the todos have come."""
    desk.revise("# Tidy half of it\n")
    desk.progress("sort", DONE)
    desk.look()
    assert (desk.read().body, desk.read().todos[0].status) == ("# Tidy half of it\n", "completed")
    assert at_rest(desk)


def test_what_a_person_writes_becomes_a_revision(desk: Desk) -> None:
    """The whole content: also that there are no todos any more; nothing is approved."""
    before = desk.file.read_bytes()
    desk.edit(body="# Leave it\n", todos=(), overview="Why not")
    written = desk.file.read_bytes()
    desk.look()
    plan = desk.plan
    assert (plan.revision, plan.plan, plan.overview, len(plan.todos)) == (2, "# Leave it\n", "Why not", 0)
    assert not plan.review.decisions
    assert desk.file.read_bytes() == written != before
    assert at_rest(desk)


def test_keys_comments_and_line_ends_of_a_person_stay(desk: Desk) -> None:
    """Through edits of either side: they are no content of the plan, and nobody's but the person's."""
    extra, comment = Extra("owner", "owner: ada # and bob"), "# look here"
    todos = tuple(Todo(t.id, t.content, extras=(Extra("hours", "hours: 3"),)) for t in desk.read().todos[:1])
    desk.edit(extras=(extra,), comments=(comment,), todos=todos, newline="\r\n", bom=True)
    desk.look()
    assert desk.plan.revision == 2  # a todo went
    desk.revise("# Other words\n")
    desk.progress("sort", DONE)
    desk.look()
    file = desk.read()
    assert (file.body, file.todos[0].status) == ("# Other words\n", "completed")
    assert (file.extras, file.comments, file.todos[0].extras) == (
        (extra,),
        (comment,),
        (Extra("hours", "hours: 3"),),
    )
    assert (file.newline, file.bom) == ("\r\n", True)


def test_another_layout_is_no_revision(desk: Desk) -> None:
    """The file stays byte for byte as the person wrote it."""
    desk.file.write_bytes(desk.file.read_bytes().replace(b'overview: ""', b"overview:   ''  # none"))
    mine = desk.file.read_bytes()
    desk.look()
    assert (desk.plan.revision, desk.file.read_bytes()) == (1, mine)
    assert at_rest(desk)


def test_a_status_in_a_file_is_put_back(desk: Desk) -> None:
    """It is progress, which agents report, and it is said."""
    first, *rest = desk.read().todos
    desk.edit(todos=(Todo(first.id, first.content, "completed"), *rest))
    desk.look()
    assert (desk.plan.revision, desk.read().todos[0].status) == (1, "pending")
    assert "progress, which agents report" in desk.told[0]
    assert at_rest(desk)


def test_a_status_word_of_a_persons_own_stays(desk: Desk) -> None:
    """The gate takes it as pending, and so it is, until the agent reports something."""
    first, *rest = desk.read().todos
    desk.edit(todos=(Todo(first.id, first.content, "blocked"), *rest))
    desk.look()
    assert (desk.read().todos[0].status, desk.plan.revision) == ("blocked", 1)
    desk.progress("sort", DONE)
    desk.look()
    assert desk.read().todos[0].status == "completed"


def test_when_both_changed_both_are_kept(desk: Desk) -> None:
    """The gate's text is in the file, the person's beside it, named after the revision it was made from."""
    desk.edit(body="# As I want it\n")
    mine = desk.file.read_bytes()
    desk.revise("# As the agent wants it\n")
    desk.look()
    aside = desk.path / desk.file.name.replace(".plan.md", ".conflict-1.plan.md")
    assert (desk.read().body, aside.read_bytes()) == ("# As the agent wants it\n", mine)
    assert (desk.plan.revision, desk.told) == (2, [f"{desk.file.name}: {told_of(aside)}"])
    assert at_rest(desk)


def told_of(aside: Path) -> str:
    return f"the plan has changed at the gate, too: your text is in {aside.name}"


def test_a_second_conflict_takes_another_name(desk: Desk) -> None:
    """No text that was set aside is ever replaced."""
    endings = (".conflict-1.plan.md", ".conflict-1-2.plan.md", ".conflict-1-3.plan.md")
    first, second, third = (desk.path / desk.file.name.replace(".plan.md", each) for each in endings)
    first.write_text("somebody's")
    second.symlink_to("nowhere")
    desk.edit(body="# As I want it\n")
    desk.revise("# As the agent wants it\n")
    desk.look()
    assert (first.read_text(), second.is_symlink()) == ("somebody's", True)
    assert b"# As I want it" in third.read_bytes()


def test_the_same_change_on_both_sides_is_no_conflict(desk: Desk) -> None:
    """Both wrote the same: there is nothing to keep apart."""
    desk.edit(body="# The same\n")
    desk.revise("# The same\n")
    desk.look()
    assert (desk.plan.revision, desk.told) == (2, [])
    assert at_rest(desk)


def test_a_deleted_file_comes_back_with_the_next_revision(desk: Desk) -> None:
    """Deleting withdraws nothing, and progress alone does not bring it back."""
    desk.file.unlink()
    desk.progress("sort", DONE)
    assert at_rest(desk)
    assert not desk.file.exists()
    desk.revise("# Other words\n")
    desk.look()
    assert desk.read().body == "# Other words\n"


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (b"", "line 1: there is no front matter"),
        (b"# Only a text\n", "line 1: there is no front matter"),
        (b"---\nname: Cellar\ntodos:\n", "line 1: front matter begins here and does not end"),
        (b"---\nname: Cellar\ntodos: []\n---\n", "line 5: there is no text"),
        (b"---\nname: a\nname: b\n---\n\n# Text\n", "line 3: "),
        (b"\xff\xfe", "line 1: this is UTF-16"),
    ],
)
def test_what_cannot_be_read_is_left_alone(desk: Desk, broken: bytes, words: str) -> None:
    """Also when the gate moves on: with its line and the reason, said once for what it holds."""
    desk.file.write_bytes(broken)
    with desk.keeper(Mortal()) as keeper:
        for _ in range(2):
            keeper.look(desk.plan)
        desk.revise("# Other words\n")
        keeper.look(desk.plan)
        assert (desk.file.read_bytes(), desk.plan.revision) == (broken, 2)
        assert len(desk.told) == 1
        assert desk.told[0].startswith(f"{desk.file.name}: {words}")
        desk.file.write_bytes(broken + b"\n")
        keeper.look(desk.plan)
        assert len(desk.told) == 2


def test_an_edit_that_the_gate_refuses_is_left_alone(desk: Desk) -> None:
    """The file stays, and the gate's words say what to mend."""
    first, *rest = desk.read().todos
    desk.edit(todos=(Todo(first.id, first.content, dependencies=("nobody",)), *rest))
    mine = desk.file.read_bytes()
    desk.look()
    assert (desk.file.read_bytes(), desk.plan.revision) == (mine, 1)
    assert "the gate does not take it" in desk.told[0]
    assert "nobody" in desk.told[0]


def test_another_name_is_another_file(desk: Desk) -> None:
    """The old one goes with it, unless somebody has changed it meanwhile."""
    old = desk.file
    desk.edit(name="Attic")
    desk.look()
    assert desk.plan.name == "Attic"
    assert desk.file != old
    assert (desk.file.exists(), old.exists()) == (True, False)
    assert at_rest(desk)


def test_a_file_in_the_way_of_another_name_is_left_alone(desk: Desk) -> None:
    """It is somebody's, and the plan keeps the file that it has."""
    old = desk.file
    desk.revise("", name="Attic")
    desk.file.write_text("mine")
    desk.look()
    assert (desk.file.read_text(), old.exists()) == ("mine", True)
    assert "move this file away" in desk.told[0]


@pytest.mark.parametrize("kind", ["link to a file", "link to nowhere", "directory", "pipe"])
def test_what_is_no_file_is_neither_followed_nor_replaced(desk: Desk, tmp_path: Path, kind: str) -> None:
    """Whatever it leads to is neither read nor written."""
    outside = tmp_path / "outside"
    outside.write_text("not yours")
    desk.file.unlink()
    match kind:
        case "link to a file":
            desk.file.symlink_to(outside)
        case "link to nowhere":
            desk.file.symlink_to(tmp_path / "nowhere")
        case "directory":
            desk.file.mkdir()
        case "pipe":
            os.mkfifo(desk.file)
    desk.revise("# Other words\n")
    desk.look()
    assert not desk.file.is_file() or desk.file.is_symlink()
    assert (outside.read_text(), (tmp_path / "nowhere").exists()) == ("not yours", False)
    assert len(desk.told) == 1


def test_a_file_that_was_there_before_is_kept(tmp_path: Path) -> None:
    """Of what the folder knows nothing, it takes nothing for the gate's: the text is set aside."""
    desk = Desk(tmp_path)
    plan = desk.propose()
    desk.file.write_bytes(b"---\nname: Cellar\ntodos: []\n---\n\n# Somebody's\n")
    mine = desk.file.read_bytes()
    desk.look()
    aside = desk.path / plan.file_name.replace(".plan.md", ".conflict-0.plan.md")
    assert (aside.read_bytes(), desk.read().body) == (mine, plan.plan)


def test_plans_that_ended_before_get_no_file(tmp_path: Path) -> None:
    """A folder does not fill up with what is over; what it has a file of is followed to the end."""
    desk = Desk(tmp_path)
    with desk.gate.client() as client:
        client.withdraw(desk.propose())
    desk.look()
    assert [*desk.path.glob("*.plan.md")] == []


def test_an_edit_right_behind_a_write_is_an_edit(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever saves in the moment in which the file was written has seen what was written."""
    put = Directory.put

    def put_and_edit(self: Directory, name: str, *rest: Any) -> None:
        put(self, name, *rest)
        if name == desk.file.name:
            monkeypatch.undo()
            desk.edit(body="# Faster than the eye\n")

    desk.revise("# Other words\n")
    monkeypatch.setattr(Directory, "put", put_and_edit)
    desk.look()
    desk.look()
    assert (desk.plan.revision, desk.plan.plan, desk.told) == (3, "# Faster than the eye\n", [])


def test_a_save_between_look_and_write_is_not_written_over(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was looked at is not there any more: the write waits for the next look, which finds both."""
    write = Directory._write

    def edit_and_write(self: Directory, name: str, data: bytes, mode: int | None) -> None:
        write(self, name, data, mode)
        if b"# Other words" in data:
            monkeypatch.undo()
            desk.edit(body="# Mine\n")

    desk.revise("# Other words\n")
    monkeypatch.setattr(Directory, "_write", edit_and_write)
    desk.look()
    assert desk.read().body == "# Mine\n"
    desk.look()
    assert desk.read().body == "# Other words\n"
    assert "# Mine" in desk.texts()


def test_a_full_disk_leaves_nothing_half_written(desk: Desk) -> None:
    """The file stays as it was, nothing fills the disk further, and with room again the plan gets there."""
    before = desk.file.read_bytes()
    desk.revise(f"# Other words\n\n{'x' * 20_000}\n")
    with little_room_for_files(10_000), pytest.raises(OSError, match="File too large"):
        desk.look()
    assert desk.file.read_bytes() == before
    assert [file.name for file in desk.path.rglob(f"*{PART}")] == []
    desk.look()
    assert desk.read().body == desk.plan.plan


def test_who_may_read_a_file_stays(desk: Desk) -> None:
    """A file that its person has closed to others is not opened again by writing it."""
    desk.file.chmod(0o600)
    desk.revise("# Other words\n")
    desk.look()
    assert desk.file.stat().st_mode & 0o777 == 0o600


ELSEWHERE = [{"plan_id": "../../escaped"}, {"plan_id": ""}, {"file_name": "../escaped.plan.md"}]


def renamed(plan: Plan, changes: dict[str, str]) -> Plan:
    """The plan as a gate tells it that means no good."""
    told = Plan()
    told.CopyFrom(plan)
    for field, words in changes.items():
        setattr(told, field, words)
    return told


def below(folder: Path) -> set[Path]:
    return {*folder.rglob("*")}


@pytest.mark.parametrize("changes", ELSEWHERE)
def test_what_a_gate_calls_a_plan_leads_nowhere_else(
    tmp_path: Path, changes: dict[str, str], desk: Desk
) -> None:
    """Neither its file nor what is remembered of it: it has none, and it is said."""
    before = below(tmp_path)
    other = renamed(desk.propose(name="Attic"), changes)
    with desk.keeper(Mortal()) as keeper:
        keeper.look(other)
    assert below(tmp_path) == before
    assert len(desk.told) == 1


@pytest.mark.parametrize("also", ["the agent revises", "nobody else does anything"])
@pytest.mark.parametrize("changes", ELSEWHERE)
def test_nor_what_it_calls_the_plan_later(
    tmp_path: Path, desk: Desk, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str], also: str
) -> None:
    """Also when it is asked again, after an edit that it took or that came too late."""
    desk.edit(body="# Mine\n")
    plan = desk.plan
    if also == "the agent revises":
        desk.revise("# The agent's\n", name="Attic")
    before = below(tmp_path)
    with desk.keeper(Mortal()) as keeper:
        get_plan = keeper.gate.get_plan
        monkeypatch.setattr(keeper.gate, "get_plan", lambda plan: renamed(get_plan(plan), changes))
        keeper.look(plan)
    assert below(tmp_path) == before
    assert len(desk.told) == 1
    desk.look()
    assert "# Mine" in desk.texts()


def test_two_plans_never_share_a_file(desk: Desk) -> None:
    """What one says would become what the other says: the second has none, and it is said."""
    other = Plan()
    other.CopyFrom(desk.plan)
    other.plan_id, other.plan = "f" * 32, "# Something else\n"
    before = desk.file.read_bytes()
    with desk.keeper(Mortal()) as keeper:
        keeper.look(other)
    assert desk.file.read_bytes() == before
    assert desk.told == [f"{other.plan_id}: {desk.file.name} is the file of another plan: this one has none"]
