"""`plangate sync`: a real folder, a real gate, and whatever tells of changes of files on this system."""

from __future__ import annotations

import re
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from plangate import Client, errors
from plangate.cli import sync
from plangate.planfile import read_plan_file
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus
from tests.helpers.command_line import MAIN, CommandLine, Running
from tests.helpers.conditions import PATIENCE, look_until
from tests.helpers.gate_process import gate_process

pytestmark = pytest.mark.e2e

IN_REVIEW = PlanState.PLAN_STATE_IN_REVIEW
PATIENT = f"from plangate.cli import sync; sync.CALL_SECONDS = {PATIENCE}\n{MAIN}"
# No file is quiet until one is there that says so. When a file is heard of, its size is printed.
UNTIL_WRITTEN = f"""
import os, time
from types import SimpleNamespace
from plangate.folder import running

HOURS = 24 * 3600
wait_for = running.Sync._wait_for

def ahead():
    if not os.path.exists('written'):
        return 0
    running.QUIET_SECONDS = 0.3
    return 2 * HOURS

def telling(sync, name):
    wait_for(sync, name)
    stamp, _ = sync._files[name]
    print(stamp.size if stamp else 0, flush=True)

running.QUIET_SECONDS = HOURS
running.Sync._wait_for = telling
running.time = SimpleNamespace(
    monotonic=lambda: time.monotonic() + ahead(), time_ns=lambda: time.time_ns() + ahead() * 10**9
)
{PATIENT}"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "plans"


@pytest.fixture
def own_gate(tmp_path: Path) -> Iterator[CommandLine]:
    """A gate whose plans are all of this test."""
    with gate_process(tmp_path) as address:
        yield CommandLine(address, tmp_path)


@pytest.fixture
def desk(own_gate: CommandLine) -> Iterator[Client]:
    with Client(own_gate.target) as client:
        yield client


@pytest.fixture
def running(own_gate: CommandLine, folder: Path) -> Iterator[Running]:
    with own_gate.started("sync", str(folder), main=PATIENT) as running:
        look_until((folder / ".plangate" / "lock").exists)
        yield running


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside the tests, the gate is waited for as long as it takes."""
    monkeypatch.setattr(sync, "CALL_SECONDS", PATIENCE)


def proposed(desk: Client, text: str = "# Tidy the cellar\n", **fields: object) -> Plan:
    return desk.create_plan(text, name="Cellar", todos=["sort", "sweep"], **fields)  # type: ignore[arg-type]


def says(file: Path, words: str) -> bool:
    return file.exists() and words in file.read_text()


def by_rename(file: Path, text: str) -> None:
    """As most editors save."""
    part = file.with_name(f".{uuid.uuid4().hex}")
    part.write_text(text)
    part.rename(file)


def in_place(file: Path, text: str) -> None:
    """As the others do: the file is empty for a moment."""
    file.write_text(text)


def test_once_brings_both_into_step(own_gate: CommandLine, desk: Client, folder: Path) -> None:
    """Files for plans, revisions for edits; the author is the person, and nothing is approved."""
    plan = proposed(desk)
    done = own_gate("sync", str(folder), "--once")
    assert (done.code, done.out, done.err) == (0, "", "")
    file = folder / plan.file_name
    file.write_text(file.read_text().replace("# Tidy", "# Leave"))
    assert own_gate("sync", str(folder), "--once").code == 0
    now = desk.get_plan(plan)
    assert (now.plan, now.state, now.edited_by[-1]) == ("# Leave the cellar\n", IN_REVIEW, "ada")


@pytest.mark.parametrize("save", [by_rename, in_place])
def test_an_edit_becomes_a_revision(
    running: Running, desk: Client, folder: Path, save: Callable[[Path, str], None]
) -> None:
    """Saved in whichever way, while it runs, and what agents do next gets into the same file."""
    plan = proposed(desk)
    file = folder / plan.file_name
    look_until(lambda: says(file, "# Tidy"))
    save(file, file.read_text().replace("# Tidy", "# Leave"))
    look_until(lambda: desk.get_plan(plan).revision == 2)
    now = desk.get_plan(plan)
    assert (now.plan, now.state) == ("# Leave the cellar\n", IN_REVIEW)
    desk.decide(now, "approve")
    with desk.build(desk.wait(now)) as build:
        build.done("todo-1")
        look_until(lambda: says(file, "status: completed"))
        build.fail()
    assert len(list(folder.glob("*.plan.md"))) == 1


