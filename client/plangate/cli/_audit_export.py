"""``plangate audit export``: the whole event log in a file that can be checked without the gate."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from plangate._audit import Entry
from plangate._audit_file import Export
from plangate.cli._files import whole_file
from plangate.cli._gate import CommandError, gate
from plangate.cli._text import counted_entries
from plangate_proto.aiserver.v1.plan_review_service_pb2 import AuditEntry

ONLY_OWNER: Final = 0o600
"""The log holds what everybody said."""


def run(given: Namespace) -> int:
    export = Export()
    with gate(given) as client:
        lines = export.lines(map(_entry, client.audit_entries()), datetime.now(UTC))
        if given.output == "-":
            sys.stdout.buffer.writelines(lines)
            sys.stdout.buffer.flush()
        else:
            _write(Path(given.output), lines, export)
            print(counted_entries(export.head.sequence, export.without_content, export.head))
        _check(export)
    return 0


def _check(export: Export) -> None:
    if export.removed_meanwhile:
        raise CommandError(
            f"retention removed the content of entry {export.removed_meanwhile} while the log was exported: "
            "export it again"
        )


def _entry(entry: AuditEntry) -> Entry:
    return Entry(entry.sequence, entry.entry, entry.hash, None if entry.content_removed else entry.content)


def _write(path: Path, lines: Iterable[bytes], export: Export) -> None:
    """An older export stays if the new one would not hold."""
    try:
        with whole_file(path.resolve(), ONLY_OWNER) as file:
            file.writelines(lines)
            _check(export)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror or error}") from None
