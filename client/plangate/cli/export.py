"""``plangate export``: plans as files."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

from plangate._common.text_safety import visible
from plangate.cli._exits import DONE, FAILED
from plangate.cli._files import whole_file
from plangate.cli._finding import find_plan
from plangate.cli._gate import CommandError, gate
from plangate.cli._parsing import add_plan, add_target, revision
from plangate.planfile.api import from_plan
from plangate.planfile.names import UnsafeName, file_in
from plangate.planfile.writer import write_plan_file
from plangate_proto.agent.v1.plan_resource_pb2 import Plan

STANDARD_OUTPUT = "-"
FOR_ALL = 0o666
"""Whom the umask lets. A file that is replaced stays open to those to whom it was."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Exits with 0 if every file is there with its plan's text, 1 otherwise."
    which = parser.add_mutually_exclusive_group(required=True)
    add_plan(which, nargs="?")
    which.add_argument("--all", action="store_true", help="every plan that the gate has")
    parser.add_argument(
        "--revision", type=revision, metavar="N", help="this revision of it (default the newest)"
    )
    parser.add_argument(
        "--output",
        default=".",
        metavar="FILE",
        help="a file, a folder for files of the plans' own names (default this one), or - for a pipe",
    )
    parser.add_argument("--force", action="store_true", help="replace a file that says something else")
    add_target(parser)


def run(given: argparse.Namespace) -> int:
    if given.all:
        return _export_all(given)
    with gate(given) as client:
        plan = find_plan(client, given.plan)
        if given.revision is not None:
            plan = client.get_plan(plan, revision=given.revision)
        if given.output == STANDARD_OUTPUT:
            _print(plan)
        else:
            print(_written(plan, Path(given.output), force=given.force))
    return DONE


def _export_all(given: argparse.Namespace) -> int:
    failed = False
    with gate(given) as client:
        if given.revision is not None or not Path(given.output).is_dir():
            raise CommandError("--all takes a folder that is there as --output, and no --revision")
        for plan in client.list_plans():
            try:
                print(_written(plan, Path(given.output), force=given.force), flush=True)
            except CommandError as problem:
                failed = True
                print(f"plangate: {visible(str(problem))}", file=sys.stderr)
    return FAILED if failed else DONE


def _print(plan: Plan) -> None:
    if sys.stdout.isatty():
        raise CommandError("what a plan says could act on the terminal: give a file, or see 'plangate show'")
    sys.stdout.buffer.write(write_plan_file(from_plan(plan)))
    sys.stdout.buffer.flush()


def _written(plan: Plan, to: Path, *, force: bool) -> str:
    """Write the plan's file, unless it is there; gives what was done, in words."""
    data = write_plan_file(from_plan(plan))
    try:
        path = file_in(to, plan.file_name) if to.is_dir() else to
        if path.is_symlink():
            raise CommandError(f"{path} is a symbolic link, which is not followed: move it away")
        there = path.read_bytes() if path.is_file() else None
        if there == data:
            return f"{visible(os.fspath(path))}: unchanged"
        if there is not None and not force:
            raise CommandError(f"{path} is there and says something else: give --force to replace it")
        with whole_file(path, FOR_ALL) as file:
            if there is not None:
                shutil.copymode(path, file.name)
            file.write(data)
    except UnsafeName as unsafe:
        raise CommandError(f"the gate gave a file name that is none: {unsafe}") from None
    except OSError as error:
        raise CommandError(f"{to} cannot be written: {error.strerror or error}") from None
    return f"{visible(os.fspath(path))}: {'replaced' if there is not None else 'written'}"
