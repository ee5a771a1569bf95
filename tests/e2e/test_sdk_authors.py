"""Two agents in one session, and one that starts again, as programs of their own at a real gate."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from plangate import Client
from tests.helpers.command_line import CommandLine
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate_process import gate_process

PROPOSE = """
import sys
import plangate

with plangate.Client() as gate:
    plan = gate.create_plan(sys.argv[1], session_id="s")
    print(plan.plan_uri, flush=True)
    decision = gate.wait(plan)
    print(decision.outcome, decision.plan.plan if decision.approved else "")
"""
WAIT = """
import sys
import plangate

try:
    with plangate.Client() as gate:
        print(gate.wait(sys.argv[1], any_author=len(sys.argv) > 2).outcome)
except plangate.NotAuthor as error:
    print(error)
"""


class Agent:
    """A program in a file, run as a user runs it; it is over when the test is."""

    def __init__(self, plangate: CommandLine, stack: ExitStack, program: str, code: str, *given: str) -> None:
        file = plangate.folder / f"{program}.py"
        file.write_text(code, encoding="utf-8")
        self.process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, file, *given],
                env=plangate.environment(),
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        stack.callback(self.process.kill)

    def line(self) -> str:
        """The next line that it prints."""
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def rest(self) -> str:
        """All that it prints until its end."""
        return self.process.communicate(timeout=PATIENCE)[0].strip()


Start = Callable[..., Agent]


@pytest.fixture
def plangate(tmp_path: Path) -> Iterator[CommandLine]:
    with gate_process(tmp_path) as address:
        yield CommandLine(address, tmp_path)


@pytest.fixture
def start(plangate: CommandLine) -> Iterator[Start]:
    with ExitStack() as stack:
        yield partial(Agent, plangate, stack)


@pytest.fixture
def person(plangate: CommandLine) -> Iterator[Client]:
    with Client(plangate.target, role="reviewer") as person:
        yield person


def test_anothers_yes_is_none_for_an_agent(start: Start, person: Client) -> None:
    """Two programs propose in one session: each has its own plan, and each gets the answer to its own."""
    sweeper = start("sweeper", PROPOSE, "# Tidy the cellar")
    swept = person.get_plan(sweeper.line())
    seller = start("seller", PROPOSE, "# Sell the house")
    sold = person.get_plan(seller.line())
    assert sold.plan_uri != swept.plan_uri
    assert sold.created_by != swept.created_by
    person.decide(sold, "approve")
    assert seller.rest() == "APPROVED # Sell the house"
    assert sweeper.process.poll() is None
    person.decide(swept, "reject")
    assert sweeper.rest() == "REJECTED"


def test_an_agent_that_is_killed_goes_on_where_it_was(start: Start, person: Client) -> None:
    """Started again it is the same author: its text is the next revision, and the answer is its own."""
    first = start("sweeper", PROPOSE, "# Tidy the cellar")
    plan_uri = first.line()
    first.process.kill()
    first.rest()
    again = start("sweeper", PROPOSE, "# Tidy half the cellar")
    assert again.line() == plan_uri
    person.decide(person.get_plan(plan_uri), "approve")
    assert again.rest() == "APPROVED # Tidy half the cellar"


def test_a_program_that_waits_for_another_says_so(start: Start, person: Client) -> None:
    """It is told what to write; then it gets the answer to whatever the plan says."""
    sweeper = start("sweeper", PROPOSE, "# Tidy the cellar")
    plan_uri = sweeper.line()
    assert "any_author=True" in start("watcher", WAIT, plan_uri).rest()
    watcher = start("watcher", WAIT, plan_uri, "any")
    person.decide(person.get_plan(plan_uri), "approve")
    assert (watcher.rest(), sweeper.rest()) == ("APPROVED", "APPROVED # Tidy the cellar")


def test_agents_at_the_command_line_name_themselves(plangate: CommandLine, person: Client) -> None:
    """By an option or by the environment: with one token in one session, each has its own plan."""
    by_option = plangate("propose", "-", "--session", "s", "--agent", "a", stdin=b"# Tidy the cellar\n")
    other = replace(plangate, variables={"PLANGATE_AGENT_ID": "b"})
    by_environment = other("propose", "-", "--session", "s", stdin=b"# Sell the house\n")
    assert by_option.code == by_environment.code == 0
    found = {plan.created_by: plan.revision for plan in person.list_plans(session_id="s")}
    assert found == {"a": 1, "b": 1}
