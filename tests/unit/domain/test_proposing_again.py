"""A session has one plan: proposing in it again gives that plan new content."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from plangate_server.domain.content import Draft
from plangate_server.domain.errors import InvalidField, MissingField, NotApproved
from plangate_server.domain.events import Change, EventType
from plangate_server.domain.lifecycle import Amendment, propose_again, revise
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import ReviewOptions, ReviewOutcome
from plangate_server.domain.todos import TodoEdit, TodoHint, TodoStatus
from tests.helpers.domain import a_draft, a_todo
from tests.helpers.lives import (
    A_DRAFT,
    TODOS,
    after,
    approved,
    assert_nothing_happened,
    marked,
    plan_that_is,
    proposed,
    starting,
    statuses_of,
    types_of,
    writing,
)

ANOTHER = a_draft("# Another plan", todos=[TODOS[0], a_todo("new")])

PLAIN = ReviewOptions()
STRICT = ReviewOptions(timedelta(hours=1), 3)


def proposing(plan: Plan, draft: Draft = ANOTHER, options: ReviewOptions = PLAIN) -> Change:
    return propose_again(plan, draft, options, author="coder", approval_request_id="review-2", now=after(2))


def updating(plan: Plan, amendment: Amendment) -> Change:
    return revise(plan, amendment, author="coder", approval_request_id="review-2", now=after(2))


def test_it_is_the_same_plan_with_another_revision() -> None:
    """The plan keeps its name in every call; the old review is superseded, the new one open."""
    plan = proposed()
    change = proposing(plan)
    assert change.plan.uri == plan.uri
    assert (change.plan.revision.number, change.plan.revision.author) == (2, "coder")
    assert (change.plan.created_by, change.plan.edited_by) == ("builder-bot", ("builder-bot", "coder"))
    assert [review.outcome for review in change.reviews] == [ReviewOutcome.SUPERSEDED]
    assert types_of(change) == [EventType.PLAN_UPDATED, EventType.PLAN_APPROVAL_REQUIRED]


def test_nothing_of_the_old_content_is_left() -> None:
    """A proposal is whole: what it leaves empty is empty, and its name comes from its own text."""
    plan = proposed(a_draft("# Old", overview="Old", todos=TODOS, hints={"measure": TodoHint("ada")}))
    head = proposing(plan).plan.revision
    assert (head.content.name, head.content.overview, head.hints) == ("Another plan", "", {})
    assert [todo.id for todo in head.content.todos] == ["measure", "new"]


def test_progress_of_todos_that_stay_is_kept() -> None:
    """A todo that both proposals have is as far as it was; the others begin."""
    plan = marked(proposed(), TodoStatus.COMPLETED, "measure")
    assert statuses_of(proposing(plan).plan) == {
        "measure": TodoStatus.COMPLETED,
        "new": TodoStatus.PENDING,
    }


def test_an_approval_does_not_cover_the_new_proposal() -> None:
    """What was approved is void as soon as the session's plan says something else."""
    plan = proposing(approved()).plan
    assert plan.state is PlanState.IN_REVIEW
    assert not plan.is_approved


@pytest.mark.parametrize("state", [PlanState.IN_REVIEW, PlanState.APPROVED])
def test_the_same_proposal_asks_nobody_twice(state: PlanState) -> None:
    """While the question is open or answered with yes, the same plan under the same terms changes nothing."""
    plan = plan_that_is(state)
    for same in (PLAIN, ReviewOptions(required_approvals=0)):
        assert_nothing_happened(proposing(plan, A_DRAFT, same), plan)


@pytest.mark.parametrize(
    ("plan", "terms"),
    [(proposed(), STRICT), (approved(), STRICT), (proposed(options=STRICT), PLAIN)],
    ids=["stricter", "approved", "looser"],
)
def test_the_same_content_under_other_terms_is_asked_about_anew(plan: Plan, terms: ReviewOptions) -> None:
    """It is a new revision in a review of its own, and the old yes does not cover it."""
    again = proposing(plan, A_DRAFT, terms).plan
    assert (again.state, again.revision.number, again.options) == (PlanState.IN_REVIEW, 2, terms)
    assert again.revision.digest == plan.revision.digest
    assert again.review.required_approvals == terms.required_approvals
    assert again.review.expire_time == (after(62) if terms.expires_after else None)
    with pytest.raises(NotApproved):
        starting(again)


def test_an_update_under_other_terms_is_asked_about_anew() -> None:
    """The same text with another review is a new revision; with the same or none it is the same."""
    plan = approved()
    same = Amendment(a_draft(A_DRAFT.plan))
    for amendment in (same, replace(same, options=PLAIN)):
        assert_nothing_happened(updating(plan, amendment), plan)
    again = updating(plan, replace(same, options=STRICT)).plan
    assert (again.state, again.revision.number) == (PlanState.IN_REVIEW, 2)
    assert (again.review.required_approvals, again.approved) == (3, None)


def test_new_todos_are_reviewed_under_the_terms_of_the_plan() -> None:
    """Whoever writes todos says nothing about the review: it is as strict as before."""
    again = writing(proposed(options=STRICT), TodoEdit("new", "New")).plan
    assert (again.revision.number, again.options, again.review.required_approvals) == (2, STRICT, 3)


@pytest.mark.parametrize("state", [PlanState.CHANGES_REQUESTED, PlanState.REJECTED, PlanState.EXPIRED])
def test_the_same_proposal_asks_again_after_a_no(state: PlanState) -> None:
    """Where nothing stands, people are asked once more."""
    plan = proposing(plan_that_is(state), A_DRAFT).plan
    assert (plan.state, plan.revision.number) == (PlanState.IN_REVIEW, 2)


def test_a_draft_of_the_session_is_submitted() -> None:
    """The plan that was being written becomes revision 1 with the content of the proposal."""
    change = proposing(plan_that_is(PlanState.DRAFT))
    assert change.plan.revision.number == 1
    assert change.plan.revision.content.plan == "# Another plan"
    assert types_of(change) == [EventType.PLAN_CREATED, EventType.PLAN_APPROVAL_REQUIRED]


@pytest.mark.parametrize("state", [PlanState.DRAFT, PlanState.IN_REVIEW, PlanState.REJECTED])
def test_a_proposal_has_its_own_terms(state: PlanState) -> None:
    """How the session's plan was reviewed before does not hold for what is proposed now."""
    plan = replace(plan_that_is(state), options=ReviewOptions(timedelta(hours=2), 2))
    strict, plain = proposing(plan, options=STRICT).plan, proposing(plan).plan
    assert (strict.review.required_approvals, strict.review.expire_time) == (3, after(62))
    assert (plain.review.required_approvals, plain.review.expire_time) == (1, None)
    assert (strict.options, plain.options) == (STRICT, PLAIN)


def test_a_proposal_that_is_not_sound_is_refused() -> None:
    """Content and options are checked as for a new plan."""
    with pytest.raises(MissingField):
        proposing(proposed(), a_draft(" "))
    with pytest.raises(InvalidField):
        proposing(proposed(), options=ReviewOptions(required_approvals=101))
