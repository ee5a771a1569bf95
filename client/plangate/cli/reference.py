"""``plangate reference``: say that an agent works with a plan."""

from __future__ import annotations

import argparse

from plangate._common.text_safety import visible
from plangate.cli._finding import find_plan
from plangate.cli._gate import gate
from plangate.cli._json import print_json
from plangate.cli._parsing import add_json, add_plan, add_target
from plangate.cli._words import counted


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Whoever looks at the plan sees who refers to it. Nothing else about it changes, and doing it again "
        "changes nothing. Whoever takes todos with 'build' refers to the plan by that."
    )
    add_plan(parser)
    parser.add_argument("--agent", default="", metavar="ID", help="the agent (default the name of the token)")
    add_json(parser)
    add_target(parser)


def run(given: argparse.Namespace) -> int:
    with gate(given) as client:
        plan = client.reference(find_plan(client, given.plan), agent_id=given.agent)
    if given.json:
        print_json(plan)
    else:
        agents = counted(len(plan.referenced_by), "agent")
        print(visible(f"{plan.file_name}: {agents} referring to it, {', '.join(plan.referenced_by)}"))
    return 0