def test_a_half_written_file_is_no_revision(own_gate: CommandLine, desk: Client, folder: Path) -> None:
    """However slowly it is written, a revision has all of it."""
    plan = proposed(desk, "# Tidy the cellar\n\nAnd the attic.\n")
    file = folder / plan.file_name
    with own_gate.started("sync", str(folder), main=UNTIL_WRITTEN) as running:
        look_until(lambda: says(file, "attic"))
        whole = file.read_text().replace("# Tidy", "# Leave")
        half = whole[: -len("And the attic.\n")]
        with file.open("w") as writing:
            for text in (half, whole[len(half) :]):
                writing.write(text)
                writing.flush()
                while running.line() != str(file.stat().st_size):
                    """It has not heard of this part yet."""
                assert desk.get_plan(plan).revision == 1
        (own_gate.folder / "written").touch()
        look_until(lambda: desk.get_plan(plan).revision == 2)
    assert desk.get_plan(plan).plan == "# Leave the cellar\n\nAnd the attic.\n"
    assert [each.revision for each in desk.revisions(plan)] == [1, 2]


def test_what_cannot_be_read_is_said_and_left(running: Running, desk: Client, folder: Path) -> None:
    """One line on standard error, with the line of the file and the reason, visible whatever it holds."""
    plan = proposed(desk)
    file = folder / plan.file_name
    look_until(file.exists)
    by_rename(file, "---\nname: \x1b[31mred\ntodos: []\n---\n\n# Text\n")
    assert re.fullmatch(rf"plangate: {re.escape(file.name)}: line 2: U\+001B .*", running.error_line())
    assert desk.get_plan(plan).revision == 1


def test_a_file_of_nobodys_plan_is_said(running: Running, folder: Path) -> None:
    """It is not proposed by itself: saving a file asks nobody."""
    (folder / "mine.plan.md").write_text("# Mine\n")
    assert (
        "mine.plan.md: this is no file of a plan, and is left alone: 'plangate import'"
        in running.error_line()
    )


def test_a_second_one_is_refused(running: Running, own_gate: CommandLine, folder: Path) -> None:
    """A folder has one keeper, or both would answer the same edit."""
    assert own_gate("sync", str(folder), "--once").complaint.endswith("by another process already")


def test_edits_made_meanwhile_are_found(own_gate: CommandLine, desk: Client, folder: Path) -> None:
    """Killed without a word, it goes on where it was: what each side did in between is found."""
    plan, other = proposed(desk), proposed(desk, "# The attic\n")
    with own_gate.started("sync", str(folder)) as running:
        look_until(lambda: len(list(folder.glob("*.plan.md"))) == 2)
        running.process.kill()
        running.process.wait()
    file = folder / plan.file_name
    file.write_text(file.read_text().replace("# Tidy", "# Leave"))
    desk.update_plan(other, "# The attic, all of it\n")
    with own_gate.started("sync", str(folder)):
        look_until(lambda: desk.get_plan(plan).plan == "# Leave the cellar\n")
        look_until(lambda: says(folder / other.file_name, "all of it"))
    assert not list(folder.glob("*.conflict-*"))


def test_both_at_once_are_both_kept(own_gate: CommandLine, desk: Client, folder: Path) -> None:
    """The person's text is beside the gate's, and one line says where; scripts see it by the exit code."""
    plan = proposed(desk)
    assert own_gate("sync", str(folder), "--once").code == 0
    file = folder / plan.file_name
    file.write_text(file.read_text().replace("# Tidy", "# Leave"))
    desk.update_plan(plan, "# Paint the cellar\n")
    done = own_gate("sync", str(folder), "--once")
    aside = file.with_name(file.name.replace(".plan.md", ".conflict-1.plan.md"))
    assert done.code == 1
    assert done.err == (
        f"plangate: {file.name}: the plan has changed at the gate, too: your text is in {aside.name}\n"
    )
    assert (says(file, "# Paint"), says(aside, "# Leave")) == (True, True)


def test_only_what_was_approved_gets_into_its_file(
    own_gate: CommandLine, desk: Client, folder: Path, tmp_path: Path
) -> None:
    """As it was approved, whole; not what is proposed after it, and not an older approval."""
    target = tmp_path / "PLAN.md"

    def text() -> str:
        assert own_gate("sync", str(folder), "--once", "--approved-to", str(target)).code == 0
        return target.read_text() if target.exists() else ""

    plan, other = proposed(desk), proposed(desk, "# The attic\n")
    assert text() == ""
    desk.decide(plan, "approve")
    assert text() == "# Tidy the cellar\n"
    desk.decide(other, "edit", edited="# The attic, as I want it\n")
    assert text() == "# The attic, as I want it\n"
    desk.update_plan(desk.get_plan(other), "# The attic, as nobody wants it\n")
    assert text() == "# The attic, as I want it\n"
    target.unlink()
    target.symlink_to(tmp_path / "elsewhere")
    desk.decide(desk.get_plan(other), "approve")
    assert own_gate("sync", str(folder), "--once", "--approved-to", str(target)).code == 1
    assert not (tmp_path / "elsewhere").exists()


