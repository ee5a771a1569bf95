"""A tool's arguments as JSON: read strictly, in one form, and taken apart by what each text is for.

Of a name that is there twice some readers take the first and some the last: nobody knows what would be done.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

from msgspec import Struct

from plangate_server.domain.touched import is_possible

DEEPEST: Final = 100
"""What is nested deeper, nobody reads with certainty."""
MOST_EXACT: Final = 2**53
"""Up to here, a whole number is the same in a message that knows only floating-point ones."""
MOST_DIGITS: Final = 16
LONGEST_LIST: Final = 64
"""Of a path that is written as a list of its parts."""
MOST_TEXTS: Final = 2000
"""What has more texts, nobody reads with certainty; taking it apart would hold up others."""
LONGEST_KEPT: Final = 4096

PATH_WORDS: Final = (
    *("path", "file", "dir", "folder", "uri", "cwd", "root", "location"),
    *("source", "src", "target", "dest", "dst"),
)
"""An argument whose name has one of these in it is taken for a path."""

COMMAND_WORDS: Final = (
    *("command", "cmd", "script", "code", "shell", "exec"),
    *("argv", "program", "interpreter", "entrypoint", "stdin"),
)
"""An argument whose name has one of these in it is taken for something that is run."""

RUN_WORDS: Final = frozenset(
    {
        *("command", "commands", "commandline", "cmd", "cmds", "cmdline", "script", "scripts", "shell"),
        *(
            "exec",
            "executable",
            "bash",
            "powershell",
            "argv",
            "program",
            "interpreter",
            "entrypoint",
            "stdin",
        ),
    }
)
"""A name with one of these words is beyond doubt that of something that is run."""

CONTENT: Final = frozenset(
    {
        *("content", "contents", "text", "body", "file_text", "file_content", "file_contents", "insert_text"),
        *(
            "old_str",
            "new_str",
            "old_string",
            "new_string",
            "old_text",
            "new_text",
            "replacement",
            "markdown",
        ),
        *("message", "description", "title", "summary", "reason", "prompt", "instructions", "explanation"),
        *("comment", "note", "notes", "diff", "patch", "snippet", "code_edit"),
    }
)
"""Names of what is written into a file, or told to people: prose, in which paths may be mentioned."""

SETTINGS: Final = frozenset(
    {
        *(
            "mode",
            "encoding",
            "charset",
            "language",
            "lang",
            "format",
            "action",
            "operation",
            "op",
            "command",
        ),
        *("newline", "eol", "line_ending", "type"),
    }
)
WORDS_OF_SETTINGS: Final = frozenset(
    {
        *("r", "w", "a", "rb", "wb", "ab", "r+", "w+", "utf-8", "utf8", "utf-16", "ascii", "latin-1", "lf"),
        *("crlf", "auto", "none", "create", "write", "append", "overwrite", "replace", "insert", "update"),
        *("str_replace", "view", "read", "edit", "undo_edit", "markdown", "text", "json", "yaml", "python"),
    }
)
"""What such a setting is set to, which is no path."""

_PARAMETER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


class Unreadable(ValueError):
    """No JSON object that can be read in one way only."""


class RepeatedName(Unreadable):
    """A name that is there twice."""

    def __init__(self, name: str) -> None:
        super().__init__(f"has the name {name[:64]!r} twice")


class Read(Struct, frozen=True):
    """Every text in some arguments, by what it is for."""

    texts: tuple[str, ...] = ()
    """All of them, and the names inside, which may be data."""
    paths: tuple[str, ...] = ()
    """Those under a name of a path."""
    loose: tuple[str, ...] = ()
    """Those under a name that says nothing: they could be paths."""
    commands: tuple[str, ...] = ()
    """Those under a name that sounds like something that is run."""
    runs: bool = False
    """Whether a name says beyond doubt that something is run."""


class Number(str):
    """A number as it was written."""

    __slots__ = ()


def read_json(text: str) -> object:
    """What the text says, with numbers as they are written; or Unreadable."""
    try:
        return json.loads(
            text,
            object_pairs_hook=_named_once,
            parse_int=Number,
            parse_float=Number,
            parse_constant=_refused,
        )
    except Unreadable:
        raise
    except (ValueError, RecursionError):
        raise Unreadable("cannot be read as JSON") from None


def read_object(text: str) -> Mapping[str, object]:
    """The arguments that a text holds, an empty one being none; or Unreadable."""
    return _read_short(text) if len(text) <= LONGEST_KEPT else _read_object(text)


def _read_object(text: str) -> Mapping[str, object]:
    value = read_json(text or "{}")
    if not isinstance(value, dict):
        raise Unreadable("is no JSON object")
    if _depth(value) > DEEPEST:
        raise Unreadable(f"is nested more than {DEEPEST} deep")
    return value


_read_short: Final = lru_cache(maxsize=256)(_read_object)


def canonical(text: str) -> str | None:
    """Arguments in one form whatever their order and spaces; None if they cannot be read.

    A whole number is written as one, however it was sent; any other number stays as it was written.
    """
    try:
        return _written(read_object(text))
    except Unreadable:
        return None


def taken_apart(arguments: Mapping[str, object]) -> Read:
    """Every text in the arguments, by the names that it stands under; or Unreadable, if they are too many."""
    texts: list[str] = []
    paths: list[str] = []
    loose: list[str] = []
    commands: list[str] = []
    runs = False
    for number, (name, value, is_name, top) in enumerate(_walk(arguments)):
        if number >= MOST_TEXTS:
            raise Unreadable(f"has more than {MOST_TEXTS} texts")
        plain = _plain_name(name[:256])
        is_path = plain not in CONTENT and any(word in plain for word in PATH_WORDS)
        if is_name:
            # The name of a parameter is no text; any other one is, and so is each where paths are expected.
            if _PARAMETER.fullmatch(value) and (top or not is_path):
                texts += [] if top else [value]
                continue
        elif any(word in plain for word in COMMAND_WORDS):
            commands.append(value)
            runs = runs or not RUN_WORDS.isdisjoint(plain.split("_"))
        texts.append(value)
        if is_path:
            paths.append(value)
        elif is_name or (plain not in CONTENT and not _is_setting(plain, value)):
            loose.append(value)
    return Read(tuple(texts), tuple(paths), tuple(loose), tuple(commands), runs)


def repeats_a_name(text: str) -> str:
    """What is wrong with a text that would be JSON if no name were in it twice; empty if nothing is."""
    if not text.lstrip().startswith(("{", "[")):
        return ""
    try:
        read_json(text)
    except RepeatedName as repeated:
        return str(repeated)
    except Unreadable:
        return ""
    return ""


def _walk(arguments: Mapping[str, object]) -> Iterator[tuple[str, str, bool, bool]]:
    """Each text with the name that it stands under, whether it is a name itself, and one at the top."""
    waiting: list[tuple[str, object, bool, bool]] = [("", arguments, True, False)]
    while waiting:
        under, value, top, below = waiting.pop()
        if isinstance(value, Mapping):
            for name, each in value.items():
                is_known = below and _plain_name(name[:256]) in CONTENT
                yield under, name, True, top or is_known
                # What stands inside of something that has a name of a path is a path, whatever its own name.
                inside = _is_of_path(under)
                waiting.append((under if inside and not is_known else name, each, False, inside))
        elif isinstance(value, list):
            waiting.extend((under, each, False, below) for each in value)
            if 1 < len(value) <= LONGEST_LIST and all(type(each) is str for each in value):
                joined = "/".join(value)
                if is_possible(joined):  # or else it is a list of paths
                    yield under, joined, False, False  # a path as a list of its parts
        elif type(value) is str:
            yield under, value, False, False


def _is_of_path(name: str) -> bool:
    plain = _plain_name(name[:256])
    return plain not in CONTENT and any(word in plain for word in PATH_WORDS)


def _is_setting(plain: str, value: str) -> bool:
    return plain in SETTINGS and value.casefold() in WORDS_OF_SETTINGS


@lru_cache(maxsize=1024)
def _plain_name(name: str) -> str:
    """fileText, file-text and FILE_TEXT as file_text."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"[^a-z0-9]+", "_", apart.casefold()).strip("_")


