"""What goes along with a decision at the command line: said before it is made, and shown after it."""

import json
import re

import pytest

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from tests.helpers.command_line import CommandLine
from tests.helpers.terminal import at_terminal, typed_beside

NO_COMMENT = "Approve this plan? [y/N] "
ONE = "Approve this plan (sends 1 comment)? [y/N] "
TWO = "Approve this plan (sends 2 comments)? [y/N] "


@pytest.fixture
def plan(client: Client) -> Plan:
    return client.create_plan("# Tidy the cellar\n\nall of it")


def below_the_outcome(out: str) -> list[str]:
    """What follows the first line, without ids and ages."""
    return [re.sub(r"[0-9a-f]{8}  |, \d+ \w+ ago", "", line) for line in out.splitlines()[1:]]


CHOICES = {
    "approve": ((), "Approve", "approved"),
    "reject": (("no",), "Reject", "rejected"),
    "request-changes": (("less",), "Request changes of", "changes requested"),
}


@pytest.mark.parametrize("command", CHOICES)
def test_the_question_says_what_goes_along(
    plangate: CommandLine, client: Client, plan: Plan, command: str
) -> None:
    """Every choice: how many comments, and after it that they were sent. They were shown with the plan."""
    words, verb, outcome = CHOICES[command]
    client.comment(plan, "why?", 3)
    client.comment(plan, "since when?")
    client.resolve_comment(client.comment(plan, "never mind"))
    with at_terminal(plangate, command, plan.plan_uri, *words) as terminal:
        terminal.wait_for(f"{verb} this plan (sends 2 comments)? [y/N] ")
        terminal.type("y\n")
        assert terminal.exit_code() == 0
    assert terminal.screen.endswith(f"{plan.file_name}: {outcome}, sent 2 comments\n")


def test_what_came_while_somebody_was_asked_is_shown_first(
    plangate: CommandLine, client: Client, plan: Plan
) -> None:
    """A yes is about what was on the screen: what was said since is shown, and the question comes again."""
    with at_terminal(plangate, "approve", plan.plan_uri) as terminal:
        terminal.wait_for(NO_COMMENT)
        client.comment(plan, "which boxes?")
        terminal.type("y\n")
        terminal.wait_for(ONE)
        assert "a comment came meanwhile:" in terminal.screen
        assert "> which boxes?" in terminal.screen
        assert client.get_plan(plan).state == PlanState.PLAN_STATE_IN_REVIEW
        client.comment(plan, "all?")
        terminal.type("y\n")
        terminal.wait_for(TWO)
        terminal.type("y\n")
        assert terminal.exit_code() == 0
    assert terminal.screen.count("> which boxes?") == 1
    assert terminal.screen.endswith(f"{plan.file_name}: approved, sent 2 comments\n")


def test_by_digest_what_went_along_is_shown_afterwards(
    plangate: CommandLine, client: Client, plan: Plan
) -> None:
    """Nothing was shown before, so that the command prints what it sent."""
    client.comment(plan, "why?", 3)
    done = plangate("approve", plan.plan_uri, "--digest", plan.digest)
    assert done.out.splitlines()[0] == f"{plan.file_name}: approved, sent 1 comment"
    assert below_the_outcome(done.out) == ["  open, on line 3, by ada", "    > why?"]


def test_with_json_the_comments_are_in_the_review(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """As the gate recorded them; the person is asked about them beside it."""
    client.comment(plan, "why?")
    done = typed_beside(plangate, "approve", plan.plan_uri, "--json", keys="y\n")
    assert ONE in done.err
    assert [each["text"] for each in json.loads(done.out)["comments"]] == ["why?"]


def test_an_approval_that_is_not_the_last_sends_nothing(plangate: CommandLine, client: Client) -> None:
    """A refusal does."""
    plan = client.create_plan("# Tidy the attic", required_approvals=2)
    client.comment(plan, "why?")
    with at_terminal(plangate, "reject", plan.plan_uri, "no") as terminal:
        terminal.wait_for("Reject this plan (sends 1 comment)? [y/N] ")
        terminal.type("n\n")
        assert terminal.exit_code() == 1
    with at_terminal(plangate, "approve", plan.plan_uri) as terminal:
        terminal.wait_for(NO_COMMENT)
        terminal.type("y\n")
        assert terminal.exit_code() == 0
    assert terminal.screen.endswith(f"{plan.file_name}: approved, as one of 2 that are needed\n")


def test_what_went_along_is_shown_with_the_decision(
    plangate: CommandLine, client: Client, plan: Plan
) -> None:
    """Later, too, and beside the next revision how much it was."""
    client.comment(plan, "why?")
    client.decide(plan, "requestChanges", "less")
    shown = plangate("show", plan.plan_uri).out
    assert re.search(r"\nwith it       sent 1 comment\n  [0-9a-f]{8}  open, .*\n    > why\?\n", shown)
    client.update_plan(client.get_plan(plan), "# Tidy the cellar\n\nhalf of it")
    assert "  > less\n  sent 1 comment\n" in plangate("show", plan.plan_uri).out.replace("    > ", "  > ")
