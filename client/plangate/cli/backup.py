"""``plangate backup``: a copy of the server's own database."""

from __future__ import annotations

import argparse

from plangate.cli._server import run_server_module


def arguments(parser: argparse.ArgumentParser) -> None:
    """The server reads its own."""


def run(given: argparse.Namespace) -> int:
    return run_server_module("plangate_server.backup_command", "plangate backup", given.arguments)
