"""What changed between two revisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from plangate_server.domain.content import Content
from plangate_server.domain.line_matching import Block, Matching, match_lines
from plangate_server.domain.plan import Revision
from plangate_server.domain.todos import Todo

OTHER_FIELDS = ("name", "overview", "phases", "is_project", "is_spec")
CONTEXT: Final = 3
SHOWN_LINES: Final = 20_000
"""Of lines that were removed, and of lines that were added, in one place."""
EQUAL: Final = "equal"

Tag: TypeAlias = Literal["replace", "delete", "insert", "equal"]


class RevisionDiff(Struct, frozen=True):
    older: int
    newer: int
    unified: str
    todos: tuple[tuple[Todo | None, Todo | None], ...]
    """Before and after of each todo that differs; in the newer order, removed ones last."""
    fields: tuple[str, ...]
    is_coarse: bool = False
    """Whether lines that are the same may be shown as removed and added."""
    lines_left_out: int = 0
    """How many lines that were removed or added are not shown."""


def compare(older: Revision, newer: Revision) -> RevisionDiff:
    before, after = older.content, newer.content
    matching = match_lines(before.plan, after.plan)
    old, new = _Lines(before.plan, "-"), _Lines(after.plan, "+")
    hunks = [_hunk(old, new, codes) for codes in _Matched(matching).get_grouped_opcodes(CONTEXT)]
    names = [f"--- revision {older.number}\n+++ revision {newer.number}\n"] if hunks else []
    return RevisionDiff(
        older.number,
        newer.number,
        "".join([*names, *(hunk.text for hunk in hunks)]),
        _todo_changes(before, after),
        _changed_fields(before, after),
        is_coarse=not matching.is_whole,
        lines_left_out=sum(hunk.left_out for hunk in hunks),
    )


def _changed_fields(before: Content, after: Content) -> tuple[str, ...]:
    """The other fields that differ; "todos" if the same ones stand in another order."""
    changed = [name for name in OTHER_FIELDS if getattr(before, name) != getattr(after, name)]
    moved = set(before.todos) == set(after.todos) and before.todos != after.todos
    return (*changed, "todos") if moved else tuple(changed)


class _Matched(SequenceMatcher[str]):
    """What the standard library groups into hunks, without its own way to compare, which has no bounds."""

    def __init__(self, matching: Matching) -> None:
        super().__init__()
        self._matching = matching

    def get_opcodes(self) -> list[tuple[Tag, int, int, int, int]]:
        found = self._matching
        ends = (Block(0, 0, 0), *found.blocks, Block(found.old_lines, found.new_lines, 0))
        return [*_opcodes(ends)]


def _opcodes(blocks: Sequence[Block]) -> Iterator[tuple[Tag, int, int, int, int]]:
    """What is the same and what is not, in turns."""
    for before, block in pairwise(blocks):
        old, new = before.old + before.lines, before.new + before.lines
        if (old, new) != (block.old, block.new):
            yield "replace", old, block.old, new, block.new
        if block.lines:
            yield EQUAL, block.old, block.old + block.lines, block.new, block.new + block.lines


class _Hunk(Struct, frozen=True):
    text: str
    left_out: int


class _Lines:
    """The lines of a text, taken in their order: to hold all of them takes many times as much as the text."""

    def __init__(self, text: str, sign: str) -> None:
        self._text = text + "\n"
        self._line = self._place = 0
        self._sign = sign

    def take(self, first: int, last: int, sign: str = "") -> tuple[list[str], int]:
        """Those from one number up to another, with their sign, and how many more there are."""
        shown = min(last, first + SHOWN_LINES)
        self._skip_to(first)
        begun = self._place
        self._skip_to(shown)
        taken = self._text[begun : self._place].split("\n")[:-1]
        lines = [f"{sign or self._sign}{line}\n" for line in taken]
        return ([*lines, f"\\ and {last - shown} more\n"] if shown < last else lines), last - shown

    def _skip_to(self, line: int) -> None:
        for _ in range(line - self._line):
            self._place = self._text.index("\n", self._place) + 1
        self._line = line


def _hunk(old: _Lines, new: _Lines, codes: Sequence[tuple[str, int, int, int, int]]) -> _Hunk:
    """What changed, and what is around; the codes say what became of which lines, in both texts."""
    lines: list[str] = []
    left_out = 0
    for tag, first, last, first_new, last_new in codes:
        if tag == EQUAL:
            kept, _ = old.take(first, last, " ")
            lines += kept
        else:
            gone, gone_unseen = old.take(first, last)
            come, come_unseen = new.take(first_new, last_new)
            lines += [*gone, *come]
            left_out += gone_unseen + come_unseen
    (_, first, _, first_new, _), (_, _, last, _, last_new) = codes[0], codes[-1]
    where = f"@@ -{_range(first, last)} +{_range(first_new, last_new)} @@\n"
    return _Hunk("".join([where, *lines]), left_out)


def _range(first: int, last: int) -> str:
    """As unified diffs write it: counted from 1, and of no lines the one before."""
    count = last - first
    return str(last) if count == 1 else f"{first + bool(count)},{count}"


def _todo_changes(before: Content, after: Content) -> tuple[tuple[Todo | None, Todo | None], ...]:
    old = {todo.id: todo for todo in before.todos}
    new = {todo.id: todo for todo in after.todos}
    changed = [(old.get(id), todo) for id, todo in new.items() if old.get(id) != todo]
    removed = [(todo, None) for id, todo in old.items() if id not in new]
    return (*changed, *removed)
