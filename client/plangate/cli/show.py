"""``plangate show``."""

from __future__ import annotations

from argparse import Namespace

from plangate.cli._gate import find_plan, gate, print_plan


def run(given: Namespace) -> int:
    with gate() as client:
        print_plan(find_plan(client, given.plan))
    return 0
