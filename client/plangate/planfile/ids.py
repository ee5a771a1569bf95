"""Ids for todos that have none: from what they say, so that the same file gives the same ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import Final

from plangate.planfile.model import Todo

WORDS: Final = 5
CHARACTERS: Final = 40


def with_ids(todos: Sequence[Todo], taken: Iterable[str] = ()) -> tuple[Todo, ...]:
    """The todos, those without an id named after their words, and after their place if those are taken."""
    names = {*taken, *(todo.id for todo in todos if todo.id)}
    return tuple(
        todo if todo.id else replace(todo, id=_free(todo.content, place, names))
        for place, todo in enumerate(todos, start=1)
    )


def _free(content: str, place: int, taken: set[str]) -> str:
    first = kebab(content) or f"todo-{place}"
    others = (f"{first}-{place}-{number}" for number in count(2))
    free = next(name for name in chain([first, f"{first}-{place}"], others) if name not in taken)
    taken.add(free)
    return free


def kebab(content: str) -> str:
    """The first words of a text, in lower case with hyphens; empty if it has none."""
    start = content[: CHARACTERS * WORDS].lower()
    words = re.findall(r"[^\W_]+", start)[:WORDS]
    return "-".join(words)[:CHARACTERS].strip("-")
