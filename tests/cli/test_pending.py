"""`plangate pending`: what waits for a decision."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from plangate import Client
from tests.helpers.asking import ask_for, new_session
from tests.helpers.command_line import CommandLine, Done
from tests.helpers.gate_process import gate_process


@pytest.fixture
def quiet(tmp_path: Path) -> Iterator[CommandLine]:
    """A gate where nothing waits."""
    with gate_process(tmp_path) as address:
        yield CommandLine(address, tmp_path)


def test_nothing_is_pending(quiet: CommandLine) -> None:
    """A gate where nothing waits says so, and that is no failure."""
    assert quiet("pending") == Done(0, "nothing waits for a decision\n", "")


def test_what_few_plans_have_is_a_column_if_one_has_it(quiet: CommandLine) -> None:
    """When reviews expire and how many approvals are there is shown for all, if it matters for one."""
    with Client(quiet.target) as client:
        client.create_plan("# Rest")
        assert quiet("pending").out.splitlines()[0].split() == ["PLAN", "NAME", "BY", "TODOS", "WAITING"]
        client.create_plan("# Tidy", required_approvals=3)
        client.create_plan("# Sweep", expires_after=timedelta(days=2))
        rows = [re.split(r" {2,}", line)[-2:] for line in quiet("pending").out.splitlines()]
    assert rows == [["EXPIRES", "APPROVALS"], ["never", "0/1"], ["never", "0/3"], ["in 1 d", "0/1"]]


def test_tool_calls_that_wait_are_counted(quiet: CommandLine) -> None:
    """Whoever looks for plans learns of the calls, too, and which command shows them."""
    with Client(quiet.target) as client:
        ask_for(client, new_session())
        assert quiet("pending") == Done(0, "a tool call waits: see 'plangate approvals'\n", "")
        ask_for(client, new_session())
        client.create_plan("# Tidy")
        assert quiet("pending").out.splitlines()[-1] == "2 tool calls wait, too: see 'plangate approvals'"


def test_what_is_pending_is_a_table(plangate: CommandLine, client: Client) -> None:
    """Each plan is a row with its short id, name, author, number of todos and age, the oldest first."""
    long = client.create_plan("# Tidy the cellar and the attic", todos=["sort", "sweep"], agent_id="agent-1")
    short = client.create_plan("# Rest")
    done = plangate("pending")
    rows = [re.split(r" {2,}", line) for line in done.out.splitlines()]
    ours = [row for row in rows if row[0] in {long.plan_id[-8:], short.plan_id[-8:]}]
    assert (done.code, done.err) == (0, "")
    assert rows[0][:5] == ["PLAN", "NAME", "BY", "TODOS", "WAITING"]
    assert [row[1:4] for row in ours] == [
        ["Tidy the cellar and the attic", "agent-1", "2"],
        ["Rest", "local-agent", "0"],
    ]
    assert all(re.fullmatch(r"\d+ (s|min)", row[4]) for row in ours)


def test_the_columns_are_aligned(plangate: CommandLine, client: Client) -> None:
    """Every cell begins under its heading, however long the others are, and no line ends in blanks."""
    names = ("Rest", "Tidy the cellar, the attic and the garden")
    for name in names:
        client.create_plan(f"# {name}", agent_id=f"agent of {name}")
    heading, *all_rows = plangate("pending").out.splitlines()
    # Others' plans may have letters that are wider than one column.
    rows = [row for row in all_rows if any(name in row for name in names)]
    starts = [match.start() for match in re.finditer(r"\S+", heading)]
    assert len(rows) >= 2
    for row in rows:
        assert row == row.rstrip()
        assert all(row[start - 2 : start] == "  " for start in starts[1:])
        assert all(row[start] != " " for start in starts)


def test_what_is_decided_is_not_pending(plangate: CommandLine, client: Client) -> None:
    """A plan leaves the list with its decision."""
    plan = client.create_plan("# Decide me")
    client.create_plan("# Wait for me")
    client.decide(plan, "approve")
    assert plan.plan_id[-8:] not in plangate("pending").out
