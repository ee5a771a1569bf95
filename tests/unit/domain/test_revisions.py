"""A new revision: what was decided about the old one is void, and people are asked anew."""

from datetime import timedelta

import pytest

from plangate_server.domain.builds import BuildStatus
from plangate_server.domain.digest import digest
from plangate_server.domain.errors import DependencyCycle, InvalidField, Reason, StaleRevision, WrongState
from plangate_server.domain.events import EventType
from plangate_server.domain.plan import Approved, PlanState
from plangate_server.domain.review import ReviewOptions, ReviewOutcome, ReviewStatus
from plangate_server.domain.todos import TodoHint, TodoStatus
from tests.helpers.domain import a_draft, a_todo
from tests.helpers.lives import (
    A_DRAFT,
    TEXT,
    TODOS,
    after,
    approved,
    assert_nothing_happened,
    building,
    marked,
    plan_that_is,
    proposed,
    revising,
    statuses_of,
    types_of,
)

FINAL = {PlanState.COMPLETED, PlanState.WITHDRAWN}
STANDING = {PlanState.IN_REVIEW, PlanState.APPROVED, PlanState.BUILDING}
HOURLY = ReviewOptions(expires_after=timedelta(hours=1), required_approvals=2)


def test_a_revision_is_the_next_one() -> None:
    """It has the next number, the digest of exactly its content, its author and its time."""
    plan = proposed()
    revised = revising(plan, a_draft("# New"), author="coder").plan
    head = revised.revision
    assert (head.number, head.author, head.create_time) == (2, "coder", after(2))
    assert head.content.plan == "# New"
    assert head.digest == digest(head.content) != plan.revision.digest
    assert (revised.create_time, revised.update_time) == (plan.create_time, after(2))


def test_people_are_asked_about_the_new_revision() -> None:
    """The new review is open, about the new number and digest, and nobody has decided it."""
    plan = revising(approved()).plan
    review = plan.review
    assert plan.state is PlanState.IN_REVIEW
    assert (review.approval_request_id, review.status, review.request_time) == (
        "review-2",
        ReviewStatus.REQUESTED,
        after(2),
    )
    assert (review.revision, review.digest) == (2, plan.revision.digest)
    assert (review.outcome, review.decisions, review.decide_time) == (None, (), None)


def test_an_open_review_is_superseded() -> None:
    """The question about the old text ends as SUPERSEDED, decided by nobody."""
    plan = proposed()
    (old,) = revising(plan).reviews
    assert (old.approval_request_id, old.revision, old.digest) == ("review-1", 1, plan.revision.digest)
    assert (old.status, old.outcome) == (ReviewStatus.DONE, ReviewOutcome.SUPERSEDED)
    assert (old.decide_time, old.source, old.decisions) == (after(2), None, ())


@pytest.mark.parametrize("state", sorted(set(PlanState) - FINAL - {PlanState.IN_REVIEW}))
def test_a_review_that_is_over_keeps_its_outcome(state: PlanState) -> None:
    """No earlier review is touched when none was open."""
    assert revising(plan_that_is(state)).reviews == ()


def test_a_revision_voids_the_approval() -> None:
    """The head is not approved any more; what was approved stays on record."""
    plan = approved()
    revised = revising(plan).plan
    assert plan.is_approved
    assert not revised.is_approved
    assert revised.approved == Approved(1, plan.revision.digest)


def test_going_back_to_the_approved_text_is_a_change_like_any_other() -> None:
    """The words that were approved once need a new approval after other words stood there."""
    plan = approved()
    back = revising(revising(plan).plan, a_draft(TEXT)).plan
    assert back.revision.digest == plan.revision.digest
    assert not back.is_approved
    assert back.state is PlanState.IN_REVIEW


def test_a_revision_ends_what_is_being_built() -> None:
    """Live builds end without an outcome, and what they had begun is pending again."""
    plan = marked(building(), TodoStatus.COMPLETED, "measure")
    plan = marked(plan, TodoStatus.IN_PROGRESS, "move")
    change = revising(plan, now=after(9))
    (build,) = change.builds
    assert (build.build_id, build.status, build.outcome) == ("build-1", BuildStatus.COMPLETE, None)
    assert build.end_time == after(9)
    assert change.plan.builds == ()
    assert statuses_of(change.plan) == {
        "measure": TodoStatus.COMPLETED,
        "move": TodoStatus.PENDING,
        "tidy": TodoStatus.PENDING,
    }
    assert change.plan.progress["move"].update_time == after(9)
    assert change.plan.progress["measure"] == plan.progress["measure"]


def test_progress_that_nobody_holds_survives_a_revision() -> None:
    """Todos that stay keep their progress, new ones are pending, and removed ones are gone."""
    plan = marked(proposed(), TodoStatus.IN_PROGRESS, "measure")
    revised = revising(plan, a_draft(todos=[TODOS[0], a_todo("new")])).plan
    assert statuses_of(revised) == {"measure": TodoStatus.IN_PROGRESS, "new": TodoStatus.PENDING}
    assert revised.progress["measure"] is plan.progress["measure"]


