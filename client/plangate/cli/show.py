"""``plangate show``."""

from __future__ import annotations

import argparse

from plangate.cli._finding import find_plan
from plangate.cli._gate import gate
from plangate.cli._json import print_json
from plangate.cli._looking import look_at
from plangate.cli._parsing import add_json, add_plan, add_target, revision
from plangate.cli._showing import print_choices, print_plan


def arguments(parser: argparse.ArgumentParser) -> None:
    add_plan(parser)
    parser.add_argument(
        "--revision", type=revision, metavar="N", help="as it was at this revision (default the latest)"
    )
    parser.add_argument(
        "--since",
        type=revision,
        metavar="N",
        help="tell what changed since this revision (default the last one that people decided about); "
        "with --json, tell only that",
    )
    add_json(parser)
    add_target(parser)


def run(given: argparse.Namespace) -> int:
    with gate(given) as client:
        plan = find_plan(client, given.plan)
        if given.json:
            wanted = client.diff(plan, given.since, given.revision or 0) if given.since else None
            print_json(wanted or client.get_plan(plan, revision=given.revision))
            return 0
        seen = look_at(client, plan, revision=given.revision, since=given.since)
    print_plan(seen)
    print_choices(seen)
    return 0
