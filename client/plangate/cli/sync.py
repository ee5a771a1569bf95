"""``plangate sync``: a folder of plan files, in step with the gate in both directions."""

from __future__ import annotations

import argparse
import os
import queue
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from plangate._client import Client
from plangate.cli._exits import FAILED, WRONG_USAGE
from plangate.cli._gate import CommandError, gate
from plangate.cli._parsing import add_target
from plangate.cli._text import visible
from plangate.folder.approved import Approved
from plangate.folder.files import NotAFile
from plangate.folder.hearing import Queue, hear
from plangate.folder.keeper import Keeper
from plangate.folder.memory import FolderTaken, opened_folder
from plangate.folder.running import CannotWatch, Sync

CALL_SECONDS: Final = 5.0
"""While a call is repeated, nothing else is looked at; what was to be done is not forgotten."""


def arguments(parser: argparse.ArgumentParser) -> None:
    once = "bring it into step and end, with 1 if there was anything to say"
    approved_to = "write the text that was approved last to this file, and nothing else"
    with_parent = "end with the process that started this, as 'plangate serve' needs it"
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder; made if it is missing")
    parser.add_argument("--once", action="store_true", help=once)
    parser.add_argument("--approved-to", type=Path, metavar="FILE", help=approved_to)
    parser.add_argument("--with-parent", action="store_true", help=with_parent)
    add_target(parser)


def run(given: argparse.Namespace) -> int:
    if not given.once and find_spec("watchfiles") is None:
        print("plangate: to watch a folder, pip install 'plangate[folder]'", file=sys.stderr)
        return WRONG_USAGE
    with gate(given, role="reviewer") as client:
        try:
            return _keep(client, given)
        except (CannotWatch, FolderTaken, NotAFile) as problem:
            raise CommandError(str(problem)) from None
        except OSError as problem:
            raise CommandError(f"{given.folder}: {problem.strerror}") from None


def _keep(client: Client, given: argparse.Namespace) -> int:
    said = 0

    def tell(name: str, words: str) -> None:
        nonlocal said
        said += 1
        about = f"{visible(name)}: " if name else ""
        print(f"plangate: {about}{visible(words)}", file=sys.stderr, flush=True)

    with opened_folder(given.folder) as (folder, memory):
        brief = client.within(CALL_SECONDS)
        target = given.approved_to and given.approved_to.absolute()
        approved = Approved(target, brief, memory, tell) if target else None
        sync = Sync(brief, Keeper(brief, folder, memory, tell), approved)
        if given.once:
            sync.catch_up()
            return FAILED if said else 0
        heard: Queue = queue.SimpleQueue()
        hear(client, given.folder, heard)
        parent = os.getppid()
        sync.run(heard, lambda: not given.with_parent or os.getppid() == parent)
    return 0