def test_the_approved_text_needs_no_folder(own_gate: CommandLine, desk: Client, tmp_path: Path) -> None:
    """One file, of all plans or of a session; what is in its way is told, and left alone."""
    target = tmp_path / "PLAN.md"
    once = ("sync", "--once", "--approved-to", str(target))
    ours = desk.create_plan("# Ours\n", session_id="s")
    desk.decide(ours, "approve")
    desk.decide(proposed(desk), "approve")
    assert own_gate(*once).code == 0
    assert target.read_text() == "# Tidy the cellar\n"
    assert own_gate(*once, "--approved-session", "s").code == 0
    assert target.read_text() == "# Ours\n"
    target.unlink()
    target.symlink_to(tmp_path / "elsewhere")
    done = own_gate(*once)
    assert done.code == 1
    assert done.err.endswith(
        "PLAN.md: the approved text is not written: it is a symbolic link, which is not followed\n"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "name a folder, or a file for what was approved (--approved-to FILE)"),
        (("plans", "--approved-session", "s"), "--approved-session goes with --approved-to FILE"),
    ],
)
def test_what_does_nothing_is_refused(own_gate: CommandLine, arguments: tuple[str, ...], words: str) -> None:
    """Nobody should believe that it does something."""
    done = own_gate("sync", *arguments)
    assert (done.code, words in done.err) == (2, True)


def test_what_was_approved_and_built_meanwhile_gets_there_too(
    own_gate: CommandLine, desk: Client, folder: Path, tmp_path: Path
) -> None:
    """It was approved last; and what somebody wrote into the file by hand is kept beside it, and told."""
    target = tmp_path / "PLAN.md"
    target.write_text("mine")
    desk.decide(proposed(desk), "approve")
    quick = proposed(desk, "# The attic\n")
    desk.decide(quick, "approve")
    with desk.build(desk.wait(quick)) as build:
        build.done("todo-1", "todo-2")
    assert desk.get_plan(quick).state == PlanState.PLAN_STATE_COMPLETED
    done = own_gate("sync", str(folder), "--once", "--approved-to", str(target))
    assert target.read_text() == "# The attic\n"
    assert (tmp_path / "PLAN.conflict-0.md").read_text() == "mine"
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert done.err.endswith(": only what was approved is in this file: your text is in PLAN.conflict-0.md\n")
    again = own_gate("sync", str(folder), "--once", "--approved-to", str(target))
    assert (again.code, again.err) == (0, "")


def test_a_gate_that_is_away_is_waited_for(tmp_path: Path, folder: Path) -> None:
    """At the start and in between: it says so once, and catches up by itself."""
    listen = f"unix:{tmp_path / 'gate.sock'}"
    plangate = CommandLine(listen, tmp_path)
    with plangate.started("sync", str(folder)) as running:
        assert running.error_line().endswith("; trying again")
        with served(tmp_path, listen), Client(listen) as desk:
            plan = retried(desk)
            file = folder / plan.file_name
            look_until(file.exists)
        assert running.error_line() == "plangate: the gate is back"
        by_rename(file, file.read_text().replace("# Tidy", "# Leave"))
        assert running.error_line().endswith("; trying again")
        with served(tmp_path, listen), Client(listen) as desk:
            look_until(lambda: read(desk, plan) == "# Leave the cellar\n")
    assert read_plan_file(file.read_bytes()).body == "# Leave the cellar\n"


@contextmanager
def served(folder: Path, listen: str) -> Iterator[None]:
    """A gate at an address that is known before it is there."""
    command = [sys.executable, "-m", "plangate_server", "--listen", listen, "--web-listen", "127.0.0.1:0"]
    command += ["--database", f"sqlite:///{folder / 'plangate.db'}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.terminate()


def retried(desk: Client) -> Plan:
    found: list[Plan] = []

    def tried() -> bool:
        try:
            found.append(proposed(desk))
        except errors.GateUnreachable:
            return False
        return True

    look_until(tried)
    return found[0]


def read(desk: Client, plan: Plan) -> str:
    try:
        return desk.get_plan(plan).plan
    except errors.GateUnreachable:
        return ""


def test_who_watches_a_folder_is_no_reviewer(running: Running, desk: Client, folder: Path) -> None:
    """An agent that demands somebody who looks is told that nobody does."""
    plan = proposed(desk)
    look_until((folder / plan.file_name).exists)
    with pytest.raises(errors.NoReviewer):
        proposed(desk, require_reviewer=True)


def test_progress_is_followed(running: Running, desk: Client, folder: Path) -> None:
    """And a status that a person writes into the file is put back."""
    plan = proposed(desk)
    file = folder / plan.file_name
    look_until(file.exists)
    todo = TodoItem(id="todo-1", status=TodoStatus.TODO_STATUS_IN_PROGRESS)
    desk.update_todos(plan, [todo])
    look_until(lambda: says(file, "status: in_progress"))
    by_rename(file, file.read_text().replace("in_progress", "completed"))
    assert "progress, which agents report" in running.error_line()
    assert says(file, "status: in_progress")
    assert desk.get_plan(plan).revision == 1
