"""Decide about the very text that was shown."""

from __future__ import annotations

import argparse
from argparse import Namespace
from typing import Final, TextIO

from plangate._client import Client
from plangate._common.text_safety import visible
from plangate._values import Decision
from plangate.cli._asking import for_people, is_somebody_there, is_yes
from plangate.cli._decisions import is_last_approval, sent
from plangate.cli._exits import DONE, FAILED
from plangate.cli._finding import find_plan
from plangate.cli._gate import CommandError, gate
from plangate.cli._json import print_json
from plangate.cli._looking import look_at
from plangate.cli._parsing import add_json, add_plan, add_target
from plangate.cli._remarks import Remarks, print_comments, print_meanwhile
from plangate.cli._showing import print_plan
from plangate.cli._standing import is_waiting
from plangate.cli._words import spoken
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState

FEWEST_DIGITS: Final = 8


def decision_arguments(parser: argparse.ArgumentParser, *, words: bool) -> None:
    add_plan(parser)
    if words:
        parser.add_argument("words", metavar="WORDS", help="what to do differently")
    parser.add_argument(
        "--digest", metavar="HEX", help="decide without being asked, if this is the plan's digest"
    )
    add_json(parser)
    add_target(parser)


def decide(given: Namespace, option: str, verb: str, *, words: str = "", glass: str = "") -> int:
    with gate(given) as client:
        plan = find_plan(client, given.plan, PlanState.PLAN_STATE_IN_REVIEW)
        remarks = Remarks(client, plan)
        if given.digest is None:
            to = for_people(given)
            plan = _shown(client, plan, to, remarks)
            past = " past four_eyes and the number of approvals" if glass else ""
            goes_along = option != "approve" or bool(glass) or is_last_approval(plan.review)
            if not _is_certain(f"{verb} this plan{past}", to, remarks, goes_along=goes_along):
                print("nothing was decided", file=to)
                return FAILED
        else:
            check_digest(given.digest, plan.digest, "the plan", "plangate show")
        decision = client.decide(plan, option, words, break_glass_reason=glass)
    if given.json:
        print_json(decision.review)
        return DONE
    with_glass = ", with the glass broken" if glass else ""
    print(f"{visible(plan.file_name)}: {outcome_of(decision)}{with_glass}")
    print_comments(remarks.not_shown(decision.review.comments))
    return DONE


def check_digest(given: str, digest: str, what: str, command: str) -> None:
    """Whoever decides without being asked names the digest of what they saw."""
    if len(given) < FEWEST_DIGITS or not digest.startswith(given.lower()):
        raise CommandError(f"{what}'s digest is {digest}: look at it again ('{command}')")


def check_somebody_is_there() -> None:
    if not is_somebody_there():
        raise CommandError(f"nobody is there to ask: give --digest, at least {FEWEST_DIGITS} digits of it")


def outcome_of(decision: Decision) -> str:
    """What became of the review, and what went along; it may need more of the same."""
    review = decision.review
    if is_waiting(review):
        return f"approved, as one of {review.required_approvals} that are needed"
    return with_comments(spoken(decision.outcome), decision)


def with_comments(words: str, decision: Decision) -> str:
    """What was decided, and how much that people had said went along."""
    return ", ".join(filter(None, (words, sent(decision.review))))


def _shown(client: Client, plan: Plan, to: TextIO, remarks: Remarks) -> Plan:
    """The very plan that the person now has before their eyes."""
    check_somebody_is_there()
    seen = look_at(client, plan)
    print_plan(seen, to)
    remarks.take(seen.remarks)
    return seen.plan


def _is_certain(decided: str, to: TextIO, remarks: Remarks, *, goes_along: bool) -> bool:
    """Whether the person says yes, having been shown all that goes along with it."""
    while is_yes(f"{decided}{remarks.along() if goes_along else ''}?", to):
        if not (new := remarks.look_again()):
            return True
        print_meanwhile(new, to)
    return False
