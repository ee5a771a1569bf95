"""What a person says to a plan or to a tool call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

EXPIRE: Final = "expire"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person says."""

    option: str
    words: str = ""
    text: str | None = None


def approve(words: str = "") -> Answer:
    """To a plan: yes."""
    return Answer("approve", words)


def reject(words: str = "") -> Answer:
    """To a plan: no, with what to do differently."""
    return Answer("reject", words)


def request_changes(words: str) -> Answer:
    """To a plan: not like this; the agent should send a new revision."""
    return Answer("requestChanges", words)


def edit(text: str, words: str = "") -> Answer:
    """To a plan: yes, with this text in place of the plan's."""
    return Answer("edit", words, text)


def allow(words: str = "") -> Answer:
    """To a tool call: yes, this once."""
    return Answer("approved", words)


def allow_for_session(words: str = "") -> Answer:
    """To a tool call: yes, and the same for the rest of the session."""
    return Answer("approved_for_session", words)


def deny(words: str = "") -> Answer:
    """To a tool call: no."""
    return Answer("denied", words)


def expire() -> Answer:
    """To either: nobody says anything in time."""
    return Answer(EXPIRE)
