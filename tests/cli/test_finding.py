"""Which plan is meant: what fits closest, and nothing if two fit as well."""

import json
import re
import uuid
from dataclasses import replace

import pytest

from plangate import Client
from plangate.cli._finding import fitting, short_id
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from tests.helpers.command_line import CommandLine
from tests.helpers.terminal import at_terminal

CELLAR = Plan(name="Cellar", file_name="cellar_0000aaaa.plan.md", plan_id="11112222-0000aaaa")
WINE = Plan(name="Wine: Cellar", file_name="wine_cellar_0000bbbb.plan.md", plan_id="33334444-0000bbbb")
HIDDEN = Plan(name="Roof\u202e up…", file_name="roof_up_0000cccc.plan.md", plan_id="55556666-0000cccc")
ROOF = Plan(name="Roof and walls", file_name="roof_and_walls_0000dddd.plan.md", plan_id="77778888-0000dddd")
PLANS = [CELLAR, WINE, HIDDEN, ROOF]


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
        ("0000", PLANS),
        ("Cellar", [CELLAR]),
        ("Wine: Cellar", [WINE]),
        ("Wine: C…", [WINE]),
        ("Wine:", [WINE]),
        ("Roof…", [HIDDEN, ROOF]),
        ("Roof a…", [ROOF]),
        ("Roof a… ", []),
        (r"Roof\u{202e} up…", [HIDDEN]),
        (r"Roof\u{20…", [HIDDEN]),
        ("wine_cellar_00…", [WINE]),
        ("attic", []),
        ("", []),
    ],
)
def test_what_a_name_fits(named: str, found: list[Plan]) -> None:
    """The whole name is meant before its beginning, and its beginning before a part of another.

    A name can be given as a table shows it: with hidden characters written out, and cut.
    """
    assert list(fitting(PLANS, named)) == found


NAMED = "Move: the wine & \u202eall the \u8a08\u753b to a cellar that has room for the whole of it"


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_the_name_as_pending_prints_it(plangate: CommandLine, client: Client, columns: int) -> None:
    """Whoever copies the name out of the table gets that plan, from every command that takes one."""
    plan = client.create_plan("# Move", name=f"{uuid.uuid4().hex[:4]} {NAMED}")
    terminal = replace(plangate, variables={"COLUMNS": str(columns)})
    with at_terminal(terminal, "pending") as person:
        assert person.exit_code() == 0
        row = next(line for line in person.screen.splitlines() if short_id(plan) in line)
    name = re.split(r" {2,}", row)[1]
    assert name.endswith("…") == (columns < 200)
    out = plangate.folder / "out"
    for arguments in (
        ("show", name),
        ("todos", name),
        ("export", name, "--output", str(out)),
        ("comment", "list", name),
        ("approve", name, "--digest", plan.digest),
        ("build", "start", name),
    ):
        assert plangate(*arguments).code == 0, arguments
    assert plan.plan_id in json.loads(plangate("show", name, "--json").out)["planUri"]


def test_a_name_of_several_plans_is_refused_with_all_of_them(plangate: CommandLine, client: Client) -> None:
    """Which is meant says the person: the file names differ."""
    name = f"Twice {uuid.uuid4().hex}"
    plans = [client.create_plan(f"# {number}", name=name) for number in range(2)]
    complaint = plangate("show", name).complaint
    assert complaint.startswith(f"'{name}' fits 2 plans (")
    assert all(plan.file_name in complaint for plan in plans)
    assert complaint.endswith("give the file name or id of one")


def test_a_name_that_begins_like_an_option(plangate: CommandLine, client: Client) -> None:
    """It goes after '--', and whoever forgets that is told."""
    plan = client.create_plan("# Tidy", name=f"-rf{uuid.uuid4().hex}")
    assert plan.plan_uri in plangate("show", "--json", "--", plan.name).out
    refused = plangate("show", plan.name)
    assert refused.code == 2
    assert "if its name begins with '-', write '--' before it" in refused.err


def test_the_beginning_of_a_uri(plangate: CommandLine, client: Client) -> None:
    """Half of one, as it was cut off by a mail or a terminal, is enough if it fits one plan."""
    plan = client.create_plan("# Tidy the cellar")
    assert json.loads(plangate("show", plan.plan_uri[:-2], "--json").out)["planUri"] == plan.plan_uri


def test_a_name_with_an_address_in_it(plangate: CommandLine, client: Client) -> None:
    """Is a name like any other."""
    plan = client.create_plan("# Read", name=f"Read http://example.com/{uuid.uuid4().hex}")
    assert json.loads(plangate("show", plan.name, "--json").out)["planUri"] == plan.plan_uri


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
