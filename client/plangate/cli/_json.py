"""Output for programs: messages as protobuf writes them in JSON, the same as every other client shows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from google.protobuf.message import Message


def print_json(message: Message) -> None:
    """One message."""
    print(_written(_plain(message), indent=2))


def print_json_list(messages: Iterable[Message]) -> None:
    """All of them as one array."""
    print(_written([_plain(message) for message in messages], indent=2))


def print_json_facts(messages: Iterable[tuple[Message, Mapping[str, bool]]]) -> None:
    """All of them as one array, each with facts beside its own fields."""
    print(_written([{**_plain(message), **facts} for message, facts in messages], indent=2))


def print_json_line(message: Message) -> None:
    """A message of a stream: one line, at once."""
    print(_written(_plain(message), indent=None), flush=True)


def _plain(message: Message) -> dict[str, Any]:
    # Loaded only now: most output is for people.
    plain: dict[str, Any] = import_module("google.protobuf.json_format").MessageToDict(message)
    return plain


def _written(value: Any, indent: int | None) -> str:
    # Nothing but ASCII: also in JSON, what a plan says must not act on a terminal.
    return json.dumps(value, indent=indent)
