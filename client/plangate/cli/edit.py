"""``plangate edit``: change a plan in an editor, then approve it as edited, or put it to review."""

from __future__ import annotations

import argparse

from plangate._client import Client
from plangate._common.text_safety import visible
from plangate._editing import content_of
from plangate._tokens import REVIEWER
from plangate.cli._asking import is_somebody_there
from plangate.cli._exits import DONE, FAILED
from plangate.cli._finding import find_plan
from plangate.cli._gate import CommandError, gate
from plangate.cli._parsing import add_plan, add_target
from plangate.cli._settling import Way, approving, until_settled
from plangate.cli._words import state_of
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Opens the plan's file in $VISUAL, $EDITOR or vi, shows what you changed, and asks what to do with "
        "it. What you wrote is lost only if you say so: if the gate refuses it, the file is kept and named."
    )
    add_plan(parser)
    add_target(parser)


def run(given: argparse.Namespace) -> int:
    with gate(given, role=REVIEWER) as client:
        if not is_somebody_there():
            raise CommandError("an editor needs a terminal: run it in one, or say it with 'request-changes'")
        plan = find_plan(client, given.plan, PlanState.PLAN_STATE_IN_REVIEW)
        if plan.state != PlanState.PLAN_STATE_IN_REVIEW:
            raise CommandError(f"{plan.file_name} is {state_of(plan).text}: only what is in review is edited")
        ways = {"a": approving(client, plan), "s": _saving(client, plan)}
        return DONE if until_settled(plan, ways) else FAILED


def _saving(client: Client, plan: Plan) -> Way:
    def send(edited: CreatePlanParams) -> str:
        saved = client.update_plan(plan, edited.plan, **content_of(edited), whole=True)
        return f"{visible(saved.file_name)}: saved as revision {saved.revision}, which waits for a decision"

    return Way("save for others to review", send)
