"""``plangate propose``: what an agent does, from the command line."""

from __future__ import annotations

import argparse

from plangate._client import Client
from plangate._values import Decision
from plangate.cli._durations import duration
from plangate.cli._exits import DONE, NOT_DECIDED, OF_OUTCOMES
from plangate.cli._gate import gate
from plangate.cli._json import print_json
from plangate.cli._looking import took_place
from plangate.cli._parsing import add_json, add_target
from plangate.cli._plan_files import content_of, read_file
from plangate.cli._standing import whose
from plangate.cli._text import visible, visible_lines
from plangate.cli._words import spoken, state_of
from plangate.planfile.reader import read_plan_file
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, RevisionInfo


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
        decision, newer = _about(client, plan, decision)
    if given.json:
        print_json(decision.review)
    elif newer is not None:
        print(spoken(decision.outcome))
        print(f"{whose(newer)} took its place: this text was not decided about")
    else:
        _tell(decision)
    return OF_OUTCOMES.get(decision.outcome, NOT_DECIDED)


def _about(client: Client, plan: Plan, decision: Decision) -> tuple[Decision, RevisionInfo | None]:
    """What became of the very text that was proposed, and the agent's text that took its place, if one did:
    what was decided about another text is no answer, also if it came from the same author.
    """
    review = decision.review
    if review.digest == plan.digest and not review.superseded_by:
        return decision, None
    revisions = list(client.revisions(plan))
    if review.superseded_by:
        return decision, next((each for each in revisions if took_place(each, review)), None)
    own = next(each for each in revisions if each.revision == plan.revision)
    for each in revisions:
        if own.revision < each.revision <= review.revision and each.author == own.author:
            return Decision(own.review, plan), each
    return decision, None


def _tell(decision: Decision) -> None:
    by = [f"by {visible(decision.reviewer)}"] if decision.reviewer else []
    print(spoken(decision.outcome), *by)
    if decision.feedback:
        print(*visible_lines(decision.feedback), sep="\n")
