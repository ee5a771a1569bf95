"""`plangate approve --break-glass`: an admin goes past four_eyes, and everybody can read why."""

import re
from collections.abc import Iterator

import pytest

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from tests.helpers.command_line import CommandLine, Done
from tests.helpers.gate_process import gate_process
from tests.helpers.terminal import at_terminal
from tests.helpers.tokens import local_token

REASON = "the cellar is under water"
QUESTION = "Approve this plan past four_eyes and the number of approvals? [y/N] "


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A gate with four_eyes: the user's own reviewer cannot approve what the user's own agent proposes."""
    folder = tmp_path_factory.mktemp("gate")
    policy = folder / "policy.yaml"
    policy.write_text("four_eyes: true\n", encoding="utf-8")
    with gate_process(folder, policy=policy) as address:
        yield address


@pytest.fixture(scope="module")
def client(address: str) -> Iterator[Client]:
    with Client(address) as client:
        yield client


@pytest.fixture
def plan(client: Client) -> Plan:
    return client.create_plan("# Drain the cellar")


def state_of(plan: Plan, client: Client) -> str:
    return PlanState.Name(client.get_plan(plan.plan_uri).state).removeprefix("PLAN_STATE_")


def test_without_it_nobody_approves_their_own(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """The refusal names the person, and the plan stays in review."""
    done = plangate("approve", plan.plan_uri, "--digest", plan.digest)
    assert "ada" in done.complaint
    assert state_of(plan, client) == "IN_REVIEW"


def test_the_users_admin_token_breaks_the_glass(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """No token has to be named; what is printed says how it came about, and so does `plangate show`."""
    done = plangate("approve", plan.plan_uri, "--digest", plan.digest, "--break-glass", REASON)
    assert done == Done(0, f"{plan.file_name}: approved, with the glass broken\n", "")
    (decision,) = client.get_plan(plan.plan_uri).review.decisions
    assert (decision.reviewer, decision.person, decision.break_glass_reason) == ("local-admin", "ada", REASON)
    said = f"approved by local-admin, of ada; the glass was broken: {REASON}\n"
    assert re.search(rf"^decided .*  {said}", plangate("show", plan.plan_uri).out, re.MULTILINE)


def test_a_reviewers_token_does_not(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """PLANGATE_TOKEN counts, as everywhere: a reviewer who says why is still no admin."""
    reviewer = CommandLine(plangate.target, plangate.folder, {"PLANGATE_TOKEN": local_token("reviewer")})
    done = reviewer("approve", plan.plan_uri, "--digest", plan.digest, "--break-glass", REASON)
    assert "break the glass" in done.complaint
    assert state_of(plan, client) == "IN_REVIEW"


@pytest.mark.parametrize("reason", ["", " "])
def test_a_reason_is_needed(plangate: CommandLine, client: Client, plan: Plan, reason: str) -> None:
    """An empty one is not taken for an ordinary approval."""
    done = plangate("approve", plan.plan_uri, "--digest", plan.digest, "--break-glass", reason)
    assert (done.code, done.out) == (2, "")
    assert "argument --break-glass: it is blank: say why, for everybody to read" in done.err
    assert state_of(plan, client) == "IN_REVIEW"


@pytest.mark.parametrize("command", ["reject", "request-changes"])
def test_it_goes_with_an_approval_only(plangate: CommandLine, plan: Plan, command: str) -> None:
    """Anybody can say no."""
    done = plangate(command, plan.plan_uri, "no", "--break-glass", REASON)
    assert done.code == 2
    assert "unrecognized arguments: --break-glass" in done.err


@pytest.mark.parametrize("answer", ["y", "n"])
def test_it_is_asked_for_at_a_terminal(
    plangate: CommandLine, client: Client, plan: Plan, answer: str
) -> None:
    """The question says what is gone past, and only a yes does it."""
    with at_terminal(plangate, "approve", plan.plan_uri, "--break-glass", REASON) as terminal:
        terminal.wait_for(QUESTION)
        assert state_of(plan, client) == "IN_REVIEW"
        terminal.type(f"{answer}\n")
        code = terminal.exit_code()
    assert (code, state_of(plan, client)) == ((0, "APPROVED") if answer == "y" else (1, "IN_REVIEW"))


def test_a_reason_cannot_act_on_a_terminal(plangate: CommandLine, plan: Plan) -> None:
    """What somebody wrote is shown written out."""
    plangate("approve", plan.plan_uri, "--digest", plan.digest, "--break-glass", "a\x1b[31mb")
    assert "; the glass was broken: a\\u{1b}[31mb\n" in plangate("show", plan.plan_uri).out
