"""The ``plangate`` command. Each subcommand is imported when it runs, so that every one starts fast."""

from __future__ import annotations

import argparse
import errno
import io
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final

from plangate.cli._commands import OF_THE_SERVER, SUMMARIES
from plangate.cli._exits import FAILED, INTERRUPTED, PIPE_CLOSED
from plangate.cli._parsing import load, no_command, parse

# Or gRPC's own log lines would stand between ours.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

OF_OUTPUT: Final = frozenset({errno.EBADF, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC})
"""What goes wrong when a file that is already open is written: the others have the name of a file."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand; its exit code is what a script can rely on."""
    try:
        try:
            return _run(list(sys.argv[1:] if argv is None else argv))
        finally:
            _flush()
    except BrokenPipeError:
        _give_up_output()
        return PIPE_CLOSED
    except OSError as error:
        if error.filename is not None or error.errno not in OF_OUTPUT:
            raise
        _give_up_output()
        print(f"plangate: the output cannot be written: {error.strerror or error}", file=sys.stderr)
        return FAILED


def _run(arguments: list[str]) -> int:
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
    return command.run(given)


def _flush() -> None:
    if sys.stdout is not None:  # there is none if it was closed before we began
        sys.stdout.flush()


def _give_up_output() -> None:
    """Or what is still in its buffer would be tried once more at the end, and complained about."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
