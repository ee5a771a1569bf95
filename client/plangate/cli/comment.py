"""``plangate comment add|list|resolve``: what people say about a plan without deciding."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence

from plangate._client import Client
from plangate.cli._decisions import comment_lines
from plangate.cli._finding import closest, find_plan
from plangate.cli._gate import CommandError, gate
from plangate.cli._json import print_json, print_json_list
from plangate.cli._line_ranges import line_range
from plangate.cli._looking import all_comments
from plangate.cli._parsing import add_actions, add_json, add_plan, add_target, revision
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_resource_pb2 import Comment


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = add_actions(
        parser,
        {
            "add": "say something about a plan, or about some of its lines",
            "list": "list what was said about a plan, the oldest first",
            "resolve": "mark a comment as done",
        },
    )
    for action in actions.values():
        add_plan(action)
    actions["add"].add_argument("words", metavar="WORDS", help="what you say")
    actions["add"].add_argument(
        "--lines",
        type=line_range,
        default=(0, 0),
        metavar="A-B",
        help="the lines of the plan's text that it is about, counted from 1 (default all of it)",
    )
    actions["add"].add_argument(
        "--revision", type=revision, metavar="N", help="the revision that you looked at (default the latest)"
    )
    actions["resolve"].add_argument("comment", metavar="COMMENT", help="its id, as 'list' shows it")
    for action in actions.values():
        add_json(action)
        add_target(action)


def run(given: argparse.Namespace) -> int:
    with gate(given) as client:
        ACTIONS[given.action](client, find_plan(client, given.plan), given)
    return 0


def _add(client: Client, plan: Plan, given: argparse.Namespace) -> None:
    seen = plan if given.revision is None else client.get_plan(plan, revision=given.revision)
    _tell(client.comment(seen, given.words, *given.lines), given)


def _list(client: Client, plan: Plan, given: argparse.Namespace) -> None:
    comments = _comments(client, plan)
    if given.json:
        print_json_list(comments)
    elif comments:
        print(*(line for each in comments for line in comment_lines(each)), sep="\n")
    else:
        print("nobody has said anything")


def _resolve(client: Client, plan: Plan, given: argparse.Namespace) -> None:
    match closest(_comments(client, plan), given.comment, lambda each: (each.comment_id, _short(each))):
        case [comment]:
            _tell(client.resolve_comment(comment), given)
        case found:
            fit = f"{len(found)} comments fit" if found else "no comment fits"
            raise CommandError(f"{fit} {given.comment!r}: see 'plangate comment list {given.plan}'")


ACTIONS: Mapping[str, Callable[[Client, Plan, argparse.Namespace], None]] = {
    "add": _add,
    "list": _list,
    "resolve": _resolve,
}


def _comments(client: Client, plan: Plan) -> Sequence[Comment]:
    """All of them; a plan that was never in review has none."""
    return all_comments(client, client.review(plan)) if plan.review.approval_request_id else ()


def _tell(comment: Comment, given: argparse.Namespace) -> None:
    if given.json:
        print_json(comment)
    else:
        print(*comment_lines(comment), sep="\n")


def _short(comment: Comment) -> str:
    return comment.comment_id[-8:]
