"""The full screen in a real terminal, of 80 by 24 with the few colours of TERM=screen."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from plangate import Client
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOutcome
from tests.helpers.command_line import CommandLine
from tests.helpers.conditions import look_until
from tests.helpers.gate_process import gate_process
from tests.helpers.tmux import in_tmux

EDITOR = """
import sys
print("the editor has the terminal", flush=True)
input()
text = open(sys.argv[1]).read()
open(sys.argv[1], "w").write(text.replace("Burn", "Give away"))
"""


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[ExitStack]:
    """A gate that can be stopped."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def plangate(tmp_path: Path, gate: ExitStack) -> CommandLine:
    """The command line of somebody whose editor waits for a line before it ends."""
    address = gate.enter_context(gate_process(tmp_path))
    script = tmp_path / "editor.py"
    script.write_text(EDITOR, encoding="utf-8")
    # tmux says itself what terminal it is.
    variables = {"EDITOR": shlex.join([sys.executable, str(script)]), "VISUAL": "", "LANG": "C.UTF-8"}
    return CommandLine(address, tmp_path, variables)


def test_arrival_approval_and_refusal(plangate: CommandLine) -> None:
    """Plans arrive without a key; Enter approves, Esc refuses with words, and q leaves with 0."""
    with Client(plangate.target) as client, in_tmux(plangate, "review") as terminal:
        terminal.sees("nothing waits for a decision")
        one = client.create_plan("# Tidy the cellar\n\nSort the boxes.", todos=["sort"])
        terminal.sees("plan  Tidy the cellar", "1 todo")
        terminal.presses("Enter")
        terminal.sees("   3 │ Sort the boxes.", "Enter  approve")
        terminal.presses("Enter")
        terminal.sees("you decided: approved", "● decided")
        two = client.create_plan("# Burn the boxes")
        terminal.sees("1 decision to make")
        terminal.presses("n")
        terminal.sees("Burn the boxes  (in review", "Enter  approve")
        terminal.presses("Escape")
        terminal.sees("Reject: what should be done differently?")
        terminal.types("no fire")
        terminal.presses("Enter")
        terminal.sees("you decided: rejected")
        terminal.presses("q")
        assert terminal.ends() == 0
        assert client.get_plan(one).review.outcome == ReviewOutcome.REVIEW_OUTCOME_APPROVED
        refused = client.get_plan(two).review
        assert refused.outcome == ReviewOutcome.REVIEW_OUTCOME_REJECTED
        assert [each.feedback_text for each in refused.decisions] == ["no fire"]


def test_what_goes_along_and_what_waits_next(plangate: CommandLine) -> None:
    """The oldest is marked; comments are told of before and after; then Enter opens the next that waits."""
    with Client(plangate.target, role="reviewer") as client:
        agent = Client(plangate.target)
        one, *_ = [agent.create_plan(f"# Tidy room {number}") for number in range(20)]
        client.comment(one, "why?")
        client.comment(one, "when?")
        with in_tmux(plangate, "review") as terminal:
            terminal.sees("▸ plan  Tidy room 0 ", "20 decisions to make")
            terminal.presses("Enter")
            terminal.sees("a decision sends 2 comments", "Enter  approve")
            terminal.presses("Escape")
            terminal.sees("Reject: what should be done differently?")
            terminal.types("no")
            terminal.presses("Enter")
            terminal.sees("you decided: rejected, sent 2 comments")
            terminal.presses("u")
            terminal.sees("▸ plan  Tidy room 1 ", "19 decisions to make")
            terminal.presses("Enter")
            terminal.sees("Tidy room 1  (in review", "Enter  approve")
            assert "sends" not in terminal.screen
            terminal.presses("q")
            assert terminal.ends() == 0
        agent.close()


def test_editing(plangate: CommandLine) -> None:
    """The editor has the whole terminal, also what is typed there; then the screen is back."""
    with Client(plangate.target) as client, in_tmux(plangate, "review") as terminal:
        plan = client.create_plan("# Tidy\n\nBurn the rest.")
        terminal.sees("plan  Tidy")
        terminal.presses("Enter")
        terminal.sees("Enter  approve")
        terminal.presses("e")
        terminal.sees("the editor has the terminal")
        terminal.presses("q", "Enter")
        terminal.sees("What you changed", "-Burn the rest.", "+Give away the rest.", "a  approve as edited")
        terminal.presses("a")
        terminal.sees("you decided: approved as edited")
        assert client.get_plan(plan).plan == "# Tidy\n\nGive away the rest."


def test_a_gate_that_is_away(plangate: CommandLine, gate: ExitStack, tmp_path: Path) -> None:
    """The screen says that nobody answers, and what happened meanwhile is there when it is back."""
    with in_tmux(plangate, "review") as terminal:
        terminal.sees("nothing waits for a decision")
        gate.close()
        terminal.sees("trying again")
        with gate_process(tmp_path, listen=plangate.target), Client(plangate.target) as client:
            client.create_plan("# Tidy the cellar")
            terminal.sees("plan  Tidy the cellar")
            look_until(lambda: "trying again" not in terminal.screen)
