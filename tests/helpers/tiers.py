"""Every test is in one tier: that of its folder, unless a mark names another that the folder allows.

``pytest --tier NAME`` collects the tests of one tier, or of several if it is given again, and reads no folder
that has none of them: what the others need does not have to be installed.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

TESTS = Path(__file__).resolve().parents[1]

TIERS = {
    "fast": "what `make test` runs: needs nothing but Python",
    "postgres": "needs a PostgreSQL server",
    "ui": "needs a browser, a terminal multiplexer or a shell",
    "e2e": "whole processes: crashes, failover, the documentation as it is run",
    "load": "many connections at once: runs alone, never beside other tests",
    "release": "what is built and installed, and the upgrade from the last release",
}

FOLDERS: dict[str, tuple[str, ...]] = {
    "cli": ("fast", "postgres", "ui", "e2e"),
    "contract": ("fast", "postgres"),
    "contract/postgres": ("postgres",),
    "e2e": ("e2e", "load"),
    "helpers": ("fast",),
    "packaging": ("release",),
    "release": ("release",),
    "rpc": ("fast", "postgres"),
    "smoke": ("fast",),
    "tui": ("ui",),
    "unit": ("fast",),
    "web": ("fast",),
    "web/browser": ("ui",),
}
"""The tier of a folder's tests, and after it those that a mark may put a test in instead."""


def pytest_addoption(parser: pytest.Parser) -> None:
    only = "run the tests of this tier only; several, if given again"
    parser.addoption("--tier", action="append", choices=list(TIERS), help=only)


def pytest_configure(config: pytest.Config) -> None:
    for name, description in TIERS.items():
        config.addinivalue_line("markers", f"{name}: {description}")
    config.addinivalue_line("markers", "thorough: like a property test, tries more with that profile")


def pytest_report_header(config: pytest.Config) -> str:
    profile, seed = settings.get_current_profile_name(), config.getoption("--hypothesis-seed")
    return f"property tests repeat with --hypothesis-profile={profile} --hypothesis-seed={seed}"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Read no folder that cannot have tests of the tier; None leaves the question to others."""
    wanted = config.getoption("--tier")
    if wanted is None or not collection_path.is_dir() or not collection_path.is_relative_to(TESTS):
        return None
    here = collection_path.relative_to(TESTS).as_posix()
    below = [tiers for folder, tiers in FOLDERS.items() if folder == here or folder.startswith(f"{here}/")]
    below += [tiers for tiers in [tiers_of(collection_path)] if tiers]
    if here == "." or not below or any(set(wanted) & set(tiers) for tiers in below):
        return None
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark every test with its tier, and leave out those of other tiers."""
    homeless = [problem for item in items if (problem := _assign(item))]
    if homeless:
        raise pytest.UsageError("\n".join(["every test is in exactly one tier:", *homeless]))
    wanted = config.getoption("--tier")
    if wanted is None:
        return
    left_out = [item for item in items if not any(map(item.get_closest_marker, wanted))]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if any(map(item.get_closest_marker, wanted))]


def tiers_of(folder: Path) -> tuple[str, ...]:
    """What the nearest folder says that is in the table; nothing, if none is."""
    for near in (folder, *folder.parents):
        if near.is_relative_to(TESTS) and (found := FOLDERS.get(near.relative_to(TESTS).as_posix())):
            return found
    return ()


def _assign(item: pytest.Item) -> str | None:
    """Mark a test with its tier, or say why it has none."""
    allowed = tiers_of(item.path.parent)
    if not allowed:
        return f"{item.nodeid}: its folder is not in the table of tests/helpers/tiers.py"
    marked = {mark.name for mark in item.iter_markers() if mark.name in TIERS}
    if not marked:
        item.add_marker(allowed[0])
        return None
    if len(marked) > 1 or not marked <= set(allowed):
        return f"{item.nodeid}: is marked {', '.join(sorted(marked))}, its folder allows {', '.join(allowed)}"
    return None
