"""Every file of docs/policy.md is sound, and every command prints what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from plangate_server.domain.authorization import RULES
from plangate_server.policyfile import load_policy
from tests.e2e.cookbook import commands_of
from tests.e2e.processes import PATIENCE, ROOT

PAGE = (ROOT / "docs" / "policy.md").read_text(encoding="utf-8")
FILES = re.findall(r"^```yaml\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
SEARCH_PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


@pytest.mark.parametrize("text", FILES)
def test_every_file_is_sound(text: str, tmp_path: Path) -> None:
    """What an operator copies from the page is taken."""
    path = tmp_path / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    load_policy(path)


def test_every_command_prints_what_the_page_says(tmp_path: Path) -> None:
    """Run one after the other, in a folder with the first file of the page."""
    (tmp_path / "policy.yaml").write_text(FILES[0], encoding="utf-8")
    for command in commands_of(PAGE):
        done = subprocess.run(
            ["bash", "-c", command.text],
            cwd=tmp_path,
            env={"PATH": SEARCH_PATH, "HOME": str(tmp_path)},
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
        )
        output = done.stdout.decode()
        expected = "\n".join(command.printed)
        assert command.prints(output), f"$ {command.text}\nshould print\n{expected}\nand prints\n{output}"


def test_the_page_lists_the_rules_in_their_order() -> None:
    """The table is that of the code."""
    rows = re.findall(r"^\| \d \| `([a-z_]+)(?::NAME)?` \| ([A-Z]+) \|", PAGE, flags=re.MULTILINE)
    assert rows == [(rule.name, rule.result.name) for rule in RULES]
