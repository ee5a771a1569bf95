"""JSON from elsewhere, taken apart with care: what is not as expected is refused, never guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final, TypeAlias

from plangate.planfile.characters import BOM, decoded
from plangate.planfile.front_matter import PLAN_KEYS, TODO_KEYS
from plangate.planfile.model import Extra
from plangate.planfile.problems import PlanFileError, shown
from plangate.planfile.yaml_subset import flow, scalar

Json: TypeAlias = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None
Record: TypeAlias = Mapping[str, Json]

DEEPEST: Final = 15
KEY_CHARACTERS: Final = 200
_OURS: Final = frozenset({*PLAN_KEYS, *TODO_KEYS})
_BEGINS: Final = re.compile(rb"\s*(?:\{|\[\s*[{\]])")
_NOT_TEXT: Final = re.compile("[\0\ud800-\udfff]")


def looks_like_json(data: bytes) -> bool:
    """Whether the file begins like JSON and unlike Markdown, where a bracket begins a link."""
    return _BEGINS.match(data.removeprefix(BOM)) is not None


def parsed(data: bytes) -> Json:
    """The value in a file; nothing in it is dropped, and every text of it is one that a plan can have."""
    try:
        value: Json = json.loads(decoded(data), object_pairs_hook=_object, parse_constant=_no_number)
    except json.JSONDecodeError as wrong:
        raise PlanFileError(wrong.lineno, f"this is not JSON: {wrong.msg}") from None
    except (RecursionError, ValueError):
        raise PlanFileError(1, "this JSON is nested too deep, or has a number that is too long") from None
    _check(value)
    return value


def records(value: Json) -> list[Record] | None:
    """The value as a list of objects, at least one; None if it is something else."""
    if not isinstance(value, list) or not value or not all(isinstance(each, dict) for each in value):
        return None
    return value


def unwrapped(value: Json, *keys: str) -> Json:
    """What a tool call was given, if the value is a tool call: those keys lead to it, from outside in."""
    for key in keys:
        if isinstance(value, dict) and key in value:
            inner = value[key]
            is_text = isinstance(inner, str) and looks_like_json(inner.encode())
            value = parsed(inner.encode()) if is_text else inner
    return value


def text(record: Record, key: str, where: str) -> str:
    """A text or a number as a text; empty if the key is missing or null."""
    value = record.get(key)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise PlanFileError(1, f"{where}.{key} must be a text")
    return str(value)


def required(record: Record, key: str, where: str) -> str:
    found = text(record, key, where)
    if not found.strip():
        raise PlanFileError(1, f"{where}.{key} is missing: say what it is")
    return found


def texts(record: Record, key: str, where: str) -> list[str]:
    """A list of texts; nothing if the key is missing or null."""
    given = record.get(key)
    if given is None:
        return []
    if not isinstance(given, list):
        raise PlanFileError(1, f"{where}.{key} must be a list")
    return [required({key: each}, key, where) for each in given]


def extras(record: Record, known: Collection[str], where: str) -> tuple[Extra, ...]:
    """All other keys, each on one line: JSON is YAML, too."""
    others = {key: value for key, value in record.items() if key not in known}
    for key in others:
        if key in _OURS or len(key) > KEY_CHARACTERS:
            raise PlanFileError(1, f"{where} has {shown(key)}, which does not belong there: remove it")
    return tuple(Extra(key, f"{scalar(key)}: {_written(value)}") for key, value in others.items())


def _written(value: Json) -> str:
    return scalar(value) if isinstance(value, str) else flow(value)


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise PlanFileError(1, "an object of this JSON has a key twice: keep one")
    return found


def _no_number(word: str) -> Json:
    raise PlanFileError(1, f"{word} is no number in JSON: remove it")


def _check(value: Json) -> None:
    """Refuse what is nested too deep to be written as front matter, and what is no text."""
    waiting: list[tuple[Json, int]] = [(value, 1)]
    while waiting:
        each, depth = waiting.pop()
        if isinstance(each, str):
            if _NOT_TEXT.search(each):
                raise PlanFileError(1, f"there is a character that a text cannot have: {shown(each)}")
        elif isinstance(each, dict | list):
            if depth > DEEPEST:
                raise PlanFileError(1, f"this is nested more than {DEEPEST} levels deep: make it flatter")
            inside = (*each, *each.values()) if isinstance(each, dict) else each
            waiting += [(inner, depth + 1) for inner in inside]
