"""Every link on a page leads somewhere, and every promise has a test."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
PROMISES = [f"R{number}" for number in range(1, 18)]


@cache
def prose(page: Path) -> str:
    """The page without its code, in which brackets are no links and hashes no headings."""
    return FENCED.sub("", page.read_text(encoding="utf-8"))


@cache
def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    """Files are there, tests among them, and so are the headings that a link names."""
    for link in LINK.findall(prose(page)):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} leads nowhere"
        assert target.is_relative_to(ROOT)
        assert not anchor or anchor in anchors(target), f"{link}: there is no such heading"


def test_every_promise_has_a_test() -> None:
    """The page about security names for each promise at least one file of tests that holds it."""
    page = prose(ROOT / "docs" / "security.md")
    rows = re.findall(r"^\| (R\d+) \| .+ \| (.+) \|$", page, flags=re.MULTILINE)
    assert [promise for promise, _ in rows] == PROMISES
    for promise, held_by in rows:
        assert re.search(r"\]\(\.\./tests/[\w/]+/test_\w+\.py\)", held_by), f"{promise} has no test"
