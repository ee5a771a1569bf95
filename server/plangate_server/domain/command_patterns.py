"""Patterns of commands: which calls are like one that a person or the operator named.

To allow, a pattern must be matched word by word by a command that can be read. What is enough to deny stands
in ``denied_commands``.
"""

from __future__ import annotations

import itertools
import re

from msgspec import Struct

from plangate_server.domain.commands import MOST_BYTES, in_words, normalised, read_command
from plangate_server.domain.open_programs import (
    ANY_REST,
    ANY_WORD,
    Closed,
    Opened,
    check_open,
    may_stand_open,
)


class BadPattern(ValueError):
    """A pattern that cannot be used; its text says why, and what to do."""


class CommandPattern(Struct, frozen=True):
    """Words; ``*`` for any one that is a plain argument, and ``**`` at the end for any further ones."""

    words: tuple[str, ...]

    @property
    def text(self) -> str:
        return in_words(self.words)

    def matches(self, argv: tuple[str, ...]) -> bool:
        """Whether a command that was read is one of those that the pattern means."""
        given = normalised(argv)
        wanted = self.words
        if wanted[-1] == ANY_REST:
            wanted = wanted[:-1]
            if len(given) < len(wanted):
                return False
        elif len(given) != len(wanted):
            return False
        return all(
            word in {ANY_WORD, each} for word, each in zip(wanted, given, strict=False)
        ) and may_stand_open(self.words, given)


def parse_pattern(text: str, *, to_deny: bool = False, opened: Opened = ()) -> CommandPattern:
    """The pattern that a text means, or BadPattern. What only denies may be as wide as it likes.

    ``opened`` are programs that the operator vouches for.
    """
    if len(text.encode(errors="replace")) > MOST_BYTES:
        raise BadPattern(f"is longer than {MOST_BYTES:,} bytes")
    # Read as a command, with words in the place of wildcards that do not occur in it.
    word, rest = itertools.islice((w for w in map("w{}".format, itertools.count()) if w not in text), 2)
    lone = re.sub(r"(?<!\S)\*\*(?!\S)", rest, re.sub(r"(?<!\S)\*(?!\S)", word, text))
    if "*" in lone:
        raise BadPattern("has a * inside a word: a wildcard is a word of its own, * for one, ** for the rest")
    words = read_command(lone)
    if words is None:
        raise BadPattern(
            "cannot be read as one simple command: leave out quotes inside words and all of ;&|<>()$`"
        )
    wildcards = {word: ANY_WORD, rest: ANY_REST}
    if any(stand_in in each and stand_in != each for stand_in in wildcards for each in words):
        raise BadPattern("has a * inside quotes: a wildcard is a word of its own")
    pattern = CommandPattern(tuple(wildcards.get(each, each) for each in normalised(words)))
    _check(pattern.words)
    if not to_deny:
        check_allows(pattern, opened)
    return pattern


def check_allows(pattern: CommandPattern, opened: Opened) -> None:
    """Raise BadPattern if it is too wide to allow anything."""
    try:
        check_open(pattern.words, opened)
    except Closed as closed:
        raise BadPattern(str(closed)) from None


def _check(words: tuple[str, ...]) -> None:
    wild = [place for place, word in enumerate(words) if word in {ANY_WORD, ANY_REST}]
    if 0 in wild:
        raise BadPattern("begins with a wildcard: name the program")
    if ANY_REST in words[:-1]:
        raise BadPattern("has ** before its end: it stands for everything that follows")
