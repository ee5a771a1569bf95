"""SubmitReview records what a person decided about what they saw, once; or it refuses and changes nothing."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from plangate_server.domain.errors import (
    AlreadyDecided,
    LimitExceeded,
    MissingField,
    Reason,
    Refusal,
    ReviewNotFound,
    StaleRevision,
    UnknownOption,
)
from plangate_server.domain.identity import Principal, Role
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import ReviewOutcome
from plangate_server.ports import EventFilter, RequestKey
from plangate_server.usecases.read_plans import get_plan
from plangate_server.usecases.submit_review import submit_review
from tests.helpers.backends import ALL
from tests.helpers.domain import NOW
from tests.helpers.world import AGENT, PERSON, STRANGER, Sandbox
from tests.unit.usecases.steps import about


async def test_a_decision_is_recorded_with_who_and_when(sandbox: Sandbox, plan: Plan) -> None:
    """The reviewer is the caller, the time is the server's, and the words are those that were sent."""
    sandbox.clock.advance(timedelta(minutes=5))
    command = replace(
        about(plan, feedback_text="Well done"), submit_feedback_as_new_message=True, bubble_id="b-1"
    )
    after = await submit_review(sandbox.world, PERSON, command)
    (decision,) = after.review.decisions
    assert (decision.reviewer, decision.time) == (PERSON.name, NOW + timedelta(minutes=5))
    assert (decision.feedback_text, decision.bubble_id) == ("Well done", "b-1")
    assert decision.submit_feedback_as_new_message
    assert await get_plan(sandbox.world, AGENT, plan.uri) == after


@pytest.mark.parametrize(
    ("word", "state", "outcome"),
    [
        ("approve", PlanState.APPROVED, ReviewOutcome.APPROVED),
        ("reject", PlanState.REJECTED, ReviewOutcome.REJECTED),
        ("rejectAndTellWhatToDoDifferently", PlanState.REJECTED, ReviewOutcome.REJECTED),
        ("requestChanges", PlanState.CHANGES_REQUESTED, ReviewOutcome.CHANGES_REQUESTED),
        ("modify", PlanState.CHANGES_REQUESTED, ReviewOutcome.CHANGES_REQUESTED),
    ],
)
async def test_each_word_has_its_effect(
    sandbox: Sandbox, plan: Plan, word: str, state: PlanState, outcome: ReviewOutcome
) -> None:
    """Every word of both vocabularies leads to its outcome and state."""
    after = await submit_review(sandbox.world, PERSON, about(plan, word, "Measure first"))
    assert (after.state, after.review.outcome) == (state, outcome)


@pytest.mark.parametrize(
    ("changes", "refusal", "field"),
    [
        ({"approval_request_id": ""}, MissingField, "approval_request_id"),
        ({"selected_option": ""}, MissingField, "human_review.selected_option"),
        ({"revision": 0}, MissingField, "revision"),
        ({"digest": ""}, MissingField, "digest"),
        ({"selected_option": "yes"}, UnknownOption, "human_review.selected_option"),
        ({"selected_option": "edit"}, MissingField, "edited"),
        ({"selected_option": "requestChanges"}, MissingField, "human_review.feedback_text"),
        ({"feedback_text": "x" * 65_537}, LimitExceeded, "human_review.feedback_text"),
        ({"approval_request_id": "f" * 32}, ReviewNotFound, "approval_request_id"),
        ({"revision": 2}, StaleRevision, None),
        ({"digest": "0" * 64}, StaleRevision, None),
        ({"bubble_id": "x" * 257}, LimitExceeded, "human_review.bubble_id"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
async def test_a_refused_decision_changes_nothing(
    sandbox: Sandbox, plan: Plan, changes: dict[str, Any], refusal: type[Refusal], field: str | None
) -> None:
    """Whatever is missing, unknown, stale or too large is refused, and the plan still waits."""
    command = replace(about(plan), **changes, key=RequestKey(PERSON.name, "r-1", "one"))
    with pytest.raises(refusal) as refused:
        await submit_review(sandbox.world, PERSON, command)
    assert refused.value.field == field
    assert await get_plan(sandbox.world, AGENT, plan.uri) == plan
    counted = EventFilter(refusals=False)
    log = await sandbox.store.read("acme", lambda reading: reading.events(counted, after=0, limit=ALL))
    assert len(log) == 2


async def test_a_stranger_finds_no_review(sandbox: Sandbox, plan: Plan) -> None:
    """Someone of another workspace cannot decide, and learns nothing of the plan."""
    with pytest.raises(ReviewNotFound) as refused:
        await submit_review(sandbox.world, STRANGER, about(plan))
    assert refused.value.reason is Reason.REVIEW_NOT_FOUND
    assert await get_plan(sandbox.world, AGENT, plan.uri) == plan


async def test_of_many_decisions_at_once_one_wins(sandbox: Sandbox, plan: Plan) -> None:
    """Everyone else is told who won, with what and when."""
    people = [Principal(f"person-{n}", "acme", Role.REVIEWER, f"person-{n}") for n in range(20)]
    answers = await asyncio.gather(
        *(
            submit_review(sandbox.world, person, about(plan, "approve" if n % 2 else "reject"))
            for n, person in enumerate(people)
        ),
        return_exceptions=True,
    )
    (winner,) = [answer for answer in answers if isinstance(answer, Plan)]
    assert await get_plan(sandbox.world, AGENT, plan.uri) == winner
    assert winner.review.outcome is not None
    for answer in answers:
        if answer is not winner:
            assert isinstance(answer, AlreadyDecided)
            assert answer.metadata["decided_by"] == winner.review.decided_by
            assert answer.metadata["outcome"] == winner.review.outcome.name
            assert answer.metadata["decide_time"] == NOW.isoformat()
    assert await sandbox.last_sequence() == 3 + 19


async def test_a_repeated_decision_has_its_first_answer(sandbox: Sandbox, plan: Plan) -> None:
    """A person whose answer got lost sends it again and is not told that someone was faster."""
    command = replace(about(plan), key=RequestKey(PERSON.name, "r-1", "one"))
    first = await submit_review(sandbox.world, PERSON, command)
    assert await submit_review(sandbox.world, PERSON, command) == first
    assert await sandbox.last_sequence() == 3
