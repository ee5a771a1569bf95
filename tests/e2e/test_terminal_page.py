"""docs/terminal.md: its commands, its keys and its pictures are those of the screen."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from plangate import Client
from plangate.tui.call_view import CallScreen
from plangate.tui.help import Key
from plangate.tui.plan_view import PlanScreen
from tests.e2e.cookbook import commands_of
from tests.e2e.pages import at_home, check, follow
from tests.e2e.processes import ROOT
from tests.e2e.test_reviewing_page import propose
from tests.helpers.command_line import CommandLine
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate_process import gate_process
from tests.helpers.tmux import in_tmux
from tests.helpers.tokens import token_dir

PAGE = (ROOT / "docs" / "terminal.md").read_text(encoding="utf-8")
PICTURES = ROOT / "docs" / "screenshots"
ROW = re.compile(r"^\| (`.+`) \| (.+) \|$", re.MULTILINE)


@pytest.fixture
def plangate(tmp_path: Path) -> Iterator[CommandLine]:
    with gate_process(tmp_path) as address:
        yield CommandLine(address, tmp_path, {**at_home(tmp_path, token_dir()), "LANG": "C.UTF-8"})


def keys_of(section: str) -> list[Key]:
    _, _, text = PAGE.partition(f"\n## {section}\n")
    found = ROW.findall(text.partition("\n## ")[0])
    return [(keys.replace("`", ""), words) for keys, words in found]


def test_every_command_shows_what_the_page_says(plangate: CommandLine) -> None:
    """The full screen in a real terminal, the other one in a shell without any."""
    on_the_screen, without_a_terminal = commands_of(PAGE)
    with Client(plangate.target) as client:
        propose(client)
    with in_tmux(plangate, "review") as terminal:
        terminal.sees("2 decisions to make", "plan  Tidy the cellar", "call  bash: make inventory")
        check(on_the_screen, terminal.screen)
    follow(without_a_terminal, plangate.folder, {**plangate.environment()})


@pytest.mark.parametrize(("section", "keys"), [("A plan", PlanScreen.KEYS), ("A tool call", CallScreen.KEYS)])
def test_the_keys_are_those_of_the_screen(section: str, keys: Sequence[Key]) -> None:
    """As the help of the screen lists them; what is the same everywhere is not said twice."""
    told = keys_of(section)
    assert told == [*keys][: len(told)]
    assert len(told) >= 4


def test_the_pictures_load_nothing() -> None:
    """Each is on the page; a browser that shows one asks nobody for anything."""
    pictures = sorted(PICTURES.glob("terminal-*.svg"))
    assert pictures
    for picture in pictures:
        assert f"(screenshots/{picture.name})" in PAGE
        drawn = picture.read_text(encoding="utf-8")
        assert not re.findall(r"@font-face|@import|url\((?!#)|href=|<script", drawn)


def test_the_pictures_show_what_the_screen_shows() -> None:
    """Drawn anew, they are the same."""
    command = [sys.executable, "-m", "tools.terminal_screenshots", "--check"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, timeout=4 * PATIENCE)
    assert (done.returncode, done.stdout.decode()) == (0, "\n"), done.stderr.decode()
