"""Sends everything that is logged, by us, by libraries and by Python itself, the same way."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TextIO

from plangate_server.logs.levels import Level
from plangate_server.logs.log import Log
from plangate_server.logs.records import LineHandler

tell = Log(__name__)

OURS: Final = "plangate_server"


@contextmanager
def logging_to(write: Callable[[bytes], object], level: Level) -> Iterator[None]:
    """Inside the block, what is logged is written as lines.

    The level is ours; libraries are heard from warnings on, because with less than that they tell what they
    work with.
    """
    root, ours = logging.getLogger(), logging.getLogger(OURS)
    handler = LineHandler(write)
    before = root.level, ours.level
    root.addHandler(handler)
    root.setLevel(max(level.number, logging.WARNING))
    ours.setLevel(level.number)
    try:
        with _hooks():
            yield
    finally:
        root.removeHandler(handler)
        root.setLevel(before[0])
        ours.setLevel(before[1])


def log_stray_faults(loop: asyncio.AbstractEventLoop) -> None:
    """What goes wrong in the loop where nobody waits for it; its own report would show what it worked on."""
    loop.set_exception_handler(lambda _, context: _stray(context.get("exception")))


@contextmanager
def _hooks() -> Iterator[None]:
    """Python's own reports show an exception with its words."""
    before = threading.excepthook, sys.unraisablehook, warnings.showwarning
    threading.excepthook = lambda given: _stray(given.exc_value)
    sys.unraisablehook = lambda given: _stray(given.exc_value)
    warnings.showwarning = _warned
    try:
        yield
    finally:
        threading.excepthook, sys.unraisablehook, warnings.showwarning = before


def _stray(error: BaseException | None) -> None:
    message = "something went wrong where nobody waited for it"
    if error is None:
        tell.error("stray_fault", message)
    else:
        tell.fault("stray_fault", message, error)


def _warned(  # noqa: PLR0917, it is Python that calls it
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    tell.warning("python_warning", "Python warns", category=category.__name__, place=f"{filename}:{lineno}")
