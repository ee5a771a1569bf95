"""What the log says of an exception: its type and where it was, never its words, which may hold anything."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MOST_FRAMES: Final = 30
MOST_CAUSES: Final = 5

# Of a path, what lies above it only says where things are installed.
_ABOVE: Final = f"{Path(__file__).parents[2]}/"


def told(error: BaseException) -> dict[str, object]:
    """The fields of an exception, with those that led to it."""
    fields: dict[str, object] = {"exception": _type(error), "frames": _frames(error)}
    if causes := [{"exception": _type(cause), "frames": _frames(cause)} for cause in _causes(error)]:
        fields["causes"] = causes
    return fields


def _type(error: BaseException) -> str:
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _frames(error: BaseException) -> list[str]:
    """Like rpc/boundary.py:90 call; the innermost last, and kept if there are too many."""
    frames = list(traceback.walk_tb(error.__traceback__))[-MOST_FRAMES:]
    return [
        f"{frame.f_code.co_filename.removeprefix(_ABOVE)}:{number} {frame.f_code.co_name}"
        for frame, number in frames
    ]


def _causes(error: BaseException) -> Iterator[BaseException]:
    for _ in range(MOST_CAUSES):
        cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if cause is None:
            return
        yield cause
        error = cause