def _named_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    named = dict(pairs)
    if len(named) < len(pairs):
        raise RepeatedName(Counter(name for name, _ in pairs).most_common(1)[0][0])
    return named


def _refused(constant: str) -> object:
    raise Unreadable(f"has {constant}, which is no JSON")


def _depth(value: object) -> int:
    deepest, waiting = 0, [(value, 1)]
    while waiting and deepest <= DEEPEST:
        each, depth = waiting.pop()
        deepest = max(deepest, depth)
        if isinstance(each, dict):
            waiting.extend((inner, depth + 1) for inner in each.values())
        elif isinstance(each, list):
            waiting.extend((inner, depth + 1) for inner in each)
    return deepest


def _written(value: object) -> str:
    if isinstance(value, Number):
        return _plain_number(value)
    if isinstance(value, dict):
        parts = (f"{json.dumps(name)}:{_written(each)}" for name, each in sorted(value.items()))
        return f"{{{','.join(parts)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_written, value))}]"
    return json.dumps(value)


def _plain_number(text: str) -> str:
    """1, 1.0 and 1e0 are the same on every wire, as far as all of them keep whole numbers exact."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    if number.adjusted() > MOST_DIGITS or number != number.to_integral_value() or abs(number) > MOST_EXACT:
        return text
    return str(int(number))
