"""docs/command-line.md and docs/plan-files.md say what commands do, and the recorded session is true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from plangate.cli._commands import SUMMARIES
from plangate.cli._exits import MEANINGS
from tests.e2e.cookbook import commands_of
from tests.e2e.pages import at_home, follow, run
from tests.e2e.processes import PATIENCE, ROOT
from tests.helpers.gate_process import gate_process
from tests.helpers.tokens import token_dir

COMMAND_LINE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
PLAN_FILES = (ROOT / "docs" / "plan-files.md").read_text(encoding="utf-8")
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


def test_files_become_plans_and_plans_files(tmp_path: Path) -> None:
    """Proposed, imported and exported, each prints what the page of plan files says."""
    (file,) = re.findall(
        r"^<!-- canonical -->\n```markdown\n(.*?)^```$", PLAN_FILES, re.MULTILINE | re.DOTALL
    )
    (tmp_path / "plans").mkdir()
    (tmp_path / "notes").mkdir()
    for name in ("move_the_cache.plan.md", "plans/move_the_cache.plan.md"):
        (tmp_path / name).write_text(file, encoding="utf-8")
    (tmp_path / "plans" / "garden.plan.md").write_text("# Tend the garden\n", encoding="utf-8")
    (tmp_path / "notes" / "todos.json").write_text('{"todos": [{"content": "Sweep"}]}', encoding="utf-8")
    with gate_process(tmp_path) as address:
        environment = {**at_home(tmp_path, token_dir()), "PLANGATE_TARGET": address}
        for command in commands_of(PLAN_FILES):
            follow(command, tmp_path, environment)
    (exported,) = tmp_path.glob("move_the_cache_????????.plan.md")
    assert exported.read_text(encoding="utf-8") == file.replace("completed", "pending")


def test_the_recorded_session_is_what_the_commands_print() -> None:
    """Played again at real terminals, it is the same but for ids, hashes and times."""
    command = [sys.executable, "-m", "tools.record_session", "--check"]
    played = subprocess.run(
        command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=2 * PATIENCE
    )
    assert played.returncode == 0, f"run {' '.join(command[1:3])}:\n{played.stdout}{played.stderr}"
