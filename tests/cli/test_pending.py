"""`plangate pending`: what waits for a decision."""

import re
from pathlib import Path

from plangate import Client
from tests.helpers.command_line import CommandLine, Done
from tests.helpers.gate_process import gate_process


def test_nothing_is_pending(tmp_path: Path) -> None:
    """A gate where nothing waits says so, and that is no failure."""
    with gate_process(tmp_path) as address:
        pending = CommandLine(address, tmp_path)("pending")
    assert pending == Done(0, "nothing waits for a decision\n", "")


def test_what_is_pending_is_a_table(plangate: CommandLine, client: Client) -> None:
    """Each plan is a row with its short id, name, author, number of todos and age, the oldest first."""
    long = client.create_plan("# Tidy the cellar and the attic", todos=["sort", "sweep"], agent_id="agent-1")
    short = client.create_plan("# Rest")
    done = plangate("pending")
    rows = [re.split(r" {2,}", line) for line in done.out.splitlines()]
    ours = [row for row in rows if row[0] in {long.plan_id[-8:], short.plan_id[-8:]}]
    assert (done.code, done.err) == (0, "")
    assert rows[0] == ["PLAN", "NAME", "BY", "TODOS", "WAITING"]
    assert [row[1:4] for row in ours] == [
        ["Tidy the cellar and the attic", "agent-1", "2"],
        ["Rest", "local-agent", "0"],
    ]
    assert all(re.fullmatch(r"\d+ (s|min)", row[4]) for row in ours)


def test_the_columns_are_aligned(plangate: CommandLine, client: Client) -> None:
    """Every cell begins under its heading, however long the others are, and no line ends in blanks."""
    for name in ("Rest", "Tidy the cellar, the attic and the garden"):
        client.create_plan(f"# {name}", agent_id=f"agent of {name}")
    heading, *rows = plangate("pending").out.splitlines()
    starts = [match.start() for match in re.finditer(r"\S+", heading)]
    assert len(rows) >= 2
    for row in rows:
        assert row == row.rstrip()
        assert [row[start - 2 : start] for start in starts[1:]] == ["  "] * 4
        assert all(row[start] != " " for start in starts)


def test_what_is_decided_is_not_pending(plangate: CommandLine, client: Client) -> None:
    """A plan leaves the list with its decision."""
    plan = client.create_plan("# Decide me")
    client.create_plan("# Wait for me")
    client.decide(plan, "approve")
    assert plan.plan_id[-8:] not in plangate("pending").out
