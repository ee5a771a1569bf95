"""``python -m plangate_server.backup_command``: a copy of the embedded database, in use or not."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from plangate._common.text_safety import visible
from plangate_server.settings import Parser, add_database, complain, read_database
from plangate_server.storage.backup import CannotBackUp, CopiedLog, back_up

INTERRUPTED: Final = 130


def main(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    reader = parser()
    given = reader.parse_args(arguments)
    source = read_database(reader, given, environment).sqlite_path
    if source is None:
        reader.error("a PostgreSQL database is copied with pg_dump: see docs/operations.md")
    target = Path(given.file)
    try:
        found = back_up(source, target)
    except CannotBackUp as problem:
        complain([f"plangate: {problem}"])
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    print(f"{visible(str(target))}: {target.stat().st_size} bytes, checked")
    print(*map(_line, found), sep="\n", end="\n" if found else "")
    return 0


def parser() -> argparse.ArgumentParser:
    reader = Parser(
        prog="plangate backup",
        description="Copy the SQLite database of a gate, running or not, to a file, and check the copy.",
        epilog="Prints the head of the event log, SEQUENCE:HASH, to be saved elsewhere. Exits with 0 if the "
        "copy is whole and its log holds; otherwise with 1, and what was in the file before stays.",
    )
    reader.add_argument("file", metavar="FILE", help="where the copy goes; an older one is replaced")
    add_database(reader)
    return reader


def _line(log: CopiedLog) -> str:
    entries = "entry" if log.verdict.checked == 1 else "entries"
    head = f"{log.verdict.head_sequence}:{log.verdict.head_hash}"
    return f"workspace {visible(log.workspace)}: {log.verdict.checked} {entries}, head {head}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
