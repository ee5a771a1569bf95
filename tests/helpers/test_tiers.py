"""Every test is run by somebody."""

import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.helpers.tiers import FOLDERS, TESTS, TIERS, pytest_collection_modifyitems

ROOT = TESTS.parent


def item(path: str, *marks: str) -> Any:
    """A test in a file, as pytest collects it."""
    marked = [SimpleNamespace(name=name) for name in marks]
    return SimpleNamespace(
        nodeid=path,
        path=TESTS / path,
        iter_markers=lambda: iter(marked),
        add_marker=lambda name: marked.append(SimpleNamespace(name=name)),
        get_closest_marker=lambda name: next((mark for mark in marked if mark.name == name), None),
    )


def collected(tiers: list[str] | None, *items: Any) -> list[str]:
    """Which of the tests are left."""
    left = list(items)
    config: Any = SimpleNamespace(
        getoption=lambda _: tiers, hook=SimpleNamespace(pytest_deselected=lambda items: None)
    )
    pytest_collection_modifyitems(config, left)
    return [each.nodeid for each in left]


def test_a_test_is_in_the_tier_of_its_folder() -> None:
    """Unless a mark names another one that the folder allows."""
    tests = [item("unit/test_a.py"), item("cli/test_b.py", "ui"), item("web/browser/test_c.py")]
    assert collected(["fast"], *tests) == ["unit/test_a.py"]
    assert collected(["ui"], *tests) == ["cli/test_b.py", "web/browser/test_c.py"]
    assert collected(["ui", "fast"], *tests) == [each.nodeid for each in tests]


@pytest.mark.parametrize(
    ("path", "marks"),
    [("elsewhere/test_a.py", ()), ("unit/test_a.py", ("ui",)), ("cli/test_a.py", ("fast", "ui"))],
    ids=["unknown folder", "not of the folder", "two tiers"],
)
def test_a_test_in_no_tier_or_in_two_stops_the_run(path: str, marks: tuple[str, ...]) -> None:
    """Whatever tier is wanted, and if none is."""
    for tiers in (None, *([tier] for tier in TIERS)):
        with pytest.raises(pytest.UsageError, match=path):
            collected(tiers, item(path, *marks))


def test_every_folder_of_the_table_has_tests() -> None:
    """Or its row is left over."""
    for folder in FOLDERS:
        assert any((TESTS / folder).rglob("test_*.py")), folder


def test_every_tier_is_run() -> None:
    """`make test-all` runs each of them, and `.ci/run` everything that `make test-all` runs."""
    dry = subprocess.run(["make", "-n", "test-all"], cwd=ROOT, check=True, capture_output=True, text=True)
    whole = re.findall(r"-m pytest --tier (\w+)(?!.* -m )", dry.stdout)
    assert set(whole) == TIERS.keys()
    everything = re.search(r"^test-all: (.*?) ##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    in_ci = Path(ROOT, ".ci/run").read_text(encoding="utf-8")
    loop = re.search(r"^for tier in (.*); do", in_ci, re.M)
    assert everything
    assert loop
    assert {*loop[1].split(), *re.findall(r"make (test\S*)$", in_ci, re.M)} >= {*everything[1].split()}
