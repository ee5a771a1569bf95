"""The whole content of a plan, given anew: what is empty in it becomes empty, and progress stays."""

import pytest
from msgspec.structs import replace

from plangate_server.domain.content import Content, Draft, PhaseDraft
from plangate_server.domain.errors import InvalidField, MissingField
from plangate_server.domain.events import Change
from plangate_server.domain.lifecycle import Amendment, revise, submit_decision
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import Decision, Option
from plangate_server.domain.todos import TodoHint, TodoStatus
from tests.helpers.domain import a_todo
from tests.helpers.lives import after, marked, proposed, statuses_of

A, B = a_todo("a", "First"), a_todo("b", "Second", ["a"])
FULL = Draft(
    "# Cache",
    name="Faster",
    overview="Why",
    todos=(A, B),
    phases=(PhaseDraft("One", (A,)),),
    is_project=True,
    is_spec=True,
    hints={"a": TodoHint("builder")},
)
NOTHING_BUT_TEXT = Content(name="Cache", overview="", plan="# Cache", todos=())


def rewritten(plan: Plan, content: Draft, old: str = "", new: str = "") -> Change:
    amendment = Amendment(content, whole=True, old_str=old, new_str=new)
    return revise(plan, amendment, author="ada", approval_request_id="review-2", now=after(2))


def test_what_is_empty_becomes_empty() -> None:
    """Todos, phases, overview, hints and flags can be taken away; the name is then that of the text."""
    plan = rewritten(proposed(FULL), Draft("# Cache")).plan
    assert plan.revision.content == NOTHING_BUT_TEXT
    assert (plan.revision.hints, plan.progress, plan.state) == ({}, {}, PlanState.IN_REVIEW)


def test_a_person_who_approves_as_edited_can_empty_it_too() -> None:
    """The same content, and it is approved."""
    plan = proposed(FULL)
    decision, head = Decision("ada", Option.EDIT, after(1)), plan.revision
    edited = Amendment(Draft("# Cache"), whole=True)
    plan = submit_decision(plan, decision, revision=1, seen_digest=head.digest, edited=edited).plan
    assert (plan.revision.content, plan.is_approved) == (NOTHING_BUT_TEXT, True)


def test_it_needs_a_text() -> None:
    """A plan without a text is none, whatever else it has."""
    with pytest.raises(MissingField) as refused:
        rewritten(proposed(FULL), replace(FULL, plan=" \n"))
    assert refused.value.field == "plan"


@pytest.mark.parametrize(("old", "new", "field"), [("# Cache", "x", "old_str"), ("", "x", "new_str")])
def test_it_has_no_place_to_replace(old: str, new: str, field: str) -> None:
    """Who gives both is told, rather than one of them being passed over."""
    with pytest.raises(InvalidField) as refused:
        rewritten(proposed(FULL), FULL, old, new)
    assert refused.value.field == field


def test_todos_that_stay_keep_their_progress() -> None:
    """A status is progress and no content: it stays with its id, and what is new is pending."""
    begun = marked(proposed(FULL), TodoStatus.COMPLETED, "a", "b")
    changes = Draft("# Cache", todos=(a_todo("c", "Third"), replace(A, content="First of all")))
    plan = rewritten(begun, changes).plan
    assert statuses_of(plan) == {"c": TodoStatus.PENDING, "a": TodoStatus.COMPLETED}


def test_the_same_content_asks_nobody_again() -> None:
    """A file that is saved without a change is no revision."""
    plan = proposed(FULL)
    assert rewritten(plan, FULL) == Change(plan, ())
