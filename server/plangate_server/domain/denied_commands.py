"""Whether a text might run a command that is denied: in any shell, in any disguise that can be seen through.

It says yes too often rather than too seldom. What only a shell can work out, like the value of a variable, it
cannot see: whatever is compound is never allowed without asking, and that does not rest on this.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from plangate_server.domain.command_patterns import ANY_REST, ANY_WORD, CommandPattern
from plangate_server.domain.commands import read_command
from plangate_server.domain.programs import program_of
from plangate_server.domain.unicode_forms import normal_form

Words: TypeAlias = tuple[str, ...]
Places: TypeAlias = Mapping[str, Sequence[tuple[Words, int]]]
"""Where each program could be: in which words, and after how many of them."""

LOOK_ALIKES: Final = {
    **dict.fromkeys(range(0x2010, 0x2016), "-"),
    **dict.fromkeys(range(0x2018, 0x2020), "'"),
    0x2212: "-",
}
"""Dashes and quotes of books, which PowerShell takes for its own."""

SHORT: Final = 8192
"""In characters. Of longer texts, which take more room, only the last is kept: many patterns ask about it."""
MOST_PLACES: Final = 5000
"""Different commands of one program in a text. More take too long to look through, and might be any."""


def might_run(text: str, pattern: CommandPattern) -> bool:
    """Whether any part of a text could be a command that the pattern means; more words may follow it."""
    argv = read_command(text)
    if argv is not None and pattern.matches(argv):
        return True
    program, *rest = [word for part in pattern.words for word in _folded(part).split()]
    wanted = [word for word in rest if word not in {ANY_WORD, ANY_REST}]
    options = [word for word in wanted if word.startswith("-")]
    plain = [word for word in wanted if not word.startswith("-")]
    places = _places_in_short(text) if len(text) <= SHORT else _places_in_long(text)
    found = places.get(program_of(program), ())
    return len(found) > MOST_PLACES or any(
        _has_options(words[start:], options) and _has_in_order(words[start:], plain) for words, start in found
    )


def _places(text: str) -> Places:
    """Every word that could be a program, also one that another program runs.

    Of several in a row the first is enough: more words follow it than the others.
    """
    found: defaultdict[str, list[tuple[Words, int]]] = defaultdict(list)
    for words in {words for form in {*_forms(text)} for words in _fragments(form)}:
        first: dict[str, int] = {}
        for place, word in enumerate(words):
            for part in {word, word.rpartition("=")[2]}:
                first.setdefault(program_of(part), place)
        for program, place in first.items():
            found[program].append((words, place + 1))
    return dict(found)


_places_in_short: Final = lru_cache(maxsize=64)(_places)
_places_in_long: Final = lru_cache(maxsize=1)(_places)


def _folded(text: str) -> str:
    """Without quotes, and without what looks the same or is not seen."""
    return re.sub(r"""['"]""", "", _seen(text))


def _seen(text: str) -> str:
    """As a person sees it, and as lenient shells read it: one form of a letter, of a dash and of a quote."""
    plain = normal_form("NFKD", _without_marks(text.translate(LOOK_ALIKES)))
    return _without_marks(plain.casefold())


def _without_marks(text: str) -> str:
    if text.isascii():
        return text
    return "".join(c for c in text if c.isascii() or unicodedata.category(c) not in {"Cf", "Mn", "Me"})


def _forms(text: str) -> Iterator[str]:
    """The ways in which shells could read a text: what each takes for nothing, for a space, or for an end."""
    seen = re.sub(r"[\\^`]\r?\n", "", _seen(text))
    seen = re.sub(r"\$\(\s*\)|``|\$\{ifs[^}$]*\}|\$ifs(?![a-z0-9_])|\$'\\[tn]'", _emptied, seen)
    seen = re.sub(r"\$(?:[0-9@*#?!-]|\{[0-9@*#?!-]\})", "", seen)
    # Without what is substituted, and without redirections.
    bare = re.sub(r"(?:[<>]\s{0,9})?[<>$]?\([^()]*\)", " ", seen)
    bare = re.sub(r"(?:&|\d{0,3})(?:<<<?|<>|>>|>\||<|>)&?\s*[^\s;&|<>()`]*", " ", bare)
    for form in {seen, bare}:
        yield re.sub(r"[\\^]", "", _folded(form))
        yield re.sub(r"[\\^`{},]", "", _folded(form))
        yield re.sub(r"[{},\[\]]", " ", _folded(form))
        yield _folded(form.replace("\\", "/"))
        yield _folded(re.sub(r"""['"]""", ";", form)).replace("\\", "")


def _emptied(found: re.Match[str]) -> str:
    return " " if "ifs" in found.group() or "'" in found.group() else ""


def _fragments(form: str) -> Iterator[Words]:
    """The runs of words between whatever ends a command in some shell."""
    for part in re.split(r"[;&|<>()`\n\r]", form):
        if words := tuple(part.replace("$", " ").split()):
            yield words


def _has_options(words: Words, wanted: Sequence[str]) -> bool:
    """Whether every option is there: alone, among others as -r and -f in -rf, or cut short."""
    if not wanted:
        return True
    given = {word.partition("=")[0] for word in words if word.startswith("-")}
    letters = {letter for word in given if not word.startswith("--") for letter in word[1:]}
    long = [word for word in given if word.startswith("--") and len(word) > 2]
    return all(
        option in given
        or option in words
        or (not option.startswith("--") and set(option[1:]) <= letters)
        or any(option.partition("=")[0].startswith(word) for word in long)
        for option in wanted
    )


def _has_in_order(words: Words, wanted: Sequence[str]) -> bool:
    """Whether the words are there in this order, whatever stands between them."""
    given = iter(words)
    return all(any(_alike(word, each) for each in given) for word in wanted)


def _alike(wanted: str, given: str) -> bool:
    return given == wanted or _plainest(given) == _plainest(wanted)


def _plainest(word: str) -> str:
    """A path without anything that does not change where it leads."""
    return re.sub(r"(^|/)(\./)+", r"\1", re.sub(r"/{2,}", "/", word)).rstrip("/") or word
