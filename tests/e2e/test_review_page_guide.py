"""Every command of docs/review-page.md prints what the page says."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.cookbook import commands_of
from tests.e2e.processes import ROOT
from tests.e2e.reader import Reader

PAGE = (ROOT / "docs" / "review-page.md").read_text(encoding="utf-8")


def test_every_command_prints_what_the_page_says(tmp_path: Path) -> None:
    """Run one after the other, by whoever starts the gate."""
    reader = Reader(tmp_path)
    try:
        for command in commands_of(PAGE):
            reader.follow(command)
    finally:
        reader.stop()
