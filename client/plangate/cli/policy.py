"""``plangate policy``: what the server would make of a policy file."""

from __future__ import annotations

import argparse

from plangate.cli._server import run_server_module


def arguments(parser: argparse.ArgumentParser) -> None:
    """The server reads its own."""


def run(given: argparse.Namespace) -> int:
    return run_server_module("plangate_server.policy_command", "plangate policy", given.arguments)
