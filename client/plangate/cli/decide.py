"""``plangate approve``, ``reject`` and ``request-changes``: decide about the very text that was shown."""

from __future__ import annotations

import sys
from argparse import Namespace

from plangate.cli._gate import CommandError, find_plan, gate, print_plan
from plangate.cli._text import visible
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState


def run(given: Namespace) -> int:
    with gate() as client:
        plan = find_plan(client, given.plan, PlanState.PLAN_STATE_IN_REVIEW)
        if not _is_meant(plan, given):
            print("nothing was decided")
            return 1
        words = getattr(given, "words", "")
        decision = client.decide(plan, given.option, words)
    print(f"{visible(plan.file_name)}: {decision.outcome.lower().replace('_', ' ')}")
    return 0


def _is_meant(plan: Plan, given: Namespace) -> bool:
    """The person names the digest they saw, or sees the plan now and says yes."""
    if given.digest is not None:
        if len(given.digest) < 8 or not plan.digest.startswith(given.digest.lower()):
            raise CommandError(f"the plan's digest is {plan.digest}: look at it again ('plangate show')")
        return True
    if not sys.stdin.isatty():
        raise CommandError("nobody is there to ask: give --digest, at least 8 digits of it")
    print_plan(plan)
    try:
        answer = input(f"\n{given.name.capitalize()} this plan? [y/N] ")
    except EOFError:
        print()
        return False
    return answer.strip().lower() in {"y", "yes"}
