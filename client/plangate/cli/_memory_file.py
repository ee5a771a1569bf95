"""What is remembered, in a file: the request that restores it, as protobuf writes it in JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from plangate.cli._gate import CommandError
from plangate_proto.agent.v1.tool_approval_service_pb2 import Remembered, RestoreMemoryRequest

STANDARD_INPUT: Final = "-"
MOST_BYTES: Final = 64 * 1024**2
MOST_AT_ONCE: Final = 100
"""So many are restored by one call, which restores all of them or none."""
MOST_BYTES_AT_ONCE: Final = 2 * 1024**2


def read_memory(name: str) -> Sequence[Remembered]:
    """The answers in a file that 'export' has written."""
    try:
        if name == STANDARD_INPUT:
            data = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror or error}") from None
    if len(data) > MOST_BYTES:
        raise CommandError(f"{name} has more than {MOST_BYTES // 1024**2} MiB: no export is that large")
    # Loaded only now: most commands need none of it.
    json_format: Any = import_module("google.protobuf.json_format")
    request = RestoreMemoryRequest()
    try:
        json_format.Parse(data, request)
    except (json_format.ParseError, UnicodeDecodeError, RecursionError) as problem:
        raise CommandError(f"{name} is no export of what is remembered: {problem}") from None
    if request.validate_only or request.request_id or not request.remembered:
        raise CommandError(f"{name} is no export of what is remembered: it must have answers, and only them")
    return request.remembered


def in_parts(answers: Sequence[Remembered]) -> Iterator[Sequence[Remembered]]:
    """As many at once as one call takes."""
    part: list[Remembered] = []
    size = 0
    for answer in answers:
        if part and (len(part) == MOST_AT_ONCE or size + answer.ByteSize() > MOST_BYTES_AT_ONCE):
            yield part
            part, size = [], 0
        part.append(answer)
        size += answer.ByteSize()
    yield part
