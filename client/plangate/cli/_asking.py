"""Questions to the person at the terminal."""

from __future__ import annotations

import sys


def is_somebody_there() -> bool:
    """Whether the one who typed the command can answer: input from elsewhere is nobody's word."""
    return sys.stdin.isatty()


def ask(question: str) -> str | None:
    """What is typed, without blanks around it and in lower case; None if nothing will be."""
    try:
        return input(f"\n{question} ").strip().lower()
    except EOFError:
        print()
        return None


def is_yes(question: str) -> bool:
    """Only a clear yes is one."""
    return ask(f"{question} [y/N]") in {"y", "yes"}
