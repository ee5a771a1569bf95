"""Patterns of commands: which calls are like one that a person or the operator named.

To allow, a pattern must be matched word by word by a command that can be read. To deny, it is enough that
some part of a text might be such a command.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from plangate_server.domain.commands import normalised, read_command

ANY_WORD: Final = "*"
ANY_REST: Final = "**"

MOST_WORDS: Final = 200
"""How far behind a program its arguments are looked for."""

SHELLS: Final = "sh bash dash ash ksh zsh fish csh tcsh busybox cmd powershell pwsh"
STARTERS: Final = (
    "env sudo doas su runuser xargs parallel eval exec command builtin source nohup setsid time timeout nice "
    "ionice stdbuf unshare nsenter chroot ssh watch find script expect start"
)
INTERPRETERS: Final = (
    "python pypy perl ruby node nodejs deno bun php lua awk gawk mawk sed vim vi emacs tclsh osascript"
)
RUNNERS: Final = frozenset(f"{SHELLS} {STARTERS} {INTERPRETERS}".split())
"""Programs that run what they are given: a wildcard after one of them could stand for any command."""


class BadPattern(ValueError):
    """A pattern that cannot be used; its text says why, and what to do."""


class CommandPattern(Struct, frozen=True):
    """Words; ``*`` for any one that is not an option, and ``**`` at the end for any further ones."""

    words: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(map(_quoted, self.words))

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
    # Read as a command, with words in the place of wildcards that are longer than any in the text.
    word, rest = "w" * (len(text) + 1), "r" * (len(text) + 1)
    lone = re.sub(r"(?<!\S)\*\*(?!\S)", rest, re.sub(r"(?<!\S)\*(?!\S)", word, text))
    if "*" in lone:
        raise BadPattern("has a * inside a word: a wildcard is a word of its own, * for one, ** for the rest")
    words = read_command(lone)
    if words is None:
        raise BadPattern(
            "cannot be read as one simple command: leave out quotes inside words and all of ;&|<>()$`"
        )
    wildcards = {word: ANY_WORD, rest: ANY_REST}
    if any(len(each) > len(text) and each not in wildcards for each in words):
        raise BadPattern("has a * inside quotes: a wildcard is a word of its own")
    pattern = CommandPattern(tuple(wildcards.get(each, each) for each in normalised(words)))
    _check(pattern.words, to_deny=to_deny)
    return pattern


def might_run(text: str, pattern: CommandPattern) -> bool:
    """Whether any part of a text could be a command that the pattern means, in any shell and any disguise.

    For what must not happen: it says yes too often rather than too seldom.
    """
    program, *rest = (word.casefold() for word in pattern.words if word != ANY_REST)
    options = [word for word in rest if word.startswith("-")]
    plain = [word for word in rest if not word.startswith("-")]
    return any(
        _has_options(words, options) and _has_in_order(words, plain)
        for words in _after_programs(text).get(program_of(program), ())
    )


def _check(words: tuple[str, ...], *, to_deny: bool) -> None:
    wild = [place for place, word in enumerate(words) if word in {ANY_WORD, ANY_REST}]
    if 0 in wild:
        raise BadPattern("begins with a wildcard: name the program")
    if ANY_REST in words[:-1]:
        raise BadPattern("has ** before its end: it stands for everything that follows")
    if wild and not to_deny and program_of(words[0]) in RUNNERS:
        raise BadPattern(
            f"has a wildcard after {words[0]}, which runs what it is given: name the whole command"
        )


def program_of(word: str) -> str:
    """The bare name of a program: without its folder, its version and its ending."""
    name = word.replace("\\", "/").rstrip("/").rpartition("/")[2].casefold()
    for ending in (".exe", ".cmd", ".bat"):
        name = name.removesuffix(ending)
    return name.rstrip("0123456789.-") or name


def _quoted(word: str) -> str:
    if word and " " not in word and "'" not in word and '"' not in word:
        return word
    return f"'{word}'" if '"' in word else f'"{word}"'


def _is_like(wanted: str, given: str) -> bool:
    return not given.startswith("-") if wanted == ANY_WORD else wanted == given


@lru_cache(maxsize=64)
def _after_programs(text: str) -> Mapping[str, Sequence[tuple[str, ...]]]:
    """The words that follow, for every word that could be a program: in a disguise, or run by another one."""
    found: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for fragment in _fragments(text):
        for place, word in enumerate(fragment):
            found[program_of(word)].append(fragment[place + 1 :][:MOST_WORDS])
    return dict(found)


def _fragments(text: str) -> Iterator[tuple[str, ...]]:
    """The runs of words between whatever ends a command in some shell, quotes and escapes taken away.

    What stands in quotes is looked at twice: as part of its word, and as a command of its own.
    """
    seen = unicodedata.normalize("NFKC", text)
    seen = "".join(c for c in seen if c.isascii() or unicodedata.category(c) not in {"Cf", "Mn", "Me"})
    seen = re.sub(r"\\\r?\n", "", seen.casefold())
    seen = re.sub(r"\$\{ifs[^}]*\}|\$ifs(?![a-z0-9_])|\$'\\[tn]'", " ", seen)
    joined = re.sub(r"""\\|\^|['"]|\$[@*]""", "", seen)
    apart = re.sub(r"""['"]""", ";", seen).replace("\\", "")
    for form in (joined, apart):
        for part in re.split(r"[;&|<>(){}`\n\r]", form):
            if words := tuple(re.split(r"[\s,$]+", part.strip())):
                yield words


def _has_options(words: tuple[str, ...], wanted: list[str]) -> bool:
    """Whether every option is there, alone or among others: -rf has -r and -f."""
    letters = {letter for word in words if re.fullmatch(r"-\w+", word) for letter in word[1:]}
    whole = {word.partition("=")[0] for word in words} | set(words)
    return all(word in whole or (_is_short(word) and set(word[1:]) <= letters) for word in wanted)


def _is_short(option: str) -> bool:
    return re.fullmatch(r"-\w+", option) is not None


def _has_in_order(words: tuple[str, ...], wanted: list[str]) -> bool:
    """Whether the words are there in this order, whatever stands between them."""
    given = iter(normalised(("", *words))[1:])
    return all(any(word in {ANY_WORD, each} for each in given) for word in wanted)
