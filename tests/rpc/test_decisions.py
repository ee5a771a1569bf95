"""A person decides: the decision is recorded with its words, and says the same to everyone."""

import pytest

from plangate_proto.agent.v1 import plan_resource_pb2, review_resource_pb2
from tests.helpers.gate import Gate, decision
from tests.helpers.plans import filled_request
from tests.helpers.tokens import ADMIN

DECISIONS = [
    ("approve", "", "APPROVED"),
    ("approve", "Well done", "APPROVED"),
    ("rejectAndTellWhatToDoDifferently", "Not in winter", "REJECTED"),
    ("reject", "", "REJECTED"),
    ("requestChanges", "Sweep twice", "CHANGES_REQUESTED"),
    ("modify", "Sweep twice", "CHANGES_REQUESTED"),
]


@pytest.mark.parametrize(("option", "feedback", "outcome"), DECISIONS)
async def test_a_decision_is_recorded(gate: Gate, option: str, feedback: str, outcome: str) -> None:
    """The review shows what was decided, by whom, when and with which words."""
    proposed = await gate.propose(filled_request())
    answer = await gate.decide(proposed, option, feedback)
    plan = await gate.get(proposed.plan_uri)
    review = plan.review
    assert answer.review == review
    assert review.approval_request_id == proposed.review.approval_request_id
    assert review.status == review_resource_pb2.REVIEW_STATUS_DONE
    assert review_resource_pb2.ReviewOutcome.Name(review.outcome) == f"REVIEW_OUTCOME_{outcome}"
    assert review.source == review_resource_pb2.DECISION_SOURCE_MANUAL
    assert [(d.reviewer, d.feedback_text) for d in review.decisions] == [(ADMIN, feedback)]
    assert review.decide_time == review.decisions[0].time == plan.update_time


@pytest.mark.parametrize(("option", "feedback", "outcome"), DECISIONS)
async def test_a_decision_moves_the_plan_and_leaves_its_content(
    gate: Gate, option: str, feedback: str, outcome: str
) -> None:
    """The plan's state follows the decision; revision, digest and text stay."""
    proposed = await gate.propose(filled_request())
    await gate.decide(proposed, option, feedback)
    plan = await gate.get(proposed.plan_uri)
    assert plan_resource_pb2.PlanState.Name(plan.state) == f"PLAN_STATE_{outcome}"
    assert (plan.revision, plan.digest, plan.plan) == (1, proposed.digest, proposed.plan)
    assert plan.todos == proposed.todos


async def test_a_decision_keeps_its_place_in_the_conversation(gate: Gate) -> None:
    """Where the choice was shown, and that the words are a new message, is kept and passed on."""
    plan = await gate.propose()
    request = decision(plan, "reject", "Not in winter")
    request.human_review.submit_feedback_as_new_message = True
    request.human_review.bubble_id = "bubble-7"
    await gate.reviews.SubmitReview(request)
    decided = (await gate.get(plan.plan_uri)).review.decisions[0]
    assert decided.submit_feedback_as_new_message
    assert decided.bubble_id == "bubble-7"


async def test_a_choice_has_one_spelling(gate: Gate) -> None:
    """The short words for a choice are recorded as the choice that they stand for."""
    rejected = await gate.decide(await gate.propose(), "reject")
    changes = await gate.decide(await gate.propose(), "modify", "Sweep twice")
    assert rejected.review.decisions[0].selected_option == "rejectAndTellWhatToDoDifferently"
    assert changes.review.decisions[0].selected_option == "requestChanges"


async def test_the_reviewer_hears_what_the_agent_is_told(gate: Gate) -> None:
    """SubmitReview answers with the agent's result, which is open while changes are requested."""
    accepted = await gate.decide(await gate.propose(filled_request()), "approve")
    rejected = await gate.decide(await gate.propose(), "reject")
    changes = await gate.decide(await gate.propose(), "requestChanges", "Sweep twice")
    results = [answer.result.WhichOneof("result") for answer in (accepted, rejected, changes)]
    assert results == ["accepted", "rejected", None]
    assert [todo.id for todo in accepted.result.accepted.final_todos] == ["sort", "sweep"]


async def test_a_decision_is_about_one_plan(gate: Gate) -> None:
    """Deciding about a plan leaves another with the very same content undecided."""
    decided, other = await gate.propose(), await gate.propose()
    await gate.decide(decided, "approve")
    assert await gate.get(other.plan_uri) == other
