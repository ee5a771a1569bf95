"""Decide about the very text that was shown."""

from __future__ import annotations

import argparse
import sys
from argparse import Namespace

from plangate.cli._finding import find_plan
from plangate.cli._gate import CommandError, gate
from plangate.cli._json import print_json
from plangate.cli._parsing import add_json, add_plan, add_target
from plangate.cli._showing import print_plan
from plangate.cli._text import visible
from plangate.cli._words import spoken
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState


def decision_arguments(parser: argparse.ArgumentParser, *, words: bool) -> None:
    add_plan(parser)
    if words:
        parser.add_argument("words", help="what to do differently")
    parser.add_argument(
        "--digest", metavar="HEX", help="decide without being asked, if this is the plan's digest"
    )
    add_json(parser)
    add_target(parser)


def decide(given: Namespace, option: str, verb: str, *, words: str = "", glass: str = "") -> int:
    with gate(given) as client:
        plan = find_plan(client, given.plan, PlanState.PLAN_STATE_IN_REVIEW)
        past = " past four_eyes and the number of approvals" if glass else ""
        if not _is_meant(plan, given.digest, f"{verb} this plan{past}?"):
            print("nothing was decided")
            return 1
        decision = client.decide(plan, option, words, break_glass_reason=glass)
    if given.json:
        print_json(decision.review)
        return 0
    with_glass = ", with the glass broken" if glass else ""
    print(f"{visible(plan.file_name)}: {spoken(decision.outcome)}{with_glass}")
    return 0


def _is_meant(plan: Plan, digest: str | None, question: str) -> bool:
    """The person names the digest they saw, or sees the plan now and says yes."""
    if digest is not None:
        if len(digest) < 8 or not plan.digest.startswith(digest.lower()):
            raise CommandError(f"the plan's digest is {plan.digest}: look at it again ('plangate show')")
        return True
    if not sys.stdin.isatty():
        raise CommandError("nobody is there to ask: give --digest, at least 8 digits of it")
    print_plan(plan)
    try:
        answer = input(f"\n{question} [y/N] ")
    except EOFError:
        print()
        return False
    return answer.strip().lower() in {"y", "yes"}
