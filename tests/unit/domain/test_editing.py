"""Approving with edits: a person's own revision, approved as edited, with no further round."""

import pytest

from plangate_server.domain.content import Draft
from plangate_server.domain.digest import digest
from plangate_server.domain.errors import (
    AlreadyDecided,
    DependencyCycle,
    InvalidField,
    Refusal,
    StaleRevision,
)
from plangate_server.domain.events import Change, EventType
from plangate_server.domain.lifecycle import Amendment, submit_decision
from plangate_server.domain.plan import Approved, Plan, PlanState
from plangate_server.domain.review import (
    Decision,
    DecisionSource,
    Option,
    ReviewOutcome,
    ReviewStatus,
)
from plangate_server.domain.todos import TodoHint, TodoStatus
from tests.helpers.domain import a_draft, a_todo
from tests.helpers.lives import (
    A_DRAFT,
    TODOS,
    after,
    deciding,
    marked,
    proposed,
    revising,
    starting,
    statuses_of,
    types_of,
)

EDITED = a_draft("# As Ada wants it")


def editing(plan: Plan, edited: Draft = EDITED, reviewer: str = "ada") -> Change:
    return deciding(plan, Option.EDIT, reviewer, edited=edited)


def test_an_edit_is_a_revision_by_the_person() -> None:
    """It has the next number, the person as its author, and the text that the person wrote."""
    plan = editing(proposed()).plan
    head = plan.revision
    assert (head.number, head.author, head.create_time) == (2, "ada", after(1))
    assert head.content.plan == "# As Ada wants it"
    assert head.digest == digest(head.content)
    assert plan.edited_by == ("builder-bot", "ada")


def test_what_was_edited_is_what_is_approved() -> None:
    """The approval covers the digest of the edited text, and only that can be built."""
    old = proposed()
    plan = editing(old).plan
    assert (plan.state, plan.is_approved) == (PlanState.APPROVED, True)
    assert plan.approved == Approved(2, plan.revision.digest)
    assert plan.revision.digest != old.revision.digest
    assert starting(plan).builds[0].digest == plan.revision.digest


def test_the_review_ends_as_modified() -> None:
    """The review stays the one about the text that was shown, with the person's decision."""
    old = proposed()
    review = editing(old).plan.review
    assert (review.status, review.outcome) == (ReviewStatus.DONE, ReviewOutcome.MODIFIED)
    assert (review.source, review.decided_by, review.decide_time) == (
        DecisionSource.MANUAL,
        "ada",
        after(1),
    )
    assert (review.revision, review.digest) == (1, old.revision.digest)


def test_an_edit_is_told_once() -> None:
    """One event says who edited and with which words, and carries the plan as it is now."""
    change = editing(proposed())
    (event,) = change.events
    assert types_of(change) == [EventType.PLAN_EDITED]
    assert (event.actor, event.message, event.plan) == ("ada", "Measure twice", change.plan)


def test_what_the_person_left_alone_stays() -> None:
    """An edit of one field keeps every other field of the head."""
    content = editing(proposed(), Draft("", overview="Ada's words")).plan.revision.content
    before = proposed().revision.content
    assert content.overview == "Ada's words"
    assert (content.name, content.plan, content.todos) == (before.name, before.plan, before.todos)


def test_hints_and_progress_of_todos_that_stay_are_kept() -> None:
    """Todos that the person keeps are as far as they were; new ones begin, and removed ones are gone."""
    hints = {"measure": TodoHint("eve"), "tidy": TodoHint("kim")}
    plan = marked(proposed(a_draft(todos=TODOS, hints=hints)), TodoStatus.COMPLETED, "measure")
    edited = editing(plan, Draft("", todos=(TODOS[0], a_todo("new")))).plan
    assert edited.revision.hints == {"measure": TodoHint("eve")}
    assert statuses_of(edited) == {"measure": TodoStatus.COMPLETED, "new": TodoStatus.PENDING}
    assert edited.progress["measure"] == plan.progress["measure"]


@pytest.mark.parametrize(
    "edited",
    [
        Draft(" "),
        Draft("", name="x" * 1001),
        Draft("", todos=(a_todo("a"), a_todo("a"))),
        Draft("", todos=(a_todo("a", needs=["b"]),)),
        Draft("", todos=(a_todo("a", " "),)),
    ],
)
def test_an_edit_that_is_not_sound_is_refused(edited: Draft) -> None:
    """The person's content is checked like an agent's, and the review stays open."""
    plan = proposed()
    with pytest.raises(Refusal):
        editing(plan, edited)
    assert plan == proposed()
    assert deciding(plan).plan.is_approved


def test_the_refusal_of_an_edit_names_what_is_wrong() -> None:
    """A person who drew a circle is told which."""
    with pytest.raises(DependencyCycle) as refused:
        editing(proposed(), Draft("", todos=(a_todo("a", needs=["b"]), a_todo("b", needs=["a"]))))
    assert refused.value.metadata == {"cycle": "a -> b -> a"}


def test_an_edit_of_another_text_is_stale() -> None:
    """Who edits a revision that is not the head any more changes nothing."""
    old = proposed()
    plan = revising(old).plan
    decision = Decision("ada", Option.EDIT, after(3))
    with pytest.raises(StaleRevision):
        submit_decision(plan, decision, revision=1, seen_digest=old.revision.digest, edited=Amendment(EDITED))


def test_an_edit_after_a_decision_is_refused() -> None:
    """The first decision wins over any edit, and an edit over any later decision."""
    with pytest.raises(AlreadyDecided):
        editing(deciding(proposed(), reviewer="bob").plan)
    with pytest.raises(AlreadyDecided) as refused:
        deciding(editing(proposed()).plan, reviewer="bob")
    assert (refused.value.metadata["outcome"], refused.value.metadata["decided_by"]) == ("MODIFIED", "ada")


def test_an_edit_that_changes_nothing_is_refused() -> None:
    """Whoever sends the text that was shown is told that approve says that."""
    with pytest.raises(InvalidField, match="use approve"):
        editing(proposed(), A_DRAFT)


def test_what_an_agent_changes_after_an_edit_is_reviewed() -> None:
    """A person's edit approves their text and nothing that comes later."""
    plan = revising(editing(proposed(), reviewer="ada").plan, a_draft("# Not Ada's")).plan
    assert (plan.state, plan.is_approved) == (PlanState.IN_REVIEW, False)
    assert (plan.review.revision, plan.review.status) == (3, ReviewStatus.REQUESTED)
