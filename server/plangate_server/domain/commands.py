"""Command lines: read only where no shell could take them for anything else.

A text that a person agreed to once runs again without a question, so it must mean one thing and nothing more:
not to sh, not to fish, not to cmd.exe or PowerShell, whichever of them the agent uses. Whatever one of them
gives a meaning of its own is therefore not read at all, inside quotes neither: ``sh -c "…"`` reads what is
inside a second time. Single quotes are not read, which cmd.exe does not know; nor are letters that people
cannot see, or signs that PowerShell takes for quotes and dashes. What is not read is asked about, every time.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from plangate_server.domain.programs import RUNNERS, program_of

MOST_BYTES: Final = 4096

SPECIAL: Final = frozenset(";&|<>()$`\\!*?[]{}#^%'")
"""What some shell takes for more than a character of a word."""

READ: Final = frozenset({"Lu", "Ll", "Lt", "Lo", "Nd", "Nl", "No"})
"""Kinds of other characters that are read: letters and numbers, but none that stand in for a mark."""

MISLEADING: Final = frozenset("\u115f\u1160\u3164\uffa0\u01c0\u01c1\u01c2\u01c3\U00013441\U00013442")
"""Letters that are not seen, or seen as an operator."""

_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
_WORD: Final = re.compile(r""""[^"]*"|[^\s"]+""")


def read_command(text: str) -> tuple[str, ...] | None:
    """The words of a simple command; None where there is any doubt what it would run."""
    return None if len(text.encode(errors="replace")) > MOST_BYTES else _read(text)


@lru_cache(maxsize=1024)
def _read(text: str) -> tuple[str, ...] | None:
    """Kept, because an agent asks about the same commands again and again."""
    if not all(map(_is_plain, text)):
        return None
    words = _words(text)
    if not words or not _is_program(words[0]) or any(word[:1] in {"=", "@"} for word in words):
        return None
    return words


def normalised(words: tuple[str, ...]) -> tuple[str, ...]:
    """The same command in its plainest form: arguments that are paths without what changes nothing in them.

    ``..`` stays, because a link may be on the way, and a last slash, which some programs look at; so does a
    first ``./``, without which a name can mean something else. Only what begins like a path is taken for one,
    and nothing that goes to a program that reads it as code.
    """
    if not words or program_of(words[0]) in RUNNERS:
        return words
    return (words[0], *map(_plain_path, words[1:]))


def in_words(words: tuple[str, ...]) -> str:
    """As one would write them."""
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    return word if word and " " not in word else f'"{word}"'


def _is_plain(character: str) -> bool:
    if character.isascii():
        return character == " " or (character.isprintable() and character not in SPECIAL)
    return unicodedata.category(character) in READ and character not in MISLEADING


def _words(text: str) -> tuple[str, ...] | None:
    """The words, with quotes around whole ones taken away; None if a quote stands anywhere else."""
    words: list[str] = []
    position = 0
    while position < len(text):
        if text[position] == " ":
            position += 1
            continue
        found = _WORD.match(text, position)
        if found is None or text[found.end() : found.end() + 1] not in {"", " "}:
            return None
        word = found.group()
        if not _has_harmless_tildes(word):
            return None
        words.append(word[1:-1] if word[0] == '"' else word)
        position = found.end()
    return tuple(words)


def _is_program(word: str) -> bool:
    """Whether a word can only be the name of a program."""
    return word.isascii() and bool(word.strip()) and word[0] != "-" and not is_assignment(word)


def is_assignment(word: str) -> bool:
    """NAME=value, which some programs take for more than an argument."""
    return _ASSIGNMENT.match(word) is not None


def _has_harmless_tildes(word: str) -> bool:
    """HEAD~1 is one; ~ and ~user at the beginning of anything are homes of users."""
    before = (word[place - 1 : place] for place, character in enumerate(word) if character == "~")
    return all(character.isascii() and character.isalnum() for character in before)


def _plain_path(word: str) -> str:
    if not word.startswith(("/", "./", "../")) or "://" in word:
        return word
    if re.match(r"//(?!/)", word):
        return word  # two slashes at the beginning may name a machine or a device; more than two are one
    return re.sub(r"/(\./)+", "/", re.sub(r"/{2,}", "/", word))
