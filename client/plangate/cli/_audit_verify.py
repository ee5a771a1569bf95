"""``plangate audit verify``: whether the event log is the one that was written. A file needs no gate."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from plangate._audit import Chain, Head
from plangate._audit_file import BadExport, verify_export
from plangate._common.text_safety import visible
from plangate.cli._text import counted_entries

BROKEN, UNCHECKED = 1, 2


def run(given: Namespace) -> int:
    try:
        saved = Head.parse(given.head) if given.head is not None else None
    except ValueError as error:
        return _complain(UNCHECKED, f"--head {error}")
    if given.file is None:
        # Loaded only now: a file is checked without gRPC.
        ask: Callable[[Namespace, Head | None], int] = import_module("plangate.cli._audit_at_gate").ask
        return ask(given, saved)
    try:
        chain = _verified(given.file, saved)
    except OSError as error:
        return _complain(UNCHECKED, f"{given.file} cannot be read: {error.strerror}")
    except BadExport as bad:
        return _complain(BROKEN, f"{given.file}: {bad}")
    print(counted_entries(chain.head.sequence, chain.without_content, chain.head))
    return 0


def _verified(name: str, saved: Head | None) -> Chain:
    if name == "-":
        return verify_export(sys.stdin.buffer, saved)
    with Path(name).open("rb") as file:
        return verify_export(file, saved)


def _complain(code: int, problem: str) -> int:
    print(f"plangate: {visible(problem)}", file=sys.stderr)
    return code
