"""``plangate propose``: what an agent does, from the command line."""

from __future__ import annotations

import argparse

from plangate._client import Client
from plangate._common.text_safety import visible, written_out
from plangate._values import Decision
from plangate.cli._durations import duration
from plangate.cli._exits import DONE, NOT_DECIDED, OF_OUTCOMES
from plangate.cli._gate import gate
from plangate.cli._json import print_json
from plangate.cli._looking import took_place
from plangate.cli._parsing import add_json, add_target
from plangate.cli._plan_files import content_of, read_file
from plangate.cli._standing import whose
from plangate.cli._words import spoken, state_of
from plangate.planfile.reader import read_plan_file
from plangate_proto.agent.v1.plan_resource_pb2 import RevisionInfo
from plangate_proto.agent.v1.review_resource_pb2 import Review


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="a plan file or any Markdown, or - for standard input")
    add("--name", default="", help="what the plan is called (default what the file says)")
    add(
        "--todo",
        action="append",
        default=[],
        metavar="TEXT",
        help="a todo beside those of the file; repeatable",
    )
    add("--agent", default="", metavar="ID", help="the agent that proposes it")
    add("--session", default="", metavar="ID", help="the session that it belongs to")
    add("--expires", type=duration, metavar="DURATION", help="how long people have, like 30min, 2h or 3d")
    add("--approvals", type=int, default=0, metavar="N", help="how many persons must approve")
    add(
        "--wait",
        action="store_true",
        help="wait for the decision; exits with 0 if approved (as it is or as edited), 3 rejected, "
        "4 expired, 5 changes requested, 6 withdrawn or superseded by another text",
    )
    add_json(parser)
    add_target(parser)


def run(given: argparse.Namespace) -> int:
    with gate(given) as client:
        content = content_of(read_file(given.file, read_plan_file))
        plan = client.create_plan(
            **{**content, "name": given.name or content["name"], "todos": [*content["todos"], *given.todo]},
            agent_id=given.agent,
            session_id=given.session,
            expires_after=given.expires,
            required_approvals=given.approvals,
        )
        if not given.json:
            print(f"{visible(plan.file_name)} is {state_of(plan).text}\n{plan.plan_uri}", flush=True)
        if not given.wait:
            if given.json:
                print_json(plan)
            return DONE
        decision = client.wait(plan)
        newer = _successor(client, decision.review)
    if given.json:
        print_json(decision.review)
    else:
        _tell(decision)
        if newer is not None:
            print(f"{whose(newer)} took its place: this text was not decided about")
    return OF_OUTCOMES.get(decision.outcome, NOT_DECIDED)


def _successor(client: Client, review: Review) -> RevisionInfo | None:
    """The revision that people are asked about instead, if there is one."""
    if not review.superseded_by:
        return None
    return next((each for each in client.revisions(review.plan_uri) if took_place(each, review)), None)


def _tell(decision: Decision) -> None:
    by = [f"by {visible(decision.reviewer)}"] if decision.reviewer else []
    print(spoken(decision.outcome), *by)
    if decision.feedback:
        print(*map(written_out, decision.feedback.split("\n")), sep="\n")
