"""Who gets a socket, and how it ends: always with a code and a reason, never by silence."""

from __future__ import annotations

import pytest
from websockets.exceptions import InvalidStatus

from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from tests.helpers.gate import Gate
from tests.helpers.ide import FORM, decision, ide
from tests.helpers.identities import make_token, revoke


@pytest.mark.parametrize(
    ("token", "reason"), [("", "MISSING_CREDENTIALS"), ("nonsense", "INVALID_CREDENTIALS")]
)
async def test_nobody_listens_without_a_token(gate: Gate, token: str, reason: str) -> None:
    """The socket says why, and closes; a decision that was sent meanwhile counts for nothing."""
    plan = await gate.propose(FORM)
    async with ide(gate.web, token=token) as desk:
        await desk.says(decision({"approval_request_id": plan.review.approval_request_id}, "approve"))
        assert (await desk.hears("error"))["metadata"]["reason"] == reason
        assert await desk.closed() == (4401, reason)
    assert (await gate.get(plan.plan_uri)).state == PlanState.PLAN_STATE_IN_REVIEW


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "vscode-webview://elsewhere"},
        {"Host": "evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
    ids=str,
)
async def test_a_foreign_page_gets_no_socket(gate: Gate, headers: dict[str, str]) -> None:
    """Browsers say where a page comes from, and under which name it was led here."""
    with pytest.raises(InvalidStatus) as refused:
        async with ide(gate.web, **headers):
            pytest.fail("it was let in")
    assert refused.value.response.status_code in {400, 403}


@pytest.mark.parametrize("role", ["agent", "observer"])
async def test_who_may_not_decide(gate: Gate, role: str) -> None:
    """An agent does not get the socket at all; an observer looks on, and decides nothing."""
    plan = await gate.propose(FORM)
    made = await make_token(gate, role, "bob")
    asked = {"approval_request_id": plan.review.approval_request_id}
    async with ide(gate.web, token=made.secret) as desk:
        await desk.says(decision(asked, "approve"))
        assert (await desk.hears("error"))["metadata"]["reason"] == "ROLE_NOT_ALLOWED"
        if role == "agent":
            assert await desk.closed() == (4403, "ROLE_NOT_ALLOWED")
    assert (await gate.get(plan.plan_uri)).state == PlanState.PLAN_STATE_IN_REVIEW


async def test_another_workspace_is_another_world(gate: Gate) -> None:
    """Its reviewers hear nothing of it; to decide about it is to decide about nothing."""
    stranger = await make_token(gate, "reviewer", workspace="elsewhere")
    plan = await gate.propose(FORM)
    asked = {"approval_request_id": plan.review.approval_request_id}
    async with ide(gate.web, "/ws", token=stranger.secret) as desk:
        await desk.says(decision(asked, "approve"))
        error = await desk.hears()
    assert (error["type"], error["metadata"]["reason"]) == ("error", "REVIEW_NOT_FOUND")
    assert (await gate.get(plan.plan_uri)).state == PlanState.PLAN_STATE_IN_REVIEW


async def test_a_socket_ends_with_its_token(gate: Gate) -> None:
    """Who is revoked hears why, and nothing more."""
    made = await make_token(gate, "reviewer", "bob")
    await gate.propose(FORM)
    async with ide(gate.web, token=made.secret) as desk:
        await desk.hears("plan_approval_required")
        await revoke(gate, made.token)
        assert (await desk.hears("error"))["metadata"]["reason"] == "INVALID_CREDENTIALS"
        assert await desk.closed() == (4401, "INVALID_CREDENTIALS")


async def test_a_gate_that_stops_says_so(gate: Gate) -> None:
    """With a code that means: come again."""
    async with ide(gate.web) as desk:
        await desk.says({})
        await desk.hears("error")
        await gate.stop()
        assert (await desk.hears("error"))["metadata"]["reason"] == "SHUTTING_DOWN"
        assert await desk.closed() == (4503, "SHUTTING_DOWN")
