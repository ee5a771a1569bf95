"""Every command of docs/plan-files.md prints what the page says."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.cookbook import commands_of
from tests.e2e.pages import at_home, follow
from tests.e2e.processes import ROOT
from tests.helpers.gate_process import gate_process
from tests.helpers.tokens import token_dir

PAGE = (ROOT / "docs" / "plan-files.md").read_text(encoding="utf-8")


def test_every_command_prints_what_the_page_says(tmp_path: Path) -> None:
    """Run one after the other, by an agent and a person on one machine."""
    with gate_process(tmp_path) as address:
        environment = {**at_home(tmp_path, token_dir()), "PLANGATE_TARGET": address}
        for command in commands_of(PAGE):
            follow(command, tmp_path, environment)
