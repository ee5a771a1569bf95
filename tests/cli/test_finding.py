"""Which plan is meant: what fits closest, and nothing if two fit as well."""

import json
import uuid

import pytest

from plangate import Client
from plangate.cli._finding import fitting
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from tests.helpers.command_line import CommandLine

CELLAR = Plan(file_name="cellar_0000aaaa.plan.md", plan_id="11112222-0000aaaa")
WINE = Plan(file_name="wine_cellar_0000bbbb.plan.md", plan_id="33334444-0000bbbb")
PLANS = [CELLAR, WINE]


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("cellar_0000aaaa.plan.md", [CELLAR]),
        ("cellar_0000aaaa", [CELLAR]),
        ("0000bbbb", [WINE]),
        ("0000b", [WINE]),
        ("3333", [WINE]),
        ("cellar", [CELLAR]),
        ("ellar", [CELLAR, WINE]),
        ("wine", [WINE]),
        ("0000", [CELLAR, WINE]),
        ("attic", []),
        ("", []),
    ],
)
def test_what_a_name_fits(named: str, found: list[Plan]) -> None:
    """The whole name is meant before its beginning, and its beginning before a part of another."""
    assert list(fitting(PLANS, named)) == found


def test_the_beginning_of_a_uri(plangate: CommandLine, client: Client) -> None:
    """Half of one, as it was cut off by a mail or a terminal, is enough if it fits one plan."""
    plan = client.create_plan("# Tidy the cellar")
    assert json.loads(plangate("show", plan.plan_uri[:-2], "--json").out)["planUri"] == plan.plan_uri


def test_a_plan_that_is_decided(plangate: CommandLine, client: Client) -> None:
    """Deciding about a plan that no longer waits says what became of it."""
    plan = client.create_plan("# Tidy", name=f"attic {uuid.uuid4().hex}")
    client.decide(plan, "approve")
    done = plangate("reject", plan.file_name, "no", "--digest", plan.digest)
    assert done.complaint == f"{plan.file_name} is approved: there is nothing to decide"


def test_json_is_what_the_gate_says(plangate: CommandLine, client: Client) -> None:
    """`--json` prints the message as every protobuf client writes it, in ASCII."""
    plan = client.create_plan("# Tidy \u202eup", name=f"attic {uuid.uuid4().hex}")
    shown = plangate("show", plan.plan_id, "--json")
    assert shown.out.isascii()
    assert json.loads(shown.out)["planUri"] == plan.plan_uri
    assert json.loads(shown.out)["plan"] == "# Tidy \u202eup"
    assert plan.plan_uri in [each["planUri"] for each in json.loads(plangate("pending", "--json").out)]
    done = plangate("approve", plan.plan_id, "--digest", plan.digest, "--json")
    assert json.loads(done.out)["outcome"] == "REVIEW_OUTCOME_APPROVED"
