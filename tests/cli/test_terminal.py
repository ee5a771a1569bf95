"""Deciding at a terminal: the person sees the whole plan, and only a clear yes counts."""

import json
import re

import pytest

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from tests.helpers.command_line import CommandLine
from tests.helpers.terminal import CTRL_C, CTRL_D, at_terminal, typed_beside

QUESTION = "Approve this plan? [y/N] "


@pytest.fixture
def plan(client: Client) -> Plan:
    return client.create_plan("# Tidy the cellar\n\nall of it", todos=["sort the boxes", "sweep"])


def without_times(text: str) -> str:
    return re.sub(r"\d+ (s|min)\b", "… s", text)


def state_of(plan: Plan, client: Client) -> PlanState.ValueType:
    return client.get_plan(plan.plan_uri).state


@pytest.mark.parametrize("answer", ["y", "YES "])
def test_yes_approves(plangate: CommandLine, client: Client, plan: Plan, answer: str) -> None:
    """After a yes the plan is approved, and the terminal says so."""
    with at_terminal(plangate, "approve", plan.plan_uri) as terminal:
        terminal.wait_for(QUESTION)
        assert state_of(plan, client) == PlanState.PLAN_STATE_IN_REVIEW
        terminal.type(f"{answer}\n")
        assert terminal.exit_code() == 0
    assert terminal.screen.endswith(f"{plan.file_name}: approved\n")
    assert state_of(plan, client) == PlanState.PLAN_STATE_APPROVED


@pytest.mark.parametrize("answer", ["n", "", "yeah"])
def test_anything_else_decides_nothing(
    plangate: CommandLine, client: Client, plan: Plan, answer: str
) -> None:
    """No, Enter alone or an unclear answer leaves the plan in review, and the exit code says so."""
    with at_terminal(plangate, "approve", plan.plan_uri) as terminal:
        terminal.wait_for(QUESTION)
        terminal.type(f"{answer}\n")
        assert terminal.exit_code() == 1
    assert terminal.screen.endswith("nothing was decided\n")
    assert state_of(plan, client) == PlanState.PLAN_STATE_IN_REVIEW


def test_the_plan_is_shown_before_the_question(plangate: CommandLine, plan: Plan) -> None:
    """When the question comes, the screen has all that `plangate show` prints, but what to type next."""
    with at_terminal(plangate, "approve", plan.plan_uri) as terminal:
        terminal.wait_for(QUESTION)
        asked = terminal.screen.removesuffix(f"\n{QUESTION}")
    shown, choices, _ = plangate("show", plan.plan_uri).out.partition("\nto decide\n")
    assert choices
    assert without_times(asked) == without_times(shown)


def test_refusing_at_a_terminal(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """The question names the decision, so that nobody says yes to the wrong one."""
    with at_terminal(plangate, "reject", plan.plan_uri, "not on a Sunday") as terminal:
        terminal.wait_for("Reject this plan? [y/N] ")
        terminal.type("y\n")
        assert terminal.exit_code() == 0
    assert client.get_plan(plan.plan_uri).review.decisions[0].feedback_text == "not on a Sunday"


def test_ctrl_c_decides_nothing(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """Ctrl-C at the question ends the command as shells expect, without a traceback."""
    with at_terminal(plangate, "approve", plan.plan_uri) as terminal:
        terminal.wait_for(QUESTION)
        terminal.type(CTRL_C)
        assert terminal.exit_code() == 130
    assert "Traceback" not in terminal.screen
    assert state_of(plan, client) == PlanState.PLAN_STATE_IN_REVIEW


def test_ctrl_d_decides_nothing(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """Ctrl-D at the question is no answer: nothing is decided, without a traceback."""
    with at_terminal(plangate, "approve", plan.plan_uri) as terminal:
        terminal.wait_for(QUESTION)
        terminal.type(CTRL_D)
        assert terminal.exit_code() == 1
    assert "Traceback" not in terminal.screen
    assert state_of(plan, client) == PlanState.PLAN_STATE_IN_REVIEW


@pytest.mark.parametrize(("key", "code"), [("y", 0), ("n", 1)], ids=["yes", "no"])
def test_with_json_the_question_stands_beside_it(
    plangate: CommandLine, plan: Plan, key: str, code: int
) -> None:
    """Standard output is JSON and nothing else: what a person is shown and asked is on standard error."""
    done = typed_beside(plangate, "approve", plan.plan_uri, "--json", keys=f"{key}\n")
    assert (done.code, "Approve this plan? [y/N] " in done.err) == (code, True)
    assert plan.digest in done.err
    if code:
        assert done.out == ""
    else:
        assert json.loads(done.out)["outcome"] == "REVIEW_OUTCOME_APPROVED"
