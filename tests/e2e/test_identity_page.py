"""Every command of docs/identity.md prints what the page says, with the gates that the page starts."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from plangate_server.settings import SETTINGS
from tests.e2e.cookbook import Command, commands_of
from tests.e2e.pages import SEARCH_PATH, TOKENS
from tests.e2e.processes import ROOT
from tests.e2e.reader import SERVE, Reader, is_grpcurl

PAGE = (ROOT / "docs" / "identity.md").read_text(encoding="utf-8")
PARTS = re.split(r"^## (.+)$", PAGE, flags=re.MULTILINE)
SECTIONS = {
    title: commands
    for title, text in zip(PARTS[1::2], PARTS[2::2], strict=True)
    if (commands := list(commands_of(text)))
}


def follow(commands: list[Command], folder: Path) -> None:
    """Somebody follows them in new terminals, with a gate that runs if they start none."""
    reader = Reader(folder)
    try:
        if not commands[0].text.startswith(SERVE):
            reader.serve()
        for command in commands:
            reader.follow(command)
    finally:
        reader.stop()


def secrets_in(folder: Path) -> Iterator[str]:
    for path in (*folder.glob("*.token"), *(folder / TOKENS).iterdir()):
        yield path.read_text(encoding="ascii").strip().rpartition("_")[2]


def test_every_command_does_what_the_page_says(tmp_path: Path) -> None:
    """Section by section; and no secret that was made or shown on the way is in the gate's log."""
    for commands in SECTIONS.values():
        follow([command for command in commands if not is_grpcurl(command)], tmp_path)
    log = (tmp_path / "gate.log").read_text(encoding="utf-8")
    secrets = list(secrets_in(tmp_path))
    assert len(secrets) == 6
    assert [secret for secret in secrets if secret in log] == []


def test_grpcurl(tmp_path: Path) -> None:
    """A token can be shown without standing in a command."""
    if shutil.which("grpcurl", path=SEARCH_PATH) is None:
        pytest.skip("grpcurl is not on the PATH: see docs/cookbook.md for how to get it")
    follow(SECTIONS["Tokens"], tmp_path)


def test_the_page_has_the_limits_as_they_are() -> None:
    """Each with its default."""
    shown = re.findall(r"^\| `(max_\w+)` \| (\d+) \|", PAGE, flags=re.MULTILINE)
    defaults = {setting.name: setting.default for setting in SETTINGS}
    assert len(shown) == 3
    assert shown == [(name, defaults[name]) for name, _ in shown]
