"""Whose a text is: an author is a caller under the name that it gives."""

import pytest
from msgspec.structs import replace

from plangate_server.domain.building import Hand, check_free, check_holder
from plangate_server.domain.errors import NotHolder, ReviewSuperseded, TodoHeld
from plangate_server.domain.identity import Author, Principal, Role, author_of
from plangate_server.domain.lifecycle import Amendment, check_knows_text, revise
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.todo_lists import TodoWrite, write_todos
from plangate_server.domain.todos import TodoEdit
from tests.helpers.domain import a_draft
from tests.helpers.lives import after, approved, building, proposed

ADA = Principal("bot", "acme", Role.AGENT, "ada")
BOB = Principal("bot", "acme", Role.AGENT, "bob")
CODER, TIDIER, NAMELESS = (author_of(ADA, agent_id) for agent_id in ("coder", "tidier", ""))
BOBS_CODER = author_of(BOB, "coder")


def proposed_by(author: Author) -> Plan:
    plan = proposed()
    return replace(
        plan, author=author, edited_by=(author.name,), review=replace(plan.review, proposer=author)
    )


def written(plan: Plan, author: Author | None, text: str = "# Other words") -> Plan:
    return revise(
        plan,
        Amendment(a_draft(text)),
        author=author.name if author else "eve",
        proposer=author,
        approval_request_id=f"review-{plan.revision.number + 1}",
        now=after(2),
    ).plan


def test_an_author_is_a_caller_and_a_name() -> None:
    """The same name of another caller is another author, and so is another name of the same caller."""
    everyone = [CODER, TIDIER, NAMELESS, BOBS_CODER]
    for one in everyone:
        assert [one.is_same(each) for each in everyone] == [one is each for each in everyone]
    assert len({each.mark for each in everyone}) == len(everyone)
    assert author_of(ADA, "coder") == CODER


def test_what_release_0_1_0_stored_is_known_by_its_name() -> None:
    """It kept the name only."""
    assert Author("coder").is_same(CODER)
    assert Author("coder").is_same(BOBS_CODER)
    assert not Author("coder").is_same(TIDIER)


def test_a_text_is_whose_who_sent_it() -> None:
    """Of a person's edit, it stays whose it was."""
    plan = proposed_by(CODER)
    assert plan.proposer == CODER
    assert written(plan, None).proposer == CODER
    assert written(plan, TIDIER).proposer == TIDIER
    assert written(written(plan, TIDIER), None).proposer == TIDIER


@pytest.mark.parametrize("state", ["in review", "approved"])
def test_the_same_words_of_another_author_are_asked_about(state: str) -> None:
    """And void the yes to the first; of the same author they change nothing."""
    plan = proposed_by(CODER)
    if state == "approved":
        plan = replace(approved(), author=CODER, review=plan.review)
    text = plan.revision.content.plan
    amendment = Amendment(replace(a_draft(text), name="", todos=()))
    again = partial_revision(plan, amendment, CODER)
    assert again == plan
    other = partial_revision(plan, amendment, BOBS_CODER)
    assert (other.revision.number, other.state, other.proposer) == (2, PlanState.IN_REVIEW, BOBS_CODER)
    assert other.revision.digest == plan.revision.digest
    assert other.approved is None


def partial_revision(plan: Plan, amendment: Amendment, author: Author) -> Plan:
    return revise(
        plan, amendment, author=author.name, proposer=author, approval_request_id="review-2", now=after(2)
    ).plan


def test_nobody_changes_a_part_of_what_took_the_place_of_its_own() -> None:
    """Who has no text in the plan yet may, and so may a person, and whose text it is."""
    plan = written(proposed_by(CODER), TIDIER)
    with pytest.raises(ReviewSuperseded):
        check_knows_text(plan, CODER)
    for author in (TIDIER, NAMELESS, None):
        check_knows_text(plan, author)
    write = TodoWrite((TodoEdit("new", "Paint"),), merge=True, actor="coder", proposer=CODER)
    with pytest.raises(ReviewSuperseded):
        write_todos(plan, write, "review-3", after(3))
    assert write_todos(plan, replace(write, edits=()), "review-3", after(3)).plan == plan


def held() -> Plan:
    """A build of ADA's coder holds everything."""
    plan = building()
    return replace(plan, builds=tuple(replace(build, principal=ADA.key) for build in plan.builds))


@pytest.mark.parametrize(
    "hand",
    [
        Hand(ADA.key),
        Hand(ADA.key, agent_id="coder"),
        Hand(ADA.key, build_id="build-1"),
        Hand(BOB.key, is_admin=True),
        Hand(BOB.key, is_admin=True, build_id="build-1"),
    ],
)
def test_a_holder_or_an_admin_changes_what_is_held(hand: Hand) -> None:
    """By the credentials that started the build."""
    plan = held()
    check_free(plan, ["move"], hand)
    check_holder(plan.builds[0], hand)


@pytest.mark.parametrize(
    ("hand", "refusal"),
    [
        (Hand(BOB.key), NotHolder),
        (Hand(BOB.key, agent_id="coder"), NotHolder),
        (Hand(BOB.key, build_id="build-1"), NotHolder),
        (Hand(BOB.key, agent_id="tidier"), TodoHeld),
        (Hand(ADA.key, agent_id="tidier"), TodoHeld),
        (Hand(ADA.key, build_id="build-2"), TodoHeld),
    ],
)
def test_nobody_else_changes_what_is_held(hand: Hand, refusal: type[Exception]) -> None:
    """Whatever it says that it acts for; who says that it is another is told who holds it."""
    with pytest.raises(refusal):
        check_free(held(), ["move"], hand)
    check_free(held(), [], hand)
