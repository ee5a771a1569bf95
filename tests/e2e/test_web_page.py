"""Every command of docs/web.md prints what the page says."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.e2e.cookbook import commands_of
from tests.e2e.processes import ROOT
from tests.e2e.reader import Reader

PAGE = (ROOT / "docs" / "web.md").read_text(encoding="utf-8")


def test_every_command_does_what_the_page_says(tmp_path: Path) -> None:
    """Run one after the other, with a gate that runs."""
    if shutil.which("curl") is None:
        pytest.skip("curl is not on the PATH")
    reader = Reader(tmp_path)
    try:
        reader.serve()
        for command in commands_of(PAGE):
            reader.follow(command)
    finally:
        reader.stop()


@pytest.mark.parametrize("text", re.findall(r"^```json\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL))
def test_every_message_is_json(text: str) -> None:
    """As an IDE would read it; what they say is held by tests/web/test_gateway.py."""
    assert json.loads(text)["type"] in {
        "plan_approval_required",
        "plan_decision",
        "tool_approval_required",
        "tool_decision",
    }
