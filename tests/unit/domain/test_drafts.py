"""A plan while the model still writes it: kept as it is, checked when it is submitted."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from plangate_server.domain.content import Draft
from plangate_server.domain.digest import digest
from plangate_server.domain.errors import InvalidField, LimitExceeded, NotApproved, Refusal, WrongState
from plangate_server.domain.events import EventType
from plangate_server.domain.lifecycle import propose, sketch, sketch_on, submit_draft
from plangate_server.domain.limits import DEFAULTS
from plangate_server.domain.plan import PlanState
from plangate_server.domain.review import ReviewOptions, ReviewStatus
from plangate_server.domain.todos import TodoEdit, TodoHint, TodoStatus
from tests.helpers.domain import NOW, a_draft, a_todo
from tests.helpers.lives import (
    A_DRAFT,
    ORIGIN,
    after,
    plan_that_is,
    starting,
    statuses_of,
    types_of,
    writing,
)

PLAIN = ReviewOptions()
SUBMITTED = sorted(set(PlanState) - {PlanState.DRAFT})
UNSOUND = {
    "nothing": Draft(""),
    "a todo without words": a_draft(todos=[a_todo("a", "")]),
    "an id twice": a_draft(todos=[a_todo("a"), a_todo("a", "Again")]),
    "an unknown dependency": a_draft(todos=[a_todo("a", needs=["b"])]),
    "a circle": a_draft(todos=[a_todo("a", needs=["b"]), a_todo("b", needs=["a"])]),
    "a hint about nothing": a_draft(hints={"a": TodoHint("ada")}),
}


def test_a_sketch_asks_nobody() -> None:
    """A draft is at revision 0 with no review; one event shows it to those who watch."""
    change = sketch(ORIGIN, A_DRAFT, NOW)
    plan = change.plan
    assert (plan.state, plan.revision.number) == (PlanState.DRAFT, 0)
    assert (plan.review.status, plan.review.approval_request_id) == (ReviewStatus.NONE, "")
    assert types_of(change) == [EventType.DRAFT_UPDATED]
    assert plan.revision.digest == digest(plan.revision.content)


def test_watchers_see_a_draft_grow() -> None:
    """Each part replaces what was there before, in the same plan and without a new revision."""
    plan = sketch(ORIGIN, Draft("# Mo"), NOW).plan
    change = sketch_on(plan, a_draft("# Move the", todos=[a_todo("a")]), after(1))
    assert change.plan.uri == plan.uri
    assert (change.plan.state, change.plan.revision.number) == (PlanState.DRAFT, 0)
    assert change.plan.revision.content.plan == "# Move the"
    assert statuses_of(change.plan) == {"a": TodoStatus.PENDING}
    assert (change.plan.create_time, change.plan.update_time) == (NOW, after(1))
    assert types_of(change) == [EventType.DRAFT_UPDATED]


@pytest.mark.parametrize("draft", UNSOUND.values(), ids=UNSOUND)
def test_what_is_not_sound_yet_is_kept(draft: Draft) -> None:
    """Half a plan is stored as it was written, at first and later on."""
    first = sketch(ORIGIN, draft, NOW).plan
    later = sketch_on(sketch(ORIGIN, A_DRAFT, NOW).plan, draft, NOW).plan
    for plan in (first, later):
        assert plan.revision.content.plan == draft.plan
        assert plan.revision.content.todos == draft.todos


def test_a_draft_is_bounded() -> None:
    """Half a plan may be unsound, but not larger than a whole one."""
    fits = a_draft("x" * (DEFAULTS.plan_bytes - 1), name="N")
    plan = sketch(ORIGIN, fits, NOW).plan
    too_large = replace(fits, name="NN")
    with pytest.raises(LimitExceeded):
        sketch(ORIGIN, too_large, NOW)
    with pytest.raises(LimitExceeded):
        sketch_on(plan, too_large, NOW)


@pytest.mark.parametrize("draft", UNSOUND.values(), ids=UNSOUND)
def test_what_is_not_sound_cannot_be_submitted(draft: Draft) -> None:
    """Submitting refuses what proposing refuses, and the draft stays a draft."""
    plan = sketch(ORIGIN, draft, NOW).plan
    with pytest.raises(Refusal) as submitted:
        submit_draft(plan, draft, PLAIN, "review-1", after(1))
    with pytest.raises(Refusal) as proposed:
        propose(ORIGIN, draft, PLAIN, "review-1", after(1))
    assert str(submitted.value) == str(proposed.value)
    assert plan == sketch(ORIGIN, draft, NOW).plan


def test_a_submitted_draft_is_a_plan_like_any_other() -> None:
    """It is at revision 1, in review, and the same as if it had been proposed in one piece."""
    plan = sketch(ORIGIN, Draft("# Mo"), after(0)).plan
    change = submit_draft(plan, A_DRAFT, PLAIN, "review-1", after(1))
    whole = propose(ORIGIN, A_DRAFT, PLAIN, "review-1", after(1))
    assert types_of(change) == types_of(whole)
    assert (change.plan.state, change.plan.revision) == (PlanState.IN_REVIEW, whole.plan.revision)
    assert (change.plan.review, change.plan.progress) == (whole.plan.review, whole.plan.progress)
    assert change.plan.create_time == NOW


def test_what_is_submitted_is_the_last_part() -> None:
    """The content of the submission counts, not what was sketched before."""
    plan = sketch(ORIGIN, A_DRAFT, NOW).plan
    content = submit_draft(plan, a_draft("# Only this"), PLAIN, "review-1", after(1)).plan.revision.content
    assert (content.plan, content.overview, content.todos) == ("# Only this", "", ())


def test_a_draft_is_submitted_with_options() -> None:
    """How it is to be reviewed is said, and checked, with the submission."""
    plan = plan_that_is(PlanState.DRAFT)
    options = ReviewOptions(timedelta(hours=1), 2)
    submitted = submit_draft(plan, A_DRAFT, options, "review-1", after(1)).plan
    assert (submitted.review.required_approvals, submitted.review.expire_time) == (2, after(61))
    assert submitted.options == options
    with pytest.raises(InvalidField):
        submit_draft(plan, A_DRAFT, ReviewOptions(required_approvals=-1), "review-1", after(1))


@pytest.mark.parametrize("state", SUBMITTED)
def test_a_plan_is_submitted_once(state: PlanState) -> None:
    """What is no draft any more can neither be sketched on nor submitted."""
    plan = plan_that_is(state)
    with pytest.raises(WrongState) as refused:
        sketch_on(plan, A_DRAFT, after(9))
    assert (refused.value.metadata["state"], refused.value.metadata["allowed"]) == (state, "draft")
    with pytest.raises(WrongState):
        submit_draft(plan, A_DRAFT, PLAIN, "review-9", after(9))


def test_nobody_works_on_a_draft() -> None:
    """Its todos can neither be built nor marked."""
    plan = plan_that_is(PlanState.DRAFT)
    with pytest.raises(NotApproved):
        starting(plan)
    with pytest.raises(WrongState):
        writing(plan, TodoEdit("measure", status=TodoStatus.IN_PROGRESS))
