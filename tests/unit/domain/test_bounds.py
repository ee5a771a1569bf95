"""What a plan gathers has a bound."""

from __future__ import annotations

from functools import reduce

import pytest
from msgspec.structs import replace

from plangate_server.domain import limits
from plangate_server.domain.building import BuildOrder, start_build
from plangate_server.domain.comments import FREE_BYTES, Taken, check_room
from plangate_server.domain.errors import LimitExceeded, ReviewSuperseded
from plangate_server.domain.identity import Author, Principal, Role, author_of
from plangate_server.domain.lifecycle import check_knows_text
from plangate_server.domain.limits import COMMENTS, COMMENTS_BYTES, REVISIONS
from plangate_server.domain.plan import Plan
from tests.helpers.domain import a_draft
from tests.helpers.lives import after, approved, proposed, revising
from tests.unit.domain.test_comments import comment

CALLER = Principal("bot", "acme", Role.AGENT, "ada")


def edited_by(count: int) -> Plan:
    """A plan of an author whose text gave way to that of so many others."""
    author = author_of(CALLER, "first")
    plan = replace(proposed(), author=author, edited_by=(author.name,))
    return reduce(
        lambda plan, n: revising(plan, a_draft(f"# {n}"), author=f"agent-{n}").plan, range(count), plan
    )


def test_the_last_editors_are_named() -> None:
    """Of more, who came first is forgotten, and each revision still names its author."""
    plan = edited_by(limits.EDITORS + 5)
    assert plan.edited_by == tuple(f"agent-{number}" for number in range(5, limits.EDITORS + 5))
    assert plan.revision.author == plan.edited_by[-1]


@pytest.mark.parametrize("others", [1, limits.EDITORS, limits.EDITORS + 5])
def test_a_forgotten_author_does_not_change_words_that_they_never_saw(others: int) -> None:
    """Whoever may have been forgotten is taken for one whose text gave way."""
    plan = edited_by(others)
    plan = replace(plan, review=replace(plan.review, proposer=Author(f"agent-{others}", "somebody")))
    with pytest.raises(ReviewSuperseded):
        check_knows_text(plan, plan.author)


def test_a_plan_has_so_many_revisions() -> None:
    """An agent's next one is refused, and names the limit."""
    plan = proposed()
    full = replace(plan, revision=replace(plan.revision, number=REVISIONS))
    with pytest.raises(LimitExceeded) as refused:
        revising(full)
    assert refused.value.metadata["limit"] == "revisions"
    last = replace(plan, revision=replace(plan.revision, number=REVISIONS - 1))
    assert revising(last).plan.revision.number == REVISIONS


def test_what_was_built_first_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who builds now is told with all that was given to them; of the others, the last."""
    monkeypatch.setattr(limits, "BUILT", 5)
    plan = replace(
        approved(), built_by={"old": ("a", "b"), "idle": (), "young": ("c",), "coder": ("d", "measure")}
    )
    built_by = start_build(plan, BuildOrder("coder", ("measure", "move")), "build-1", after(3)).plan.built_by
    assert built_by == {"idle": (), "young": ("c",), "coder": ("d", "measure", "move")}
    assert list(built_by)[-1] == "coder"


def test_builders_are_no_end_of_references() -> None:
    """As many are kept as may refer to a plan."""
    many = tuple(f"agent-{number}" for number in range(limits.REFERENCES))
    plan = replace(approved(), referenced_by=many)
    assert start_build(plan, BuildOrder("coder"), "build-1", after(3)).plan.referenced_by == (
        *many[1:],
        "coder",
    )


def test_so_many_builds_are_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more is refused, also of a plan without todos."""
    monkeypatch.setattr(limits, "BUILDS", 1)
    plan = start_build(approved(), BuildOrder("coder", ("measure",)), "build-1", after(3)).plan
    with pytest.raises(LimitExceeded) as refused:
        start_build(plan, BuildOrder("coder", ("tidy",)), "build-2", after(3))
    assert refused.value.metadata["limit"] == "builds"


def test_a_plan_has_so_many_comments() -> None:
    """And so many bytes of them, with what they quote."""
    small, large = comment(), comment(text="x" * (COMMENTS_BYTES // 4))
    three = Taken(3, 3 * (COMMENTS_BYTES // 4 + FREE_BYTES))
    check_room(Taken(COMMENTS - 1, COMMENTS), small)
    check_room(three, large)
    for taken, another, limit in (
        (Taken(COMMENTS, COMMENTS), small, "comments"),
        (three, replace(large, quoted_text="y"), "comments_bytes"),
    ):
        with pytest.raises(LimitExceeded) as refused:
            check_room(taken, another)
        assert refused.value.metadata["limit"] == limit
