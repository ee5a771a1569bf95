"""What counts as a difference between what a release told and what this version tells."""

import pytest

from tests.release.observing import differences

BEFORE = {"plans": [{"name": "Cellar", "revision": "1"}, {"name": "Roof"}]}


def test_what_is_new_is_no_difference() -> None:
    """A later version may tell more."""
    after = {"plans": [{"name": "Cellar", "revision": "1", "labels": []}, {"name": "Roof"}], "tokens": []}
    assert list(differences(BEFORE, after)) == []


@pytest.mark.parametrize(
    ("plans", "where"),
    [
        ([{"name": "Cellar", "revision": "2"}, {"name": "Roof"}], "/plans/0/revision: '1' became '2'"),
        ([{"name": "Cellar"}, {"name": "Roof"}], "/plans/0/revision: '1' became None"),
        ([{"name": "Cellar", "revision": "1"}], "/plans: "),
    ],
    ids=["changed", "missing", "fewer"],
)
def test_what_changed_or_is_gone_is_named(plans: list[dict[str, str]], where: str) -> None:
    """With its place, what it was and what it is."""
    [found] = differences(BEFORE, {"plans": plans})
    assert found.startswith(where)
