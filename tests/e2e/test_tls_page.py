"""Every command of docs/tls.md prints what the page says, with the gate that the page starts."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.e2e.cookbook import commands_of
from tests.e2e.pages import SEARCH_PATH
from tests.e2e.processes import ROOT
from tests.e2e.reader import Reader, is_grpcurl

PAGE = (ROOT / "docs" / "tls.md").read_text(encoding="utf-8")


def test_grpcurl(tmp_path: Path) -> None:
    """Other tools take the same files: run after the gate was started."""
    if shutil.which("grpcurl", path=SEARCH_PATH) is None:
        pytest.skip("grpcurl is not on the PATH: see docs/cookbook.md for how to get it")
    commands = list(commands_of(PAGE))
    (number,) = (number for number, command in enumerate(commands) if is_grpcurl(command))
    reader = Reader(tmp_path)
    try:
        for command in commands[: number + 1]:
            reader.follow(command)
    finally:
        reader.stop()


def test_every_command_does_what_the_page_says(tmp_path: Path) -> None:
    """Run one after the other; then the program, while the gate still runs."""
    reader = Reader(tmp_path)
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    try:
        for command in commands_of(PAGE):
            if not is_grpcurl(command):
                reader.follow(command)
        assert reader.run(shlex.join([sys.executable, "-c", program])) == "0 plans\n"
    finally:
        ended = reader.stop()
    assert ended == 0
    log = (tmp_path / "gate.log").read_text(encoding="utf-8")
    assert '"event":"tls_read"' in log, "the renewed certificate was taken"
