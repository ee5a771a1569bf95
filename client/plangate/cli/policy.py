"""``plangate policy``: what the server would make of a policy file."""

from __future__ import annotations

from argparse import Namespace

from plangate.cli._server import run_server_module


def run(given: Namespace) -> int:
    return run_server_module("plangate_server.policy_command", "plangate policy", given.arguments)
