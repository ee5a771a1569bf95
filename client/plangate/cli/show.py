"""``plangate show``."""

from __future__ import annotations

import argparse

from plangate.cli._finding import find_plan
from plangate.cli._gate import gate
from plangate.cli._json import print_json
from plangate.cli._parsing import add_json, add_plan, add_target
from plangate.cli._showing import print_plan


def arguments(parser: argparse.ArgumentParser) -> None:
    add_plan(parser)
    add_json(parser)
    add_target(parser)


def run(given: argparse.Namespace) -> int:
    with gate(given) as client:
        plan = find_plan(client, given.plan)
    if given.json:
        print_json(plan)
    else:
        print_plan(plan)
    return 0
