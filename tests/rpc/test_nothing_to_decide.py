"""Decisions about what does not exist are refused as just that, whatever else they say, and not recorded."""

from collections.abc import AsyncIterator

import pytest

from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalPrompt
from plangate_proto.aiserver.v1.human_review_pb2 import HumanReview
from plangate_proto.aiserver.v1.plan_review_service_pb2 import SubmitReviewRequest
from tests.helpers.gate import Gate, connected
from tests.helpers.identities import make_token
from tests.helpers.refusals import refused
from tests.helpers.resuming import log_of
from tests.helpers.tool_calls import NO, YES, call, resolution
from tests.rpc.bad_requests import SUBMIT, Bad, over

RESOLVE = "/agent.v1.ApprovalService/ResolveApproval"
MADE_UP = "f" * 32
LONG = "x" * 257
GLASS = ["", "on fire"]


@pytest.fixture
async def desk(gate: Gate) -> AsyncIterator[Gate]:
    """The gate for a reviewer, who may not break glass."""
    made = await make_token(gate, "reviewer", person="bob")
    async with connected(gate.address, token=made.secret) as desk:
        yield desk


def about(approval_request_id: str, option: str = "approve", glass: str = "") -> SubmitReviewRequest:
    return SubmitReviewRequest(
        approval_request_id=approval_request_id,
        human_review=HumanReview(selected_option=option, feedback_text="Why?"),
        revision=1,
        digest="0" * 64,
        break_glass_reason=glass,
    )


def prompt(session_id: str = "s", call_id: str = "c1") -> ApprovalPrompt:
    return ApprovalPrompt(session_id=session_id, call_id=call_id, authority_token=MADE_UP)


@pytest.mark.parametrize("glass", GLASS)
@pytest.mark.parametrize("option", ["approve", "reject"])
async def test_a_review_that_there_is_not(gate: Gate, desk: Gate, option: str, glass: str) -> None:
    """Whoever makes up an id cannot fill the log with it, with or without breaking glass."""
    before = await log_of(gate)
    refusal = await refused(desk.reviews.SubmitReview(about(MADE_UP, option, glass)))
    assert (refusal.status, refusal.reason) == ("NOT_FOUND", "REVIEW_NOT_FOUND")
    assert await log_of(gate) == before


@pytest.mark.parametrize("glass", GLASS)
@pytest.mark.parametrize("option", [YES, NO])
@pytest.mark.parametrize("known_session", [False, True])
async def test_a_call_that_there_is_not(
    gate: Gate, desk: Gate, known_session: bool, option: str, glass: str
) -> None:
    """Neither in a session that nobody has, nor in one that has other calls."""
    if known_session:
        await gate.ask(call(call_id="another"))
    before = await log_of(gate)
    asked = resolution(prompt(), option, break_glass_reason=glass)
    refusal = await refused(desk.approvals.ResolveApproval(asked))
    assert (refusal.status, refusal.reason) == ("NOT_FOUND", "APPROVAL_NOT_FOUND")
    assert await log_of(gate) == before


@pytest.mark.parametrize("glass", GLASS)
async def test_a_review_id_has_a_limit(gate: Gate, desk: Gate, glass: str) -> None:
    """256 bytes are looked for, one more is not."""
    before = await log_of(gate)
    refusal = await refused(desk.reviews.SubmitReview(about(LONG, glass=glass)))
    Bad(SUBMIT, "LIMIT_EXCEEDED", b"", over("id_bytes", 256, "approval_request_id")).check(refusal)
    longest = await refused(desk.reviews.SubmitReview(about(LONG[1:], glass=glass)))
    assert longest.reason == "REVIEW_NOT_FOUND"
    assert await log_of(gate) == before


@pytest.mark.parametrize("glass", GLASS)
@pytest.mark.parametrize("field", ["session_id", "call_id"])
async def test_the_names_of_a_call_have_a_limit(gate: Gate, desk: Gate, field: str, glass: str) -> None:
    """256 bytes are looked for, one more is not."""
    before = await log_of(gate)
    for text, expected in ((LONG, "LIMIT_EXCEEDED"), (LONG[1:], "APPROVAL_NOT_FOUND")):
        asked = resolution(prompt(**{field: text}), YES, break_glass_reason=glass)
        refusal = await refused(desk.approvals.ResolveApproval(asked))
        assert refusal.reason == expected
        if expected == "LIMIT_EXCEEDED":
            Bad(RESOLVE, expected, b"", over("id_bytes", 256, field)).check(refusal)
    assert await log_of(gate) == before
