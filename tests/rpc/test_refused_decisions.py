"""Decisions that must not count: they are refused, and the plan stays as it was."""

import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.aiserver.v1.plan_review_service_pb2 import SubmitReviewRequest
from tests.helpers.gate import Gate, decision, proposal
from tests.helpers.refusals import Refused, refused
from tests.helpers.tokens import ADMIN
from tests.rpc.bad_requests import SUBMIT, Bad, over

OTHER_DIGEST = "0" * 64


async def refusal_of(gate: Gate, plan: Plan, bad: Bad) -> Refused:
    """The refusal of a bad decision about the plan, which must leave the plan as it was."""
    request = SubmitReviewRequest.FromString(bad.data())
    refusal = await refused(gate.reviews.SubmitReview(request))
    assert await gate.get(plan.plan_uri) == plan
    return refusal


def stale(plan: Plan, revision: int, digest: str) -> Bad:
    request = decision(plan, "approve")
    request.revision, request.digest = revision, digest
    told = {
        "plan_uri": plan.plan_uri,
        "expected_revision": str(revision),
        "revision": "1",
        "digest": plan.digest,
    }
    return Bad(SUBMIT, "STALE_REVISION", request, told)


@pytest.mark.parametrize("revision", [-1, 2, 2**62])
async def test_another_revision_than_the_head_is_stale(gate: Gate, revision: int) -> None:
    """Who decides about a revision that is not the head is told what the head is."""
    plan = await gate.propose()
    bad = stale(plan, revision, plan.digest)
    bad.check(await refusal_of(gate, plan, bad))


async def test_another_text_than_the_head_is_stale(gate: Gate) -> None:
    """Who saw another text under the same revision does not decide; nor does a digest in capitals."""
    plan = await gate.propose()
    for digest in (OTHER_DIGEST, plan.digest.upper(), plan.digest[:-1]):
        bad = stale(plan, 1, digest)
        bad.check(await refusal_of(gate, plan, bad))


@pytest.mark.parametrize("second", ["approve", "reject", "requestChanges"])
@pytest.mark.parametrize("first", ["APPROVED", "REJECTED", "CHANGES_REQUESTED"])
async def test_the_first_decision_wins(gate: Gate, first: str, second: str) -> None:
    """A second decision, the same or another, is told what was decided, by whom and when."""
    words = {"APPROVED": "approve", "REJECTED": "reject", "CHANGES_REQUESTED": "requestChanges"}
    proposed = await gate.propose()
    await gate.decide(proposed, words[first], "Sweep twice")
    plan = await gate.get(proposed.plan_uri)
    told = {
        "approval_request_id": plan.review.approval_request_id,
        "outcome": first,
        "decided_by": ADMIN,
        "decide_time": plan.review.decide_time.ToDatetime().isoformat() + "+00:00",
    }
    bad = Bad(SUBMIT, "ALREADY_DECIDED", decision(plan, second, "Sweep thrice"), told)
    bad.check(await refusal_of(gate, plan, bad))


@pytest.mark.parametrize("feedback", ["", " \n"])
async def test_requested_changes_need_words(gate: Gate, feedback: str) -> None:
    """Nobody can ask for changes without saying which."""
    plan = await gate.propose()
    request = decision(plan, "requestChanges", feedback)
    bad = Bad(SUBMIT, "MISSING_FIELD", request, {"field": "human_review.feedback_text"})
    bad.check(await refusal_of(gate, plan, bad))


async def test_feedback_has_a_limit(gate: Gate) -> None:
    """Feedback of more than 64 KiB is refused; 64 KiB are taken."""
    plan = await gate.propose()
    long = over("feedback_bytes", 65536, "human_review.feedback_text")
    bad = Bad(SUBMIT, "LIMIT_EXCEEDED", decision(plan, "reject", "x" * 65537), long)
    bad.check(await refusal_of(gate, plan, bad))
    decided = await gate.decide(plan, "reject", "x" * 65536)
    assert len(decided.review.decisions[0].feedback_text) == 65536


async def test_a_decision_about_one_plan_does_not_fit_another(gate: Gate) -> None:
    """What was seen of one plan decides nothing about a plan with another text."""
    seen, other = await gate.propose(proposal("# One")), await gate.propose(proposal("# Other"))
    bad = stale(other, 1, seen.digest)
    bad.check(await refusal_of(gate, other, bad))
    assert await gate.get(seen.plan_uri) == seen
