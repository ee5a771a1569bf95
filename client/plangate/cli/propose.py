"""``plangate propose``: what an agent does, from the command line."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from plangate._values import Decision
from plangate.cli._exits import FAILED, NOT_DECIDED, OF_OUTCOMES
from plangate.cli._gate import gate
from plangate.cli._json import print_json
from plangate.cli._parsing import add_json, add_target
from plangate.cli._text import visible, visible_lines
from plangate.cli._words import spoken


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="a Markdown file, or - for standard input")
    parser.add_argument("--name", default="", help="what the plan is called")
    parser.add_argument("--todo", action="append", default=[], metavar="TEXT", help="a todo; repeatable")
    parser.add_argument("--agent", default="", metavar="ID", help="the agent that proposes it")
    parser.add_argument(
        "--wait",
        action="store_true",
        help="wait for the decision; exits with 0 if approved (as it is or as edited), 3 rejected, "
        "4 expired, 5 changes requested, 6 anything else",
    )
    add_json(parser)
    add_target(parser)


def run(given: argparse.Namespace) -> int:
    try:
        data = sys.stdin.buffer.read() if given.file == "-" else Path(given.file).read_bytes()
        text = data.decode()
        for argument in (given.name, given.agent, *given.todo):
            argument.encode()  # what a shell passes need not be text either
    except (OSError, UnicodeError) as error:
        print(f"plangate: {visible(given.file)} cannot be read as text: {error}", file=sys.stderr)
        return FAILED
    with gate(given) as client:
        plan = client.create_plan(text, name=given.name, todos=given.todo, agent_id=given.agent)
        if not given.json:
            print(f"{visible(plan.file_name)} is in review\n{plan.plan_uri}", flush=True)
        if not given.wait:
            if given.json:
                print_json(plan)
            return 0
        decision = client.wait(plan)
    if given.json:
        print_json(decision.review)
    else:
        _tell(decision)
    return OF_OUTCOMES.get(decision.outcome, NOT_DECIDED)


def _tell(decision: Decision) -> None:
    by = [f"by {visible(decision.reviewer)}"] if decision.reviewer else []
    print(spoken(decision.outcome), *by)
    if decision.feedback:
        print(*visible_lines(decision.feedback), sep="\n")
