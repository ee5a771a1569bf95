"""`plangate review` where there is no full screen: one line says why, and what to do."""

from __future__ import annotations

import pytest

from tests.helpers.command_line import MAIN, CommandLine
from tests.helpers.terminal import at_terminal

pytestmark = pytest.mark.ui  # it takes Textual, which `make test` does not install

WITHOUT_TEXTUAL = f"import sys, importlib.util; found = importlib.util.find_spec\n\
importlib.util.find_spec = lambda name, *more: None if name == 'textual' else found(name, *more)\n{MAIN}"
INSTEAD = "use 'plangate pending', 'show' and 'approve'"


def test_no_terminal(plangate: CommandLine) -> None:
    """A script is told which commands it wants."""
    complaint = plangate("review").complaint
    assert complaint == f"a full screen needs a terminal: run it in one, or {INSTEAD}"


def test_a_missing_package(plangate: CommandLine) -> None:
    """It is named, with the command that installs it."""
    done = plangate.process("review", main=WITHOUT_TEXTUAL)
    assert (done.code, done.out) == (2, "")
    assert done.err == "plangate: to review on the whole screen, pip install 'plangate[tui]'\n"


@pytest.mark.parametrize("term", ["dumb", "unknown"])
def test_a_terminal_that_cannot_be_drawn_on(plangate: CommandLine, term: str) -> None:
    """Nothing is drawn there, and the commands are named that work everywhere."""
    dumb = CommandLine(plangate.target, plangate.folder, {"TERM": term})
    with at_terminal(dumb, "review") as terminal:
        assert terminal.exit_code() == 1
    assert terminal.screen == (
        f"plangate: this terminal cannot be drawn on (TERM): run it in another, or {INSTEAD}\n"
    )


def test_no_gate(plangate: CommandLine) -> None:
    """Whoever has the wrong address reads so on the screen they know, not on an empty one."""
    lost = CommandLine("127.0.0.1:1", plangate.folder, {"TERM": "xterm"})
    with at_terminal(lost, "review") as terminal:
        assert terminal.exit_code() == 1
    assert terminal.screen.startswith("plangate: no gate answers at 127.0.0.1:1")
    assert terminal.screen.count("\n") == 1
