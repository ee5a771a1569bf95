"""Tables: columns stand under each other whatever the cells hold, and fit where they are looked at."""

import pytest

from plangate import Client
from plangate.cli._tables import Cell, table
from plangate.cli._text import cut, width_of
from tests.helpers.command_line import CommandLine
from tests.helpers.terminal import at_terminal


def test_columns_are_aligned_by_what_a_terminal_draws() -> None:
    """Wide characters take two columns and combining ones none."""
    assert table(("A", "B"), [("計画", "x"), ("e\u0301", "y"), ("plan", "z")]) == [
        "A     B",
        "計画  x",
        "e\u0301     y",
        "plan  z",
    ]


def test_a_cell_cannot_act_on_the_terminal() -> None:
    """Also not one that has a style."""
    lines = table(("A",), [(Cell("\x1b[2Jgone\n"),), ("\u202eback",)])
    assert lines == ["A", r"\u{1b}[2Jgone\u{a}", r"\u{202e}back"]


def test_the_widest_column_gives_way() -> None:
    """With little room, what is longest is cut, and says so."""
    lines = table(("ID", "NAME"), [("12345678", "a name that goes on and on")], room=24)
    assert lines == ["ID        NAME", "12345678  a name that g…"]
    assert max(map(width_of, lines)) == 24


@pytest.mark.parametrize(
    ("text", "width", "kept"),
    [("plan", 4, "plan"), ("plans", 4, "pla…"), ("計画書", 4, "計…"), ("計画", 4, "計画"), ("", 0, "")],
)
def test_cutting(text: str, width: int, kept: str) -> None:
    """What is left is never wider than asked for."""
    assert cut(text, width) == kept
    assert width_of(kept) <= width


def test_colour_on_a_terminal_only(plangate: CommandLine, client: Client) -> None:
    """Whoever reads the output with a program, or sets NO_COLOR, or has a dumb terminal gets none."""
    client.create_plan("# Tidy the cellar")
    for variables, coloured in (
        ({"NO_COLOR": ""}, True),
        ({}, False),
        ({"NO_COLOR": "", "TERM": "dumb"}, False),
    ):
        command = CommandLine(plangate.target, plangate.folder, {"TERM": "xterm", **variables})
        assert "\x1b" not in command("pending").out
        with at_terminal(command, "pending") as terminal:
            assert terminal.exit_code() == 0
        assert ("\x1b[1mPLAN" in terminal.screen) is coloured
