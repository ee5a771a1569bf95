"""What a folder remembers of itself: for one process at a time, never half, and never elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from plangate.folder.deciding import InStep
from plangate.folder.files import NotAFile
from plangate.folder.memory import FolderTaken, Record, opened_folder
from plangate.planfile.names import UnsafeName

PLAN = "0123456789abcdef" * 2
RECORD = Record(InStep("a.plan.md", 3, "h"), InStep("b.plan.md", 4, "i"), over=True)


def remembered(path: Path) -> Record:
    with opened_folder(path) as (_, memory):
        return memory[PLAN]


def test_it_outlives_the_process(tmp_path: Path) -> None:
    """As it was kept, and found by the file's name, too; of anything else it knows nothing."""
    with opened_folder(tmp_path) as (_, memory):
        memory.keep(PLAN, RECORD)
    with opened_folder(tmp_path) as (_, memory):
        assert (memory[PLAN], list(memory)) == (RECORD, [PLAN])
        assert (memory.plan_of("a.plan.md"), memory.plan_of("b.plan.md")) == (PLAN, "")
        assert memory["f" * 32] == Record()
        memory.keep(PLAN, Record(RECORD.writing))
        assert (memory.plan_of("a.plan.md"), memory.plan_of("b.plan.md")) == ("", PLAN)


OUTSIDE = '{"base": {"file": "../a.plan.md", "revision": 1, "hash": "h"}, "writing": null, "over": false}'


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"base": 3, "writing": null, "over": true}', "null", OUTSIDE]
)
def test_a_record_that_cannot_be_read_is_none(tmp_path: Path, text: str) -> None:
    """Nothing is guessed: what the file holds counts as the person's."""
    with opened_folder(tmp_path) as (_, memory):
        memory.keep(PLAN, RECORD)
    (tmp_path / ".plangate" / f"{PLAN}.json").write_text(text)
    assert remembered(tmp_path) == Record()


@pytest.mark.parametrize("plan_id", ["../../escaped", "", "a", "lock", PLAN.upper(), f"{PLAN}\n"])
def test_nothing_is_kept_of_what_is_no_plan(tmp_path: Path, plan_id: str) -> None:
    """Its id would be the name of a file elsewhere, or of one that nobody finds again."""
    with opened_folder(tmp_path / "plans") as (_, memory):
        before = {*tmp_path.rglob("*")}
        with pytest.raises(UnsafeName, match="is no id of a plan"):
            memory.keep(plan_id, RECORD)
        assert ({*tmp_path.rglob("*")}, list(memory)) == (before, [])


def test_what_was_half_written_is_removed(tmp_path: Path) -> None:
    """By the next process, which alone may touch it."""
    (tmp_path / ".plangate").mkdir()
    part = tmp_path / ".plangate" / ".plangate-1.part"
    part.write_text("half")
    remembered(tmp_path)
    assert not part.exists()


def test_one_process_at_a_time(tmp_path: Path) -> None:
    """The second is refused, and comes in when the first has ended."""
    with opened_folder(tmp_path), pytest.raises(FolderTaken, match="by another process already"):
        remembered(tmp_path)
    assert remembered(tmp_path) == Record()


@pytest.mark.parametrize("kind", ["link", "file"])
def test_a_memory_that_is_elsewhere_is_refused(tmp_path: Path, kind: str) -> None:
    """A link in its place would have it write wherever that leads."""
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "plans"
    elsewhere.mkdir()
    folder.mkdir()
    if kind == "link":
        (folder / ".plangate").symlink_to(elsewhere)
    else:
        (folder / ".plangate").write_text("")
    with pytest.raises(NotAFile, match="is no directory of its own"):
        remembered(folder)
    assert list(elsewhere.iterdir()) == []
