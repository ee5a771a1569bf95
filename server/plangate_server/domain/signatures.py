"""What calls of one sort have in common: the form in which decisions about them are remembered."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from functools import lru_cache
from typing import Final

import msgspec

from plangate_server.domain.command_patterns import in_words
from plangate_server.domain.commands import normalised, read_command
from plangate_server.domain.tools import ToolKind

MOST_SHOWN: Final = 1024
"""A signature that is longer is kept as a hash."""
MOST_DIGITS: Final = 16
MOST_EXACT: Final = 2**53
"""Up to here, a whole number is the same in a message that knows only floating-point ones."""


def signature(kind: ToolKind, command: str) -> str | None:
    """What a decision about a call is remembered by; None if it cannot be."""
    match kind:
        case ToolKind.TERMINAL:
            words = read_command(command)
            return None if words is None else _in_plainest_words(words)
        case ToolKind.EDIT:
            return _hashed(command)
        case ToolKind.MCP:
            arguments = canonical_arguments(command)
            return arguments if arguments is None or len(arguments) <= MOST_SHOWN else _hashed(arguments)


@lru_cache(maxsize=1024)
def _in_plainest_words(words: tuple[str, ...]) -> str:
    return in_words(normalised(words))


def signature_hash(kind: ToolKind, tool: str, command: str) -> str:
    """What calls of one sort have in common, without telling what they do."""
    said = msgspec.json.encode((kind, tool, signature(kind, command) or command))
    return hashlib.sha256(said).hexdigest()


def canonical_arguments(text: str) -> str | None:
    """Arguments as JSON in one form whatever their order and spaces; None if they are no JSON object.

    A whole number is written as one, however it was sent; any other number stays as it was written.
    """
    try:
        arguments = json.loads(
            text or "{}",
            object_pairs_hook=_unique,
            parse_int=_Number,
            parse_float=_Number,
            parse_constant=_refused,
        )
        return _written(arguments) if isinstance(arguments, dict) else None
    except (ValueError, RecursionError):
        return None


class _Number(str):
    """A number as it was written."""

    __slots__ = ()


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name twice")
    return dict(pairs)


def _refused(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


def _plain_number(text: str) -> str:
    """1, 1.0 and 1e0 are the same on every wire, as far as all of them keep whole numbers exact."""
    number = Decimal(text)
    if number.adjusted() > MOST_DIGITS or number != number.to_integral_value() or abs(number) > MOST_EXACT:
        return text
    return str(int(number))


def _written(value: object) -> str:
    if isinstance(value, _Number):
        return _plain_number(value)
    if isinstance(value, dict):
        parts = (f"{json.dumps(name)}:{_written(each)}" for name, each in sorted(value.items()))
        return f"{{{','.join(parts)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_written, value))}]"
    return json.dumps(value)


def _hashed(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
