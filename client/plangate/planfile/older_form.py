"""The older form: a comment with two UUIDs first, and the todos as a list under ``### To-dos``."""

from __future__ import annotations

import re
from typing import Final

from plangate.planfile.markdown import heading_of, lines_outside_code
from plangate.planfile.model import Todo
from plangate.planfile.statuses import COMPLETED, PENDING

_UUID: Final = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_FIRST_LINE: Final = re.compile(rf"<!--\s*{_UUID}[\s,;:/|]+{_UUID}\s*-->[ \t]*\r?(?:\n|\Z)")
_TODO: Final = re.compile(r"[-*+][ \t]+\[([ xX])\][ \t]+(.*\S)\s*\Z")
_TITLES: Final = frozenset({"to-dos", "todos", "to-do", "to dos"})


def is_older_form(text: str) -> bool:
    return _FIRST_LINE.match(text) is not None


def todos_and_rest(text: str) -> tuple[tuple[Todo, ...], str]:
    """The todos, and the text without the lines that were theirs, their headings included."""
    todos: list[Todo] = []
    taken: set[int] = set()
    heading = 0
    for number, line in lines_outside_code(text):
        if found := heading_of(line):
            heading = number if found[1].lower() in _TITLES else 0
        elif heading and (match := _TODO.match(line)):
            todos.append(Todo("", match[2], PENDING if match[1] == " " else COMPLETED))
            taken.update((heading, number))
    if not todos:
        return (), text
    lines = text.split("\n")
    kept = [line for number, line in enumerate(lines, start=1) if number not in taken]
    return tuple(todos), "\n".join(kept).rstrip("\r\n") + ("\n" if text.endswith("\n") else "")
