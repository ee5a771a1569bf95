"""Questions to the person at the terminal."""

from __future__ import annotations

import select
import sys
from argparse import Namespace
from collections.abc import Callable
from typing import Final, TextIO

LOOK_SECONDS: Final = 0.2


def is_somebody_there() -> bool:
    """Whether the one who typed the command can answer: input from elsewhere is nobody's word."""
    return sys.stdin.isatty()


def for_people(given: Namespace) -> TextIO:
    """Where to show what a question is about: standard output is for JSON alone, if that is wanted."""
    return sys.stderr if given.json else sys.stdout


def ask(question: str, to: TextIO | None = None) -> str | None:
    """What is typed, without blanks around it and in lower case; None if nothing will be."""
    print(f"\n{question} ", end="", file=to, flush=True)
    try:
        return (typed() or "").lower()
    except EOFError:
        print(file=to)
        return None


def typed(is_needless: Callable[[], bool] = lambda: False) -> str | None:
    """A line, without blanks around it; None if it becomes needless. An EOFError, if there will be none.

    It is read once it is there: a Ctrl-C that came right before a read would be noticed only after it.
    """
    while not select.select([sys.stdin], [], [], LOOK_SECONDS)[0]:
        if is_needless():
            return None
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.strip()


def is_yes(question: str, to: TextIO | None = None) -> bool:
    """Only a clear yes is one."""
    return ask(f"{question} [y/N]", to) in {"y", "yes"}
