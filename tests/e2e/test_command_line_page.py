"""docs/command-line.md says what commands there are, and the recorded session is true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from plangate.cli._commands import SUMMARIES
from plangate.cli._exits import MEANINGS
from tests.e2e.pages import at_home, run
from tests.e2e.processes import ROOT
from tests.helpers.conditions import PATIENCE

COMMAND_LINE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
SHELLS = {
    "bash": Path(".local/share/bash-completion/completions/plangate"),
    "zsh": Path(".zfunc/_plangate"),
    "fish": Path(".config/fish/completions/plangate.fish"),
}


def test_every_command_and_exit_code_is_on_the_page() -> None:
    """A heading for each command, a row for each code."""
    assert re.findall(r"^### (.+)$", COMMAND_LINE, re.MULTILINE) == [*SUMMARIES]
    assert [int(code) for code in re.findall(r"^\| (\d+) \|", COMMAND_LINE, re.MULTILINE)] == [*MEANINGS]


def test_completion_is_set_up_as_the_page_says(tmp_path: Path) -> None:
    """The script of each shell lands where that shell looks for it."""
    (block,) = re.findall(r"^```sh\n(.*?)^```$", COMMAND_LINE, flags=re.MULTILINE | re.DOTALL)
    for place in SHELLS.values():
        (tmp_path / place).parent.mkdir(parents=True)
    assert run(block, tmp_path, at_home(tmp_path)) == ""
    for shell, place in SHELLS.items():
        assert f"made by: plangate completion {shell}\n" in (tmp_path / place).read_text(encoding="utf-8")


def test_the_recorded_session_is_what_the_commands_print() -> None:
    """Played again at real terminals, it is the same but for ids, hashes and times."""
    command = [sys.executable, "-m", "tools.record_session", "--check"]
    played = subprocess.run(
        command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=2 * PATIENCE
    )
    assert played.returncode == 0, f"run {' '.join(command[1:3])}:\n{played.stdout}{played.stderr}"
