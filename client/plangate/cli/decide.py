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
        glass = _break_glass(given)
        if not _is_meant(plan, given):
            print("nothing was decided")
            return 1
        words = getattr(given, "words", "")
        decision = client.decide(plan, given.option, words, break_glass_reason=glass)
    outcome = decision.outcome.lower().replace("_", " ")
    print(f"{visible(plan.file_name)}: {outcome}{', with the glass broken' if glass else ''}")
    return 0


def _break_glass(given: Namespace) -> str:
    """Why an admin goes past the rules; empty if nobody wants to."""
    reason: str | None = getattr(given, "break_glass", None)
    if reason is not None and not reason.strip():
        raise CommandError("--break-glass is blank: say why, for everybody to read")
    return reason or ""


def _is_meant(plan: Plan, given: Namespace) -> bool:
    """The person names the digest they saw, or sees the plan now and says yes."""
    if given.digest is not None:
        if len(given.digest) < 8 or not plan.digest.startswith(given.digest.lower()):
            raise CommandError(f"the plan's digest is {plan.digest}: look at it again ('plangate show')")
        return True
    if not sys.stdin.isatty():
        raise CommandError("nobody is there to ask: give --digest, at least 8 digits of it")
    print_plan(plan)
    past = " past four_eyes and the number of approvals" if _break_glass(given) else ""
    try:
        answer = input(f"\n{given.name.capitalize()} this plan{past}? [y/N] ")
    except EOFError:
        print()
        return False
    return answer.strip().lower() in {"y", "yes"}
