"""Reads what error_reason.proto promises about each reason."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PROTO = Path(__file__).parents[2] / "protos" / "agent" / "v1" / "error_reason.proto"

_VALUE = re.compile(r"ERROR_REASON_(?P<reason>[A-Z0-9_]+) = \d+;")
_PROMISE = re.compile(
    r"Status: (?P<status>[A-Z_]+)\. Metadata: (?P<keys>none|[][a-z_, ]+)\."
    r"(?P<retry> Carries RetryInfo\.)?"
)
_KEY = re.compile(r"[a-z]+(?:_[a-z]+)*|\[[a-z]+(?:_[a-z]+)*\]")


class ErrorPromise(NamedTuple):
    """What a refusal with a reason carries: its status, and its metadata and details."""

    status: str
    required_keys: frozenset[str]
    optional_keys: frozenset[str]
    carries_retry_info: bool


def comments() -> dict[str, list[str]]:
    """The lines of the comment above each value, by reason: the name without its prefix."""
    return dict(_comments(PROTO.read_text(encoding="utf-8").splitlines()))


def promises() -> dict[str, ErrorPromise]:
    """What each reason promises, by reason; fails on a comment that does not say it."""
    return {
        reason: parse_promise(reason, lines)
        for reason, lines in comments().items()
        if reason != "UNSPECIFIED"
    }


def parse_promise(reason: str, comment: list[str]) -> ErrorPromise:
    lines = [line for line in comment if line.startswith("Status:")]
    if len(lines) != 1:
        raise ValueError(f"{reason}: {len(lines)} lines begin with 'Status:' instead of one")
    match = _PROMISE.fullmatch(lines[0])
    if match is None:
        raise ValueError(f"{reason}: cannot read {lines[0]!r}")
    keys = [] if match["keys"] == "none" else match["keys"].split(", ")
    if len(set(keys)) != len(keys) or not all(_KEY.fullmatch(key) for key in keys):
        raise ValueError(f"{reason}: cannot read the keys {match['keys']!r}")
    return ErrorPromise(
        status=match["status"],
        required_keys=frozenset(key for key in keys if not key.startswith("[")),
        optional_keys=frozenset(key.strip("[]") for key in keys if key.startswith("[")),
        carries_retry_info=match["retry"] is not None,
    )


def _comments(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    comment: list[str] = []
    for line in map(str.strip, lines):
        if line.startswith("//"):
            comment.append(line.removeprefix("//").strip())
            continue
        if value := _VALUE.fullmatch(line):
            yield value["reason"], comment
        comment = []
