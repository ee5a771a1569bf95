"""Editing a plan from the full screen, in the person's own editor: nothing that was written is lost."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from plangate.tui.app import ReviewApp
from plangate.tui.calm import NEW
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOutcome, ReviewStatus
from tests.helpers.gate import Gate, proposal
from tests.tui.person import Clock, Person, at_desk
from tests.tui.test_deciding import revise

REPLACE = "import sys; p = sys.argv[-1]; t = open(p).read(); open(p, 'w').write(t.replace({!r}, {!r}))"
TEXT = "# Tidy\n\nsort\nburn"


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes a program in Python the editor; without a terminal, there is none to leave to it."""

    def is_now(program: str) -> None:
        script = tmp_path / "editor.py"
        script.write_text(program, encoding="utf-8")
        monkeypatch.setenv("EDITOR", shlex.join([sys.executable, str(script)]))

    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(ReviewApp, "suspend", lambda _: nullcontext())
    return is_now


def kept_in(folder: Path) -> list[str]:
    """The texts of the plan files that are still there."""
    return [path.read_text(encoding="utf-8") for path in folder.glob("plangate-*/*.plan.md")]


async def choose(person: Person, letter: str) -> None:
    """The box offers its choices when it has been there for a moment."""
    await person.sees("edit again")
    await person.presses(letter)


async def test_approving_as_edited(gate: Gate, editor: Callable[[str], None], tmp_path: Path) -> None:
    """The difference is shown, and only then the person's text may be built."""
    plan = await gate.propose(proposal(TEXT))
    editor(REPLACE.format("burn", "give away"))
    async with at_desk(gate.address) as person:
        await person.opens("Tidy")
        await person.presses("e")
        await person.sees("What you changed", "-burn", "+give away", "approve as edited")
        assert (await gate.get(plan.plan_uri)).revision == 1
        await choose(person, "a")
        await person.sees("you decided: approved as edited")
    edited = await gate.get(plan.plan_uri)
    assert edited.plan == "# Tidy\n\nsort\ngive away"
    assert edited.review.outcome == ReviewOutcome.REVIEW_OUTCOME_MODIFIED
    assert kept_in(tmp_path) == []


async def test_saving_for_others(gate: Gate, editor: Callable[[str], None]) -> None:
    """It becomes a revision of the person's, which waits: nobody has approved anything."""
    plan = await gate.propose(proposal(TEXT))
    editor(REPLACE.format("burn", "give away"))
    async with at_desk(gate.address) as person:
        await person.opens("Tidy")
        await person.presses("e")
        await choose(person, "s")
        await person.sees("saved as revision 2, which waits for a decision", "+give away")
    saved = await gate.get(plan.plan_uri)
    assert (saved.revision, saved.plan) == (2, "# Tidy\n\nsort\ngive away")
    assert saved.review.status == ReviewStatus.REVIEW_STATUS_REQUESTED


async def test_what_is_refused_is_kept(gate: Gate, editor: Callable[[str], None], tmp_path: Path) -> None:
    """If the plan has moved on, its new text is shown, and the file of the old one is named."""
    plan = await gate.propose(proposal(TEXT))
    editor(REPLACE.format("burn", "give away"))
    async with at_desk(gate.address, size=(160, 40)) as person:
        await person.opens("Tidy")
        await person.presses("e")
        await person.sees("What you changed")
        await revise(gate, plan, "# Tidy\n\nnothing")
        await choose(person, "a")
        await person.sees("what you wrote is in", "+nothing")
    assert "give away" in kept_in(tmp_path)[0]
    assert (await gate.get(plan.plan_uri)).plan == "# Tidy\n\nnothing"


async def test_a_file_that_cannot_be_read(gate: Gate, editor: Callable[[str], None], tmp_path: Path) -> None:
    """The line is named, the editor offered again, and whoever stops finds the file."""
    await gate.propose(proposal(TEXT))
    editor(REPLACE.format("todos: []", "todos: ]"))
    async with at_desk(gate.address, size=(160, 40)) as person:
        await person.opens("Tidy")
        await person.presses("e")
        await person.sees("This cannot be taken", "line ")
        await choose(person, "escape")
        await person.sees("the plan is as it was; what you wrote is in")
    assert "todos: ]" in kept_in(tmp_path)[0]


async def test_forgetting_and_changing_nothing(
    gate: Gate, editor: Callable[[str], None], stillness: Clock, tmp_path: Path
) -> None:
    """Only whoever says so loses what they wrote; where nothing was changed there is nothing to ask."""
    plan = await gate.propose(proposal(TEXT))
    async with at_desk(gate.address) as person:
        await person.sees("Tidy")
        await person.presses("enter")
        await person.comes_to_rest(stillness)
        editor("")
        await person.presses("e")
        await person.sees("nothing was changed", NEW)
        await person.presses("enter")
        await person.comes_to_rest(stillness)
        editor(REPLACE.format("burn", "give away"))
        await person.presses("e")
        await choose(person, "f")
        await person.sees("forgotten: the plan is as it was")
    assert (await gate.get(plan.plan_uri)).revision == 1
    assert kept_in(tmp_path) == []
