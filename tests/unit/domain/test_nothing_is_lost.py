"""Whatever changes a plan, nothing of it is lost, hidden or taken over unseen."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from plangate_server.domain.content import Content, Draft, PhaseDraft, replaced_text
from plangate_server.domain.diff import compare
from plangate_server.domain.errors import AlreadyDecided, InvalidField, TextNotUnique, WrongState
from plangate_server.domain.lifecycle import approve_by_rule, submit_decision, withdraw
from plangate_server.domain.plan import PlanState
from plangate_server.domain.review import Decision, Option, ReviewOptions
from plangate_server.domain.todos import Todo, TodoEdit, TodoHint, TodoStatus, total_estimate
from tests.helpers.domain import NOW, a_draft, a_todo
from tests.helpers.lives import (
    A_DRAFT,
    TODOS,
    after,
    assert_nothing_happened,
    building,
    deciding,
    plan_that_is,
    proposed,
    revising,
    writing,
)

HINTS = {"measure": TodoHint("a", timedelta(hours=1)), "tidy": TodoHint("b", timedelta(hours=2))}


def test_a_rule_that_approves_a_revision_keeps_the_builds_that_it_ended() -> None:
    """What ended with the old content is still told to the store."""
    change = revising(building())
    assert approve_by_rule(change, "small", after(9)).builds == change.builds != ()


def test_nobody_decides_about_a_draft() -> None:
    """What nobody was asked about cannot be approved, also after it was taken back."""
    draft = plan_that_is(PlanState.DRAFT)
    for plan in (draft, withdraw(draft, "", "bot", NOW).plan):
        with pytest.raises(WrongState):
            deciding(plan)


@pytest.mark.parametrize(
    "changed",
    [
        replace(proposed().revision.content, plan=A_DRAFT.plan + "\n"),
        replace(proposed().revision.content, plan=A_DRAFT.plan.replace("\n", "\r\n")),
        replace(proposed().revision.content, plan=A_DRAFT.plan.replace("\n", "\u2028")),
        replace(proposed().revision.content, todos=TODOS[::-1]),
    ],
    ids=["final newline", "CRLF", "U+2028", "order of todos"],
)
def test_no_change_of_content_is_invisible(changed: Content) -> None:
    """Whatever changes the digest shows in the diff."""
    head = proposed().revision
    diff = compare(head, replace(head, number=2, content=changed))
    assert diff.unified or diff.todos or diff.fields


def test_phases_replace_phases() -> None:
    """New phases bring their own todos: those of the old ones are gone."""
    plan = proposed(a_draft(phases=[PhaseDraft("One", (a_todo("a", "Old words"),))]))
    phases = (PhaseDraft("One", (a_todo("a", "New words"),)),)
    assert revising(plan, Draft("", phases=phases)).plan.revision.content.todos == (a_todo("a", "New words"),)


def test_the_same_phases_are_the_same_content() -> None:
    """Sending the phases again, without ids, makes no todo twice."""
    phases = (PhaseDraft("One", (a_todo("", "Do it"),)),)
    plan = proposed(a_draft(phases=phases))
    assert_nothing_happened(revising(plan, Draft("", phases=phases)), plan)


def test_hints_of_removed_todos_are_gone() -> None:
    """What is known of a todo goes with it, however it goes."""
    plan = proposed(a_draft(todos=TODOS, hints=HINTS))
    revised = revising(plan, Draft("", todos=TODOS[:1])).plan.revision
    assert total_estimate(revised.hints.values()) == timedelta(hours=1)
    written = writing(plan, TodoEdit("measure", "Measure it"), merge=False).plan.revision
    assert set(written.hints) == {"measure"}


@pytest.mark.parametrize(
    ("todos", "hints"),
    [
        (TODOS, {"nowhere": TodoHint("x")}),
        ((a_todo(""),), {"todo-1": TodoHint("x", timedelta(-1))}),
    ],
)
def test_hints_are_checked_in_a_revision(todos: tuple[Todo, ...], hints: dict[str, TodoHint]) -> None:
    """A revision's hints are held to the same rules as a proposal's."""
    with pytest.raises(InvalidField):
        revising(proposed(), a_draft("# New", todos=todos, hints=hints))


def test_a_quorum_is_not_passed_by_one_persons_edit() -> None:
    """Where several must agree, nobody approves a text of their own alone."""
    plan = proposed(options=ReviewOptions(required_approvals=2))
    with pytest.raises(InvalidField):
        deciding(plan, Option.EDIT, edited=a_draft("# Mine"))


def test_overlapping_occurrences_are_not_unique() -> None:
    """A text that can be found in two ways is not replaced."""
    with pytest.raises(TextNotUnique):
        replaced_text("aaa", "aa", "b")


def test_the_loser_against_an_edit_sees_the_winner() -> None:
    """Whoever decides about the text that somebody edited meanwhile is told who was first."""
    old = proposed()
    edited = deciding(old, Option.EDIT, edited=a_draft("# Mine")).plan
    late = Decision("bob", Option.APPROVE, after(2))
    with pytest.raises(AlreadyDecided):
        submit_decision(edited, late, revision=1, seen_digest=old.revision.digest)


def test_the_same_status_of_a_held_todo_is_no_touch() -> None:
    """Two agents that both send the whole list do not block each other."""
    plan = building()
    same = TodoEdit("measure", status=plan.progress["measure"].status)
    assert plan.progress["measure"].status is TodoStatus.PENDING
    assert_nothing_happened(writing(plan, same, agent_id="another"), plan)
