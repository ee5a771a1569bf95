"""``plangate pending``: what waits for a decision."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from plangate.cli._finding import short_id
from plangate.cli._gate import gate
from plangate.cli._json import print_json_list
from plangate.cli._parsing import add_json, add_target
from plangate.cli._tables import Row, print_table
from plangate.cli._words import rounded
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
    elif plans:
        print_table(HEADINGS, [_row(plan) for plan in plans])
    else:
        print("nothing waits for a decision")
    return 0


def _row(plan: Plan) -> Row:
    waiting = datetime.now(UTC) - plan.review.request_time.ToDatetime(tzinfo=UTC)
    return (short_id(plan), plan.name, plan.created_by, str(len(plan.todos)), rounded(waiting))
