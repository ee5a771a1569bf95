"""Every file of docs/policy.md is sound, and every command prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from plangate_server.domain.authorization import RULES
from plangate_server.policyfile import load_policy
from tests.e2e.cookbook import commands_of
from tests.e2e.pages import at_home, follow
from tests.e2e.processes import ROOT

PAGE = (ROOT / "docs" / "policy.md").read_text(encoding="utf-8")
FILES = re.findall(r"^```yaml\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("text", FILES)
def test_every_file_is_sound(text: str, tmp_path: Path) -> None:
    """What an operator copies from the page is taken."""
    path = tmp_path / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    (tmp_path / ".agentignore").write_text("*.pem\n", encoding="utf-8")
    load_policy(path)


def test_every_command_prints_what_the_page_says(tmp_path: Path) -> None:
    """Run one after the other, in a folder with the first file of the page."""
    (tmp_path / "policy.yaml").write_text(FILES[0], encoding="utf-8")
    for command in commands_of(PAGE):
        follow(command, tmp_path, at_home(tmp_path))


def test_the_page_lists_the_rules_in_their_order() -> None:
    """The table is that of the code."""
    rows = re.findall(r"^\| \d \| `([a-z_]+)(?::NAME)?` \| ([A-Z]+) \|", PAGE, flags=re.MULTILINE)
    assert rows == [(rule.name, rule.result.name) for rule in RULES]
