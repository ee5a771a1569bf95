"""Every command of docs/separation.md prints what the page says, at a gate with the page's own policy."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from plangate_server.policyfile import load_policy
from tests.e2e.cookbook import Command, commands_of
from tests.e2e.processes import ROOT
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate_process import gate_process

PAGE = (ROOT / "docs" / "separation.md").read_text(encoding="utf-8")
SEARCH_PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


def run(command: Command, folder: Path, address: str) -> None:
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "PLANGATE_TOKEN_DIR") if name in os.environ}
    done = subprocess.run(
        ["bash", "-c", command.text],
        cwd=folder,
        env={"PATH": SEARCH_PATH, "HOME": str(folder), "PLANGATE_TARGET": address, **kept},
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE,
    )
    output, expected = done.stdout.decode(), "\n".join(command.printed)
    assert command.prints(output), f"$ {command.text}\nshould print\n{expected}\nand prints\n{output}"


def test_every_command_prints_what_the_page_says(tmp_path: Path) -> None:
    """Run one after the other, by an admin who has the tokens that the gate left for its user."""
    (file,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    policy = tmp_path / "policy.yaml"
    policy.write_text(file, encoding="utf-8")
    assert load_policy(policy).four_eyes
    with gate_process(tmp_path, policy=policy) as address:
        for command in commands_of(PAGE):
            run(command, tmp_path, address)
