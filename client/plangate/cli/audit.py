"""``plangate audit export|verify``."""

from __future__ import annotations

import argparse
from importlib import import_module

from plangate.cli._parsing import Run, add_actions, add_target


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = add_actions(
        parser,
        {
            "export": "write the whole event log to a file that can be checked anywhere",
            "verify": "check that no entry of the event log was altered, removed or moved",
        },
    )
    export, verify = actions["export"], actions["verify"]
    export.epilog = "Exits with 0 if all of it was written, 1 otherwise."
    export.add_argument(
        "--output", metavar="FILE", default="-", help="where to write it (default standard output)"
    )
    verify.epilog = (
        "Prints how many entries there are and the head, SEQUENCE:HASH, to be saved elsewhere. Exits with 0 "
        "if the log holds, 1 if it does not (the first bad entry is named), 2 if it could not be checked."
    )
    verify.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="an export, or - for standard input; left out, the gate is asked",
    )
    verify.add_argument(
        "--head",
        metavar="SEQUENCE:HASH",
        help="a head saved earlier: finds out if the log was cut off or exchanged since",
    )
    add_target(export)
    add_target(verify)


def run(given: argparse.Namespace) -> int:
    # Loaded only now: a file is verified without gRPC.
    action: Run = import_module(f"plangate.cli._audit_{given.action}").run
    return action(given)
