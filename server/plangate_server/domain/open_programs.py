"""Which arguments of a program may be left open in a pattern, by the table of those that are known.

Nothing of an unknown program is left open: it may run what it is given. Of a known one no option is that is
unknown: it may name a program, or change what is done.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from plangate_server.domain.commands import is_assignment
from plangate_server.domain.open_table import GLOBALS, OPEN, Family, Global
from plangate_server.domain.programs import LAUNCHING, LAUNCHING_OPTIONS, RUNNERS, program_of

Opened: TypeAlias = Collection[tuple[str, ...]]
"""Programs, with verbs or without, that the operator vouches for."""

ANY_WORD: Final = "*"
ANY_REST: Final = "**"

VOUCHED: Final = Family(colons=True, is_vouched_for=True)
"""Of a program that the operator has named nobody knows the options: none that sounds like running."""

BIN: Final = re.compile(r"/(?:usr/(?:local/)?)?bin/")
"""Where a path leads to the program that everybody means by the name."""

ODD: Final = tuple("-+:@=~!#%")
"""What changes the meaning of an argument that begins with it."""

SCHEME: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*:/|(?:file|data|javascript|ext|git|ssh|https?|ftp|npm|link|github|fd|pkg):",
    re.IGNORECASE,
)

SUSPECT: Final = re.compile(
    r"exec|command|cmd|shell|pager|editor|program|plugin|hook|eval|preload|interpreter|wrapper|-pack|askpass|"
    r"config|require|import|compress|checkpoint|script|linker|launcher|rcfile|loader|driver|^ssh$|^rsh$|^env$|"
    r"settings|output|browser|extension|^pre$|^load|template|proxy"
)
"""Names of options, of programs that only the operator knows, that sound as if they named a program."""


LETTERS: Final = re.compile(r"-[A-Za-z0-9][A-Za-z0-9,.]*")
"""Options of one letter, alone or together, and numbers that belong to them."""


def _leads_out(word: str) -> bool:
    """Whether it has two dots, which lead to another folder, or to a range; ``./...`` is a name."""
    return ".." in word.removesuffix("/...")


class Closed(ValueError):
    """Why a pattern may not be left open as it is."""


def check_open(words: Sequence[str], opened: Opened = ()) -> None:
    """Raise Closed if what a wildcard of the pattern stands for could be a program, or nobody knows."""
    why = _why_closed(tuple(words), frozenset(opened))
    if why:
        raise Closed(why)


def may_stand_open(wanted: Sequence[str], given: Sequence[str]) -> bool:
    """Whether words that wildcards of a pattern would stand for change the meaning of nothing."""
    family = _family_of(tuple(wanted)) or VOUCHED
    place = next((at for at, word in enumerate(wanted) if word in {ANY_WORD, ANY_REST}), len(wanted))
    for at in range(place, len(given)):
        word = wanted[at] if at < len(wanted) else ANY_REST
        if word == ANY_WORD and not _is_argument(given[at], family):
            return False
        if word == ANY_REST and not (_is_argument(given[at], family) or _is_option(given[at], family)):
            return False
    return True


def is_bare(words: tuple[str, ...]) -> bool:
    """Whether the words are a program that is known, with its verbs, and nothing else."""
    return _known(words)[1] == len(words)


def check_opened(entry: str) -> tuple[str, ...]:
    """An entry of the operator, as words; or Closed, if what it opens is known to run what it is given."""
    words = tuple(entry.split())
    if not words or any(word in {ANY_WORD, ANY_REST} for word in words) or _names_no_program(words[0]):
        raise Closed("names no program: write its name, and its verbs if only those are meant")
    if _launches(words):
        raise Closed(f"is {words[0]}, which runs what it is given: nobody can vouch for what that will be")
    return words


def _names_no_program(word: str) -> bool:
    return not word.isascii() or word.startswith("-") or is_assignment(word)


@lru_cache(maxsize=1024)
def _why_closed(words: tuple[str, ...], opened: frozenset[tuple[str, ...]]) -> str:
    wild = [at for at, word in enumerate(words) if word in {ANY_WORD, ANY_REST}]
    if not wild:
        return ""
    head = words[: wild[0]]
    shown = f"has a wildcard after {' '.join(head)}"
    family, length = _found(words, opened)
    if family is None:
        if _launches(head):
            return f"{shown}, which runs what it is given: name the whole command"
        return (
            f"{shown}, and nobody has said that {head[0]} runs nothing that it is given: name the whole "
            "command, or have the operator name the program in open_programs of the policy"
        )
    if ANY_REST in words and not family.rest:
        return f"{shown}, of which an option could name a program or a place: write * for each word"
    for at, word in enumerate(words):
        if length <= at and at < wild[-1] and not _is_known_as_plain(word, family):
            return f"{shown}, where {word} could let a program or a place be named: name the whole command"
    return ""


def _found(words: tuple[str, ...], opened: frozenset[tuple[str, ...]]) -> tuple[Family | None, int]:
    """What is known of the words before the first wildcard, and how many of them say it."""
    for length in range(len(words), 0, -1):
        if words[:length] in opened:
            return VOUCHED, length
    return _known(words)


@lru_cache(maxsize=1024)
def _family_of(words: tuple[str, ...]) -> Family | None:
    return _known(words)[0]


def _known(words: tuple[str, ...]) -> tuple[Family | None, int]:
    program = _bare(words[0])
    plain, length = [program], 1
    between = GLOBALS.get(program, Global())
    while length < len(words) and words[length].startswith("-"):
        option = words[length]
        if (option.partition("=")[0] in between.valued and "=" in option) or option in between.flags:
            length += 1
        elif option in between.valued and length + 1 < len(words):
            if words[length + 1] in {ANY_WORD, ANY_REST}:
                return None, 0
            length += 2
        else:
            break
    for more in (2, 1, 0):
        verbs = words[length : length + more]
        family = OPEN.get((*plain, *verbs))
        if family is not None:
            return family, length + len(verbs)
    return None, 0


def _bare(word: str) -> str:
    """The name by which the table knows a program: any other way of writing it may be another program."""
    name = BIN.sub("", word, count=1) if BIN.match(word) else word
    for ending in (".exe", ".cmd"):
        name = name.removesuffix(ending)
    return name


def _launches(words: Sequence[str]) -> bool:
    """Whether the words are known to begin a command that runs what it is given."""
    return (
        program_of(words[0]) in RUNNERS
        or not LAUNCHING.isdisjoint(words[1:])
        or not LAUNCHING_OPTIONS.isdisjoint(words[1:])
    )


def _is_argument(word: str, family: Family) -> bool:
    """Whether a word is an argument like any other, whatever program it goes to."""
    return (
        not word.startswith(ODD)
        and not _leads_out(word)
        and "=" not in word
        and not SCHEME.match(word)
        and (family.colons or ":" not in word)
        and not (family.names and word.startswith((".", "/")))
    )


def _is_option(word: str, family: Family) -> bool:
    """Whether a word is an option that names neither a program nor another place."""
    if not word.startswith("-") or _leads_out(word):
        return False
    _, sign, value = word.partition("=")
    if sign and word not in family.options and not _is_argument(value, family):
        return False
    return _is_known_as_plain(word, family)


def _is_known_as_plain(word: str, family: Family) -> bool:
    """Whether a word is no setting, and no option but one that is known to mean nothing but itself."""
    if is_assignment(word):
        return False
    if not word.startswith("-") or word in {"-", "--"}:
        return True
    name = word.partition("=")[0]
    if family.is_vouched_for:
        return name not in LAUNCHING_OPTIONS and not SUSPECT.search(name.lstrip("-").casefold())
    return word in family.options or name in family.options or _are_letters(name, family)


def _are_letters(name: str, family: Family) -> bool:
    """Whether it is a number, or letters each of which is a plain option, with digits or without."""
    if not LETTERS.fullmatch(name):
        return False
    return all(letter in family.letters for letter in name[1:] if letter.isalpha())
