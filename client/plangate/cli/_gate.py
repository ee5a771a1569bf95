"""A connection to the gate, for a command."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from plangate._agent import AGENT_ID
from plangate._client import Client
from plangate._common.text_safety import visible
from plangate._line import OnLine
from plangate._tokens import Role
from plangate.cli._exits import FAILED
from plangate.errors import GateUnreachable, MissingCredentials, PlangateError


class CommandError(Exception):
    """What the person at the terminal should read; the command ends with exit code 1."""


class Connection:
    """Tells beside the output that the gate is away: nobody should take silence for peace."""

    def __init__(self) -> None:
        self.was_there = False

    def tell(self, problem: GateUnreachable | None) -> None:
        if not self.was_there:
            return  # a gate that never was there is not waited for: the command ends with that
        words = "the gate answers again" if problem is None else f"{visible(problem.words)}; trying again"
        print(f"plangate: {words}", file=sys.stderr, flush=True)


@contextmanager
def gate(
    given: Namespace, exit_code: int = FAILED, role: Role | None = None, on_line: OnLine | None = None
) -> Iterator[Client]:
    """A client; what goes wrong with it ends the command with one line, not a traceback.

    ``role`` is that of the least token to show, for calls that both agents and people make; ``on_line`` is
    told when the gate is away, and when it is back. An agent that uses commands is known by its token, and by
    the name that it gives itself, if it does.
    """
    agent_id = None if AGENT_ID in os.environ else ""
    try:
        client = Client(given.target, role=role, agent_id=agent_id, on_line=on_line)
    except ValueError as error:
        _end(str(error), exit_code)
    with client, complaining(exit_code):
        yield client


@contextmanager
def complaining(exit_code: int = FAILED) -> Iterator[None]:
    """Whatever the person should know ends the command with one line."""
    try:
        yield
    except CommandError as error:
        _end(str(error), exit_code)
    except MissingCredentials:
        _end("no token for this gate is found: set PLANGATE_TOKEN ('plangate doctor' shows more)", exit_code)
    except PlangateError as error:
        _end(error.words, exit_code)
    except UnicodeEncodeError as error:  # what a shell passes need not be text
        _end(f"{error.object!r} is not text in UTF-8: write it anew", exit_code)


def _end(words: str, exit_code: int) -> NoReturn:
    print(f"plangate: {visible(words)}", file=sys.stderr)
    sys.exit(exit_code)
