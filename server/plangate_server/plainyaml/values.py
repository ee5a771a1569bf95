"""Texts of a file read as what they stand for. A ValueError says what is wrong with one, and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from enum import StrEnum
from typing import Final, TypeVar

from plangate._common.text_safety import is_seen
from plangate_server.plainyaml.notes import instead_of, shown

LONGEST_TEXT: Final = 1000
UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}

Choice = TypeVar("Choice", bound=StrEnum)


def plain(text: str) -> str:
    """A text without anything that is not seen."""
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"has {len(text)} characters: at most {LONGEST_TEXT} are taken")
    if text != text.strip():
        raise ValueError(f"is {shown(text)}: remove the blanks at its ends")
    if not is_seen(text):
        raise ValueError(f"is {shown(text)}: remove line breaks and what cannot be seen")
    return text


def sentence(text: str) -> str:
    """Words for people, which may stand on several lines."""
    return plain(" ".join(text.split()))


def name(text: str) -> str:
    """A name, or a pattern of names."""
    if "," in text:
        raise ValueError(f"is {shown(text)}: write each name as an entry of its own")
    return plain(text)


def flag(text: str) -> bool:
    if text not in {"true", "false"}:
        raise ValueError(f"is {shown(text)}: write true or false")
    return text == "true"


def number(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", text) or not least <= int(text) <= most:
            raise ValueError(f"is {shown(text)}: write a whole number from {least} to {most}")
        return int(text)

    return read


def duration(most: timedelta) -> Callable[[str], timedelta]:
    def read(text: str) -> timedelta:
        found = re.fullmatch(r"([0-9]{1,9})([smhd])", text)
        span = timedelta(**{UNITS[found[2]]: int(found[1])}) if found else timedelta()
        if not timedelta() < span <= most:
            raise ValueError(
                f"is {shown(text)}: write a number and a unit, like 90s, 15m, 2h or 7d, at most {most.days}d"
            )
        return span

    return read


def choice(choices: type[Choice]) -> Callable[[str], Choice]:
    def read(text: str) -> Choice:
        if text not in set(choices):
            raise ValueError(f"is {shown(text)}: {instead_of(text, list(choices))}")
        return choices(text)

    return read
