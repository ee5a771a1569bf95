"""``plangate backup``: a copy of the server's own database."""

from __future__ import annotations

from argparse import Namespace

from plangate.cli._server import run_server_module


def run(given: Namespace) -> int:
    return run_server_module("plangate_server.backup_command", "plangate backup", given.arguments)