def test_a_revision_is_told_by_two_events() -> None:
    """The log says that the plan was changed and then that people were asked, both by the author."""
    change = revising(proposed(), author="coder")
    assert types_of(change) == [EventType.PLAN_UPDATED, EventType.PLAN_APPROVAL_REQUIRED]
    assert all((e.plan, e.actor, e.time) == (change.plan, "coder", after(2)) for e in change.events)


@pytest.mark.parametrize("expected", [-1, 0, 1, 3])
def test_a_revision_of_another_text_is_refused(expected: int) -> None:
    """A change based on anything but the head is stale, and the refusal says what the head is."""
    plan = revising(proposed()).plan
    with pytest.raises(StaleRevision) as refused:
        revising(plan, expected_revision=expected)
    assert refused.value.reason is Reason.STALE_REVISION
    assert refused.value.metadata == {
        "plan_uri": plan.uri,
        "expected_revision": str(expected),
        "revision": "2",
        "digest": plan.revision.digest,
    }


def test_a_revision_of_the_head_passes() -> None:
    """Naming the number of the head is what every careful caller does."""
    assert revising(proposed(), expected_revision=1).plan.revision.number == 2


@pytest.mark.parametrize("state", sorted(set(PlanState) - FINAL))
def test_a_plan_that_goes_on_can_be_revised(state: PlanState) -> None:
    """Whatever was decided and however far the work came, a new text goes to review."""
    plan = plan_that_is(state)
    revised = revising(plan).plan
    assert revised.state is PlanState.IN_REVIEW
    assert revised.revision.number == plan.revision.number + 1


@pytest.mark.parametrize("state", sorted(FINAL))
def test_a_plan_that_is_finished_or_taken_back_stays_as_it_is(state: PlanState) -> None:
    """Revising it is refused as WRONG_STATE, with the states in which it could be done."""
    with pytest.raises(WrongState) as refused:
        revising(plan_that_is(state))
    assert refused.value.reason is Reason.WRONG_STATE
    assert refused.value.metadata["state"] == state
    assert set(refused.value.metadata["allowed"].split(", ")) == set(PlanState) - FINAL


@pytest.mark.parametrize("state", sorted(STANDING))
def test_the_same_content_asks_nobody_twice(state: PlanState) -> None:
    """While the question is open or answered with yes, the same text again changes nothing."""
    plan = plan_that_is(state)
    assert_nothing_happened(revising(plan, A_DRAFT), plan)


@pytest.mark.parametrize("state", sorted(set(PlanState) - FINAL - STANDING))
def test_the_same_content_asks_again_after_a_no(state: PlanState) -> None:
    """Where nothing stands, the same text is a new revision with the same digest and a new review."""
    plan = plan_that_is(state)
    revised = revising(plan, A_DRAFT).plan
    assert revised.state is PlanState.IN_REVIEW
    assert revised.revision.number == revised.review.revision == plan.revision.number + 1
    assert revised.revision.digest == proposed().revision.digest


def test_how_a_plan_is_reviewed_is_kept() -> None:
    """A revision without options asks as many people, with as much time, as the first did."""
    review = revising(proposed(options=HOURLY)).plan.review
    assert (review.required_approvals, review.expire_time) == (2, after(62))


def test_how_a_plan_is_reviewed_can_be_replaced() -> None:
    """Options given with a revision hold for it and for those after it."""
    plan = revising(proposed(options=HOURLY), options=ReviewOptions(required_approvals=3)).plan
    again = revising(plan, a_draft("# Third")).plan
    for review in (plan.review, again.review):
        assert (review.required_approvals, review.expire_time) == (3, None)


def test_options_that_no_review_could_keep_are_refused() -> None:
    """A revision checks its options as a proposal does."""
    with pytest.raises(InvalidField):
        revising(proposed(), options=ReviewOptions(required_approvals=-1))


def test_everyone_who_edited_is_named_once() -> None:
    """The registry lists each author of a revision one time, in the order they came."""
    plan = proposed()
    for number, author in enumerate(["coder", "builder-bot", "coder"]):
        plan = revising(plan, a_draft(f"# Text {number}"), author=author).plan
    assert plan.edited_by == ("builder-bot", "coder")


def test_hints_are_kept_and_overwritten_one_by_one() -> None:
    """A revision that says something of one todo leaves what is known of the others."""
    plan = proposed(a_draft(todos=TODOS, hints={"measure": TodoHint("ada"), "move": TodoHint("bob")}))
    revised = revising(plan, a_draft("# New", hints={"move": TodoHint("eve"), "tidy": TodoHint("zoe")})).plan
    assert {id: hint.agent for id, hint in revised.revision.hints.items()} == {
        "measure": "ada",
        "move": "eve",
        "tidy": "zoe",
    }


def test_content_that_is_not_sound_makes_no_revision() -> None:
    """A revision is refused for what a proposal would be refused for."""
    with pytest.raises(DependencyCycle):
        revising(proposed(), a_draft(todos=[a_todo("a", needs=["b"]), a_todo("b", needs=["a"])]))
