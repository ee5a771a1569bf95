"""`plangate comment`: what people say about a plan without deciding."""

import json

import pytest

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.review_resource_pb2 import CommentState
from tests.helpers.command_line import CommandLine, Done


@pytest.fixture
def plan(client: Client) -> Plan:
    return client.create_plan("# Tidy\n\nsort\nsweep")


def said(line: str) -> str:
    """What is said of a comment, without its id and its age."""
    return line.partition("  ")[2].rpartition(", ")[0]


@pytest.mark.parametrize(
    ("options", "about"),
    [
        ((), "on the whole plan"),
        (("--lines", "3"), "on line 3"),
        (("--lines", "3-4"), "on lines 3-4"),
    ],
)
def test_adding_a_comment(
    plangate: CommandLine, client: Client, plan: Plan, options: tuple[str, ...], about: str
) -> None:
    """It is printed as it was recorded, and the plan stays undecided."""
    done = plangate("comment", "add", plan.plan_uri, "why so?\nreally", *options)
    first, *words = done.out.splitlines()
    (comment,) = client.review(plan).comments
    assert (done.code, done.err) == (0, "")
    assert first.startswith(f"{comment.comment_id[-8:]}  ")
    assert said(first) == f"open, {about}, by ada"
    assert words == ["  > why so?", "  > really"]
    assert client.get_plan(plan).state == PlanState.PLAN_STATE_IN_REVIEW


def test_lines_that_the_plan_does_not_have(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """They are refused, and nothing is recorded."""
    assert "last_line" in plangate("comment", "add", plan.plan_uri, "why?", "--lines", "4-9").complaint
    assert list(client.review(plan).comments) == []


def test_the_lines_are_those_of_the_text_that_was_seen(
    plangate: CommandLine, client: Client, plan: Plan
) -> None:
    """Who looked at an earlier revision says which, and the comment is carried over from there."""
    client.update_plan(plan, "# Tidy\n\nfirst\nsort\nsweep")
    options = ("--lines", "3", "--revision", "1")
    assert "on line 3" in plangate("comment", "add", plan.plan_uri, "why?", *options).out
    assert "open since revision 1, on line 4" in plangate("comment", "list", plan.plan_uri).out


def test_listing_comments(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """The oldest first, each with its state, also those that are resolved."""
    first = client.comment(plan, "why?", 1)
    client.comment(plan, "when?")
    client.resolve_comment(first)
    lines = plangate("comment", "list", plan.plan_uri).out.splitlines()
    assert [said(line) for line in lines[::2]] == [
        "resolved by ada, on line 1, by ada",
        "open, on the whole plan, by ada",
    ]
    assert lines[1::2] == ["  > why?", "  > when?"]


def test_nobody_has_said_anything(plangate: CommandLine, plan: Plan) -> None:
    """An empty list says so, and that is no failure."""
    assert plangate("comment", "list", plan.plan_uri) == Done(0, "nobody has said anything\n", "")


def test_resolving_a_comment(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """It is named by the short id that the list shows."""
    comment = client.comment(plan, "why?")
    done = plangate("comment", "resolve", plan.plan_uri, comment.comment_id[-8:])
    assert said(done.out.splitlines()[0]) == "resolved by ada, on the whole plan, by ada"
    assert client.review(plan).comments[0].resolved_by == "ada"


def test_a_comment_that_is_not_there(plangate: CommandLine, plan: Plan) -> None:
    """The complaint says where to look."""
    complaint = plangate("comment", "resolve", plan.file_name, "nothing").complaint
    assert complaint == f"no comment fits 'nothing': see 'plangate comment list {plan.file_name}'"


def test_json(plangate: CommandLine, plan: Plan) -> None:
    """One comment where there is one, an array where there are many."""
    added = json.loads(plangate("comment", "add", plan.plan_uri, "why?", "--json").out)
    assert added["text"] == "why?"
    assert json.loads(plangate("comment", "list", plan.plan_uri, "--json").out) == [added]
    resolved = plangate("comment", "resolve", plan.plan_uri, added["commentId"], "--json")
    assert json.loads(resolved.out)["state"] == "COMMENT_STATE_RESOLVED"


def test_more_than_an_answer_has_room_for(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """All comments are listed, found by their ids, and shown to whoever decides."""
    made = [client.comment(plan, f"no. {number} " + "x" * 60_000) for number in range(10)]
    assert client.review(plan).comments_not_shown
    ids = [each.comment_id[-8:] for each in made]
    starts = [line[:8] for line in plangate("comment", "list", plan.plan_uri).out.splitlines()]
    assert [each for each in starts if each in ids] == ids
    shown = plangate("show", plan.plan_uri).out
    assert all(f"{each}  " in shown for each in ids)
    assert plangate("comment", "resolve", plan.plan_uri, ids[-1]).code == 0
    assert [each.comment_id for each in client.comments(plan, CommentState.COMMENT_STATE_RESOLVED)] == [
        made[-1].comment_id
    ]
