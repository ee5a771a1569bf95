"""Questions to the person at the terminal."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TextIO


def is_somebody_there() -> bool:
    """Whether the one who typed the command can answer: input from elsewhere is nobody's word."""
    return sys.stdin.isatty()


def for_people(given: Namespace) -> TextIO:
    """Where to show what a question is about: standard output is for JSON alone, if that is wanted."""
    return sys.stderr if given.json else sys.stdout


def ask(question: str, to: TextIO | None = None) -> str | None:
    """What is typed, without blanks around it and in lower case; None if nothing will be."""
    prompt = f"\n{question} "
    if to is sys.stderr:
        print(prompt, end="", file=to, flush=True)
        prompt = ""
    try:
        return input(prompt).strip().lower()
    except EOFError:
        print(file=to)
        return None


def is_yes(question: str, to: TextIO | None = None) -> bool:
    """Only a clear yes is one."""
    return ask(f"{question} [y/N]", to) in {"y", "yes"}
