"""Every file of docs/oidc.md is sound, and its list of algorithms is that of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from plangate_server.oidc import load_oidc
from plangate_server.oidc.reader import OIDC
from plangate_server.oidc.rules import ALGORITHMS
from tests.e2e.processes import ROOT

PAGE = (ROOT / "docs" / "oidc.md").read_text(encoding="utf-8")
FILES = re.findall(r"^```yaml\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("text", FILES)
def test_every_file_is_sound(text: str, tmp_path: Path) -> None:
    """What an operator copies from the page is taken."""
    path = tmp_path / "oidc.yaml"
    path.write_text(text, encoding="utf-8")
    assert load_oidc(path).roles


def test_the_first_file_has_every_key() -> None:
    """And the table below it explains each."""
    assert re.findall(r"^([a-z]+):", FILES[0], flags=re.MULTILINE) == [
        *("issuer", "audience", "jwks", "name", "person", "workspace", "roles", "algorithms")
    ]
    assert set(re.findall(r"^\| `([a-z]+)` \|", PAGE, flags=re.MULTILINE)) == set(OIDC)


def test_the_page_lists_the_algorithms() -> None:
    """All of them, and no other."""
    listed = PAGE.partition("Algorithms are ")[2].partition(" (Ed25519)")[0]
    assert tuple(re.findall(r"`(\w+)`", listed)) == ALGORITHMS
