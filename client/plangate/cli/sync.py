"""``plangate sync``: a folder of plan files, in step with the gate in both directions."""

from __future__ import annotations

import argparse
import os
import queue
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from plangate._client import Client
from plangate._common.text_safety import visible
from plangate.cli._exits import FAILED, WRONG_USAGE
from plangate.cli._gate import CommandError, gate
from plangate.cli._parsing import add_target
from plangate.folder.approved import Approved
from plangate.folder.files import Directory, NotAFile
from plangate.folder.following import Following
from plangate.folder.hearing import Queue, hear, hear_of_plans
from plangate.folder.keeper import Keeper
from plangate.folder.memory import FolderTaken, opened_folder, opened_note
from plangate.folder.running import CannotWatch, Sync

CALL_SECONDS: Final = 5.0
"""While a call is repeated, nothing else is looked at; what was to be done is not forgotten."""


def arguments(parser: argparse.ArgumentParser) -> None:
    once = "bring it into step and end, with 1 if there was anything to say"
    approved_to = "write the text that was approved last to this file, and nothing else; also without DIR"
    session = "of --approved-to: only what was approved in this session"
    folder = "the folder; made if it is missing"
    with_parent = "end with the process that started this, as 'plangate serve' needs it"
    parser.add_argument("folder", type=Path, metavar="DIR", nargs="?", help=folder)
    parser.add_argument("--once", action="store_true", help=once)
    parser.add_argument("--approved-to", type=Path, metavar="FILE", help=approved_to)
    parser.add_argument("--approved-session", default="", metavar="SESSION", help=session)
    parser.add_argument("--with-parent", action="store_true", help=with_parent)
    add_target(parser)


def run(given: argparse.Namespace) -> int:
    if problem := _misused(given):
        print(f"plangate: {problem}", file=sys.stderr)
        return WRONG_USAGE
    with gate(given, role="reviewer" if given.folder else None) as client:
        try:
            return _keep(client, given) if given.folder else _follow(client, given)
        except (CannotWatch, FolderTaken, NotAFile) as problem:
            raise CommandError(str(problem)) from None
        except OSError as problem:
            raise CommandError(f"{given.folder or given.approved_to}: {problem.strerror}") from None


def _misused(given: argparse.Namespace) -> str:
    """What is wrong with the arguments; empty if nothing is."""
    if not given.folder and not given.approved_to:
        return "name a folder, or a file for what was approved (--approved-to FILE)"
    if given.approved_session and not given.approved_to:
        return "--approved-session goes with --approved-to FILE: name the file, or leave it out"
    if given.folder and not given.once and find_spec("watchfiles") is None:
        return "to watch a folder, pip install 'plangate[folder]'"
    return ""


class Teller:
    """Says what a person should know, and counts how often."""

    def __init__(self) -> None:
        self.said = 0

    def __call__(self, name: str, words: str) -> None:
        self.said += 1
        about = f"{visible(name)}: " if name else ""
        print(f"plangate: {about}{visible(words)}", file=sys.stderr, flush=True)

    @property
    def code(self) -> int:
        return FAILED if self.said else 0


def _keep(client: Client, given: argparse.Namespace) -> int:
    tell = Teller()
    with opened_folder(given.folder) as (folder, memory):
        brief = client.within(CALL_SECONDS)
        approved = _approved(given, brief, memory.own, tell) if given.approved_to else None
        sync = Sync(brief, Keeper(brief, folder, memory, tell), approved)
        if given.once:
            sync.catch_up()
            return tell.code
        heard: Queue = queue.SimpleQueue()
        hear(client, given.folder, heard)
        sync.run(heard, _goes_on(given))
    return 0


def _follow(client: Client, given: argparse.Namespace) -> int:
    """The file of what was approved, without a folder."""
    tell = Teller()
    with opened_note(given.approved_to.absolute()) as own:
        brief = client.within(CALL_SECONDS)
        following = Following(brief, _approved(given, brief, own, tell))
        if given.once:
            following.look_once()
            return tell.code
        heard: Queue = queue.SimpleQueue()
        hear_of_plans(client, heard, given.approved_session)
        following.run(heard, _goes_on(given))
    return 0


def _approved(given: argparse.Namespace, client: Client, own: Directory, tell: Teller) -> Approved:
    return Approved(given.approved_to.absolute(), client, own, tell, given.approved_session)


def _goes_on(given: argparse.Namespace) -> Callable[[], bool]:
    parent = os.getppid()
    return lambda: not given.with_parent or os.getppid() == parent
