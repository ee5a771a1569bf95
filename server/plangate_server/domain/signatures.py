"""What calls of one sort have in common: the form in which decisions about them are remembered."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Final

import msgspec

from plangate_server.domain.arguments import canonical
from plangate_server.domain.commands import in_words, normalised, read_command
from plangate_server.domain.tools import ToolKind

MOST_SHOWN: Final = 1024
"""A signature that is longer is kept as a hash."""


def signature(kind: ToolKind, command: str) -> str | None:
    """What a decision about a call is remembered by; None if it cannot be."""
    match kind:
        case ToolKind.TERMINAL:
            words = read_command(command)
            return None if words is None else _in_plainest_words(words)
        case ToolKind.EDIT:
            return _hashed(command)
        case ToolKind.MCP:
            arguments = canonical(command)
            return arguments if arguments is None or len(arguments) <= MOST_SHOWN else _hashed(arguments)


@lru_cache(maxsize=1024)
def _in_plainest_words(words: tuple[str, ...]) -> str:
    return in_words(normalised(words))


def signature_hash(kind: ToolKind, tool: str, command: str) -> str:
    """What calls of one sort have in common, without telling what they do."""
    said = msgspec.json.encode((kind, tool, signature(kind, command) or command))
    return hashlib.sha256(said).hexdigest()


def _hashed(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
