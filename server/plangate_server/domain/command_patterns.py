"""Patterns of commands: which calls are like one that a person or the operator named.

To allow, a pattern must be matched word by word by a command that can be read. What is enough to deny stands
in ``denied_commands``.
"""

from __future__ import annotations

import itertools
import re
from typing import Final

from msgspec import Struct

from plangate_server.domain.commands import MOST_BYTES, is_assignment, normalised, read_command
from plangate_server.domain.programs import may_launch

ANY_WORD: Final = "*"
ANY_REST: Final = "**"


class BadPattern(ValueError):
    """A pattern that cannot be used; its text says why, and what to do."""


class CommandPattern(Struct, frozen=True):
    """Words; ``*`` for any one that is not an option, and ``**`` at the end for any further ones."""

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
            given = given[: len(wanted)] if len(given) >= len(wanted) else ()
        return len(given) == len(wanted) and all(map(_is_like, wanted, given))


def parse_pattern(text: str, *, to_deny: bool = False) -> CommandPattern:
    """The pattern that a text means, or BadPattern. What only denies may be as wide as it likes."""
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
    _check(pattern.words, to_deny=to_deny)
    return pattern


def _check(words: tuple[str, ...], *, to_deny: bool) -> None:
    wild = [place for place, word in enumerate(words) if word in {ANY_WORD, ANY_REST}]
    if 0 in wild:
        raise BadPattern("begins with a wildcard: name the program")
    if ANY_REST in words[:-1]:
        raise BadPattern("has ** before its end: it stands for everything that follows")
    if wild and not to_deny and may_launch(words[: wild[0]], follows=words[wild[0] :] != (ANY_WORD,)):
        raise BadPattern(
            f"has a wildcard after {' '.join(words[: wild[0]])}, which runs what it is given: name the whole "
            "command"
        )


def in_words(words: tuple[str, ...]) -> str:
    """As one would write them."""
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    return word if word and " " not in word else f'"{word}"'


def _is_like(wanted: str, given: str) -> bool:
    if wanted != ANY_WORD:
        return wanted == given
    return not given.startswith("-") and not is_assignment(given)
