"""`plangate reference`: an agent says that it works with a plan."""

import json

from plangate import Client
from tests.helpers.command_line import CommandLine


def test_an_agent_refers_to_a_plan(plangate: CommandLine, client: Client) -> None:
    """Its name stands in the plan; again, it stands there once."""
    plan = client.create_plan("# Refer to me", agent_id="author")
    for _ in range(2):
        done = plangate("reference", plan.plan_id, "--agent", "hel\x1bper")
        assert done.code == 0
        assert done.out == f"{plan.file_name}: 2 agents referring to it, author, hel\\u{{1b}}per\n"
    assert list(client.get_plan(plan).referenced_by) == ["author", "hel\x1bper"]


def test_without_a_name_it_is_that_of_the_token(plangate: CommandLine, client: Client) -> None:
    """And with --json the plan is printed."""
    plan = client.create_plan("# Refer to me, too", agent_id="author")
    shown = json.loads(plangate("reference", plan.plan_id, "--json").out)
    assert shown["referencedBy"] == ["author", "local-agent"]


def test_a_plan_that_is_not_there(plangate: CommandLine) -> None:
    """Is found by the same names as everywhere, or not at all."""
    assert plangate("reference", "no such plan").complaint.startswith("no plan is called 'no such plan'")
