"""A process that keeps a folder in step may die at any moment: nothing is lost, and the next one goes on."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from plangate.folder.files import PART
from plangate_proto.agent.v1.todo_tools_pb2 import TodoStatus
from tests.helpers.folders import Dead, Desk, Mortal
from tests.helpers.profiles import examples

DONE = TodoStatus.TODO_STATUS_COMPLETED
Change = Callable[[Desk], object]


def both(desk: Desk) -> None:
    desk.edit(body="# Mine\n")
    desk.revise("# The agent's\n")


CHANGES: dict[str, Change] = {
    "a new plan": lambda desk: desk.propose("# Another plan\n", name="Attic"),
    "a revision": lambda desk: desk.revise("# The agent's\n"),
    "progress": lambda desk: desk.progress("sort", DONE),
    "an edit": lambda desk: desk.edit(body="# Mine\n", todos=()),
    "another name": lambda desk: desk.edit(body="# Mine\n", name="Attic"),
    "a revision with another name": lambda desk: desk.revise("# The agent's\n", name="Attic"),
    "both": both,
}


OF_A_PERSON = {"an edit", "another name", "both"}


def begun(folder: Path) -> Desk:
    desk = Desk(folder)
    desk.propose()
    desk.look()
    return desk


def died(desk: Desk, dies_before: int) -> bool:
    """A process looks; whether it died over it."""
    try:
        desk.look(Mortal(dies_before))
    except Dead:
        return True
    return False


def in_step(desk: Desk) -> bool:
    """The file says what the gate says, the next process finds nothing to do, and nothing is half written."""
    same = desk.read().body == desk.plan.plan and desk.look() == 0
    return same and not [*(desk.path / ".plangate").glob(f"*{PART}")]


@pytest.mark.parametrize("change", CHANGES)
def test_between_any_two_steps(tmp_path: Path, change: str) -> None:
    """Whichever step the process did not come to, the next one goes on, and nothing is lost."""
    for dies_before in range(1, 100):
        desk = begun(tmp_path / str(dies_before))
        CHANGES[change](desk)
        over = not died(desk, dies_before)
        desk.look()
        assert in_step(desk)
        texts = desk.texts()
        assert ("# Mine" in texts) == (change in OF_A_PERSON)
        assert len([*desk.path.glob("*.conflict-*")]) == (change == "both")
        if over:
            return
    raise AssertionError("it has more steps than any look can have")


def test_an_edit_that_was_heard_is_not_made_twice(tmp_path: Path) -> None:
    """The process died before the answer came, and the agent went on from the edit: that is no conflict."""
    desk = begun(tmp_path / "plans")
    desk.edit(body="# Mine\n")
    dies_before = next(n for n in range(1, 100) if _dies_after_sending(tmp_path / str(n), n))
    assert died(desk, dies_before)
    assert desk.plan.revision == 2
    desk.revise("# The agent's, after mine\n")
    desk.look()
    assert (desk.plan.revision, desk.read().body) == (3, "# The agent's, after mine\n")
    assert [*desk.path.glob("*.conflict-*")] == []
    assert in_step(desk)


def _dies_after_sending(folder: Path, dies_before: int) -> bool:
    desk = begun(folder)
    desk.edit(body="# Mine\n")
    return died(desk, dies_before) and desk.plan.revision == 2


LIFE: dict[str, Callable[[Desk, int], object]] = {
    "revise": lambda desk, n: desk.revise(f"# The agent's {n}.\n"),
    "rename": lambda desk, n: desk.revise("", name=f"Name {n}"),
    "progress": lambda desk, n: desk.progress("sort", DONE if n % 2 else TodoStatus.TODO_STATUS_PENDING),
    "edit": lambda desk, n: desk.edit(body=f"# Mine {n}.\n"),
    "call it": lambda desk, n: desk.edit(name=f"Mine {n}"),
    "delete": lambda desk, n: desk.file.unlink(missing_ok=True),
    "look": lambda desk, n: desk.look(),
    "die": died,
}


@examples(60)
@example([("rename", 1), ("die", 7), ("edit", 1)])
@given(st.lists(st.tuples(st.sampled_from([*LIFE]), st.integers(1, 25)), max_size=12))
def test_whatever_happens(life: list[tuple[str, int]]) -> None:
    """No text that a person saved and nobody deleted is lost, and in the end the two are in step."""
    with tempfile.TemporaryDirectory() as folder:
        desk = begun(Path(folder) / "plans")
        mine: set[str] = set()
        for kind, number in life:
            is_there = desk.file.exists()
            if is_there and kind in {"edit", "delete"}:
                mine.discard(desk.read().body)  # a person may do away with what nobody has looked at
            if is_there or kind not in {"edit", "call it"}:
                LIFE[kind](desk, number)
            if is_there and kind == "edit":
                mine.add(f"# Mine {number}.\n")
        desk.look()
        texts = desk.texts()
        assert [text for text in mine if text not in texts] == []
        desk.revise("# The end\n")
        desk.look()
        assert in_step(desk)
