"""`plangate approve`, `reject` and `request-changes` in scripts: by the digest that was seen."""

from collections.abc import Callable

import pytest

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOutcome
from tests.helpers.command_line import CommandLine, Done

OUTCOMES = {"approve": "APPROVED", "reject": "REJECTED", "request-changes": "CHANGES_REQUESTED"}
WORDS = {"approve": (), "reject": ("no",), "request-changes": ("less",)}


@pytest.fixture
def plan(client: Client) -> Plan:
    return client.create_plan("# Tidy the cellar")


def is_undecided(client: Client, plan: Plan) -> bool:
    return client.get_plan(plan.plan_uri).state == PlanState.PLAN_STATE_IN_REVIEW


@pytest.mark.parametrize("command", OUTCOMES)
def test_deciding_by_digest(plangate: CommandLine, client: Client, plan: Plan, command: str) -> None:
    """With the digest nobody is asked: the decision is recorded with its words, and printed."""
    done = plangate(command, plan.plan_uri, *WORDS[command], "--digest", plan.digest)
    review = client.get_plan(plan.plan_uri).review
    said = OUTCOMES[command].lower().replace("_", " ")
    assert done == Done(0, f"{plan.file_name}: {said}\n", "")
    assert ReviewOutcome.Name(review.outcome) == f"REVIEW_OUTCOME_{OUTCOMES[command]}"
    assert review.decisions[0].feedback_text == "".join(WORDS[command])


@pytest.mark.parametrize(
    "shortened", [lambda digest: digest[:8], lambda digest: digest[:8].upper()], ids=["short", "upper case"]
)
def test_eight_digits_are_enough(plangate: CommandLine, plan: Plan, shortened: Callable[[str], str]) -> None:
    """The beginning of the digest will do, in either case."""
    assert plangate("approve", plan.plan_uri, "--digest", shortened(plan.digest)).code == 0


@pytest.mark.parametrize(
    "mistaken",
    [lambda digest: digest[:7], lambda digest: digest[1:], lambda digest: digest + "0", lambda digest: ""],
    ids=["too short", "another", "too long", "empty"],
)
def test_another_digest_decides_nothing(
    plangate: CommandLine, client: Client, plan: Plan, mistaken: Callable[[str], str]
) -> None:
    """A digest that is not the plan's, or says too little, is refused, and the plan stays undecided."""
    done = plangate("approve", plan.plan_uri, "--digest", mistaken(plan.digest))
    assert done.complaint == f"the plan's digest is {plan.digest}: look at it again ('plangate show')"
    assert is_undecided(client, plan)


@pytest.mark.parametrize("command", OUTCOMES)
def test_nobody_to_ask(plangate: CommandLine, client: Client, plan: Plan, command: str) -> None:
    """Without a terminal and without a digest nothing is decided, even if the input says yes."""
    done = plangate(command, plan.plan_uri, *WORDS[command], stdin=b"y\n")
    assert done.complaint == "nobody is there to ask: give --digest, at least 8 digits of it"
    assert is_undecided(client, plan)


def test_the_second_decision_learns_of_the_first(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """Whoever is too late is told what was decided and by whom, and the first decision stays."""
    client.decide(plan, "reject", "not on a Sunday")
    done = plangate("approve", plan.plan_uri, "--digest", plan.digest)
    assert "REJECTED by ada" in done.complaint
    assert client.get_plan(plan.plan_uri).state == PlanState.PLAN_STATE_REJECTED


def test_changes_are_asked_for_in_words(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """A request for changes that says nothing is refused: the agent would not know what to change."""
    done = plangate("request-changes", plan.plan_uri, " ", "--digest", plan.digest)
    assert done.complaint == "human_review.feedback_text is empty: say what to change"
    assert is_undecided(client, plan)
