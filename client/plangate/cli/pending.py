"""``plangate pending``: what waits for a decision."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from plangate.cli._finding import short_id
from plangate.cli._gate import gate
from plangate.cli._json import print_json_list
from plangate.cli._parsing import add_json, add_target
from plangate.cli._standing import approvals_of
from plangate.cli._tables import print_table
from plangate.cli._words import age, text_by, time_left
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState

HEADINGS = ("PLAN", "NAME", "BY", "TODOS", "WAITING")


def arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    add_target(parser)


def run(given: argparse.Namespace) -> int:
    with gate(given) as client:
        plans = list(client.list_plans(PlanState.PLAN_STATE_IN_REVIEW))
        if given.json:
            print_json_list(plans)
            return 0
        calls = sum(1 for _ in client.tool_calls())
    if plans:
        _print(plans)
    if calls:
        wait = "a tool call waits" if calls == 1 else f"{calls} tool calls wait"
        print(f"{wait}, too: see 'plangate approvals'" if plans else f"{wait}: see 'plangate approvals'")
    elif not plans:
        print("nothing waits for a decision")
    return 0


def _print(plans: Sequence[Plan]) -> None:
    """What hardly any plan has is a column only if one of them has it."""
    headings, rows = [*HEADINGS], [_row(plan) for plan in plans]
    if any(plan.review.HasField("expire_time") for plan in plans):
        headings.append("EXPIRES")
        rows = [[*row, _expiry(plan)] for row, plan in zip(rows, plans, strict=True)]
    if any(plan.review.required_approvals > 1 for plan in plans):
        headings.append("APPROVALS")
        rows = [[*row, approvals_of(plan.review)] for row, plan in zip(rows, plans, strict=True)]
    print_table(headings, rows)


def _row(plan: Plan) -> list[str]:
    waiting = age(plan.review.request_time)
    return [short_id(plan), plan.name, text_by(plan), str(len(plan.todos)), waiting]


def _expiry(plan: Plan) -> str:
    review = plan.review
    return f"in {time_left(review.expire_time)}" if review.HasField("expire_time") else "never"
