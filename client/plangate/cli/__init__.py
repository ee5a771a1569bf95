"""The ``plangate`` command. Each subcommand is imported when it runs, so that every one starts fast."""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
from collections.abc import Sequence

from plangate.cli._commands import OF_THE_SERVER, SUMMARIES
from plangate.cli._exits import INTERRUPTED, PIPE_CLOSED
from plangate.cli._parsing import load, no_command, parse

# Or gRPC's own log lines would stand between ours.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand; its exit code is what a script can rely on."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["--version"]:
        arguments = ["version"]
    if not arguments or arguments[0] not in SUMMARIES:
        no_command(arguments)
    name, *rest = arguments
    command = load(name)
    if name in OF_THE_SERVER:
        return command.run(argparse.Namespace(arguments=rest))
    given = parse(command.parser, rest)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that does not know a character shows its number, and the command goes on.
        sys.stdout.reconfigure(errors="backslashreplace")
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # At once: there is nothing to clean up, and closing a channel that is just being used can hang.
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    try:
        return command.run(given)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
