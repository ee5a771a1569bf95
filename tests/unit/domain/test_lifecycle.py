"""The life of a plan: it is proposed, and people decide about the revision and digest they saw."""

import pytest
from msgspec.structs import replace

from plangate_server.domain.digest import digest
from plangate_server.domain.errors import AlreadyDecided, MissingField, Reason, StaleRevision
from plangate_server.domain.events import EventType
from plangate_server.domain.lifecycle import AFTER_REVIEW, Origin, propose, submit_decision
from plangate_server.domain.plan import Approved, PlanState
from plangate_server.domain.review import OUTCOMES, Option, ReviewOptions, ReviewStatus
from plangate_server.domain.todos import TodoStatus
from tests.helpers.domain import LATER, NOW, a_decision, a_draft, a_plan, a_proposal, a_todo, decided

ANSWERS = (Option.APPROVE, Option.REJECT, Option.REQUEST_CHANGES)
"""The choices that leave the text alone."""


def test_a_proposed_plan_waits_for_people() -> None:
    """A new plan is in review at once, and nobody has decided."""
    plan = a_plan()
    assert plan.state is PlanState.IN_REVIEW
    assert plan.review.status is ReviewStatus.REQUESTED
    assert plan.review.outcome is None
    assert plan.review.decisions == ()


def test_the_first_review_is_about_the_first_revision() -> None:
    """People are asked about revision 1 and the digest of exactly its content."""
    plan = a_plan()
    assert plan.revision.number == plan.review.revision == 1
    assert plan.revision.digest == plan.review.digest == digest(plan.revision.content)


def test_a_proposal_is_told_by_two_events() -> None:
    """The log says that the plan was made and then that people were asked, each with the plan as it is."""
    change = a_proposal(author="bot")
    assert [event.type for event in change.events] == [
        EventType.PLAN_CREATED,
        EventType.PLAN_APPROVAL_REQUIRED,
    ]
    assert all((event.plan, event.actor, event.time) == (change.plan, "bot", NOW) for event in change.events)


def test_a_proposal_remembers_where_it_came_from() -> None:
    """Ids, author, session, tool call and times are those that were given."""
    origin = Origin("1" * 32, "acme", "bot", session_id="s-1", tool_call_id="call-1")
    plan = propose(origin, a_draft(), ReviewOptions(), "2" * 32, NOW).plan
    assert (plan.plan_id, plan.review.approval_request_id, plan.workspace) == ("1" * 32, "2" * 32, "acme")
    assert (plan.session_id, plan.tool_call_id) == ("s-1", "call-1")
    assert (plan.created_by, plan.edited_by, plan.referenced_by) == ("bot", ("bot",), ("bot",))
    assert plan.create_time == plan.update_time == plan.review.request_time == NOW


def test_every_todo_of_a_new_plan_is_pending() -> None:
    """Todos start pending, those with made ids too."""
    plan = a_plan(draft=a_draft(todos=[a_todo("a"), a_todo()]))
    assert {todo_id: progress.status for todo_id, progress in plan.progress.items()} == {
        "a": TodoStatus.PENDING,
        "todo-2": TodoStatus.PENDING,
    }


def test_a_draft_that_is_not_sound_makes_no_plan() -> None:
    """Proposing refuses what composing the content refuses."""
    with pytest.raises(MissingField):
        a_proposal(draft=a_draft(" "))


@pytest.mark.parametrize(
    ("option", "state", "told"),
    [
        (Option.APPROVE, PlanState.APPROVED, EventType.PLAN_APPROVED),
        (Option.REJECT, PlanState.REJECTED, EventType.PLAN_REJECTED),
        (Option.REQUEST_CHANGES, PlanState.CHANGES_REQUESTED, EventType.PLAN_MODIFICATION_REQUESTED),
    ],
)
def test_a_decision_moves_the_plan_and_is_told_once(
    option: Option, state: PlanState, told: EventType
) -> None:
    """Each choice leads to its state, and one event tells who chose it, when and with which words."""
    change = decided(a_plan(), option)
    (event,) = change.events
    assert change.plan.state is state
    assert change.plan.update_time == LATER
    assert (event.type, event.actor, event.time, event.message) == (told, "ada", LATER, "Go on")
    assert event.plan == change.plan


def test_every_outcome_of_a_choice_leads_somewhere() -> None:
    """No choice that can be made leaves the plan without a next state."""
    assert set(OUTCOMES.values()) <= AFTER_REVIEW.keys()


@pytest.mark.parametrize("option", ANSWERS)
def test_an_answer_never_writes_content(option: Option) -> None:
    """The revision that was decided about is the revision that the plan still has."""
    plan = a_plan()
    after = decided(plan, option).plan
    assert after.revision is plan.revision
    undone = replace(after, state=plan.state, review=plan.review, update_time=plan.update_time)
    assert replace(undone, approved=None) == plan


@pytest.mark.parametrize("option", ANSWERS)
def test_only_an_approval_says_what_may_be_built(option: Option) -> None:
    """An approval covers the revision and digest that were decided about; anything else covers nothing."""
    plan = decided(a_plan(), option).plan
    covered = Approved(1, plan.revision.digest) if option is Option.APPROVE else None
    assert plan.approved == covered


@pytest.mark.parametrize(
    ("revision", "seen_digest"),
    [(2, "right"), (0, "right"), (-1, "right"), (1, "wrong"), (1, "RIGHT"), (1, ""), (2, "wrong")],
)
def test_deciding_about_something_else_is_refused(revision: int, seen_digest: str) -> None:
    """Another revision or digest than the head's is stale, and the refusal says what the head is."""
    plan = a_plan()
    head = plan.revision.digest
    seen = {"right": head, "RIGHT": head.upper()}.get(seen_digest, seen_digest)
    with pytest.raises(StaleRevision) as refused:
        submit_decision(plan, a_decision(), revision=revision, seen_digest=seen)
    assert refused.value.reason is Reason.STALE_REVISION
    assert refused.value.metadata == {
        "plan_uri": plan.uri,
        "expected_revision": str(revision),
        "revision": "1",
        "digest": head,
    }


@pytest.mark.parametrize("option", ANSWERS)
def test_a_decided_plan_stays_decided(option: Option) -> None:
    """Whoever decides second about the same text learns what was decided."""
    plan = decided(a_plan(), option).plan
    with pytest.raises(AlreadyDecided):
        decided(plan, Option.APPROVE, reviewer="bob")
