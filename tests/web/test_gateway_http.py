"""The IDE gateway over HTTP: the same JSON as server-sent events."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import BuildOutcome, PlanState
from plangate_server.web import sse
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate
from tests.helpers.ide import FORM, build, decision
from tests.helpers.streams import WatchedHub
from tests.helpers.tokens import local_token
from tests.helpers.visitor import Visitor

SAY = "/agent/message/stream"


def program(gate: Gate, role: str = "reviewer") -> Visitor:
    visitor = Visitor(gate.web)
    visitor.headers = {"Authorization": f"Bearer {local_token(role)}"}
    return visitor


def said(message: Any, session_id: Any = "s") -> dict[str, Any]:
    return {"session_id": session_id, "message": message}


async def test_the_same_over_http(gate: Gate) -> None:
    """Ask for a plan, decide about it, hear how it ended: each as a stream that ends by itself."""
    visitor = program(gate)
    plan = await gate.propose(FORM)
    hello = said({"type": "user_message", "content": "a login form, please"})
    async with visitor.listening(SAY, message=hello) as stream:
        heard = await stream.next()
        asked = (await stream.until("plan_approval_required")).data
        assert await stream.next() is None
    assert heard is not None
    assert (heard.data["type"], heard.data["metadata"]) == ("status", {"session_id": "s"})
    async with visitor.listening(SAY, message=said(decision(asked, "approve"))) as stream:
        await stream.until("status")
        await build(gate, plan, BuildOutcome.BUILD_OUTCOME_COMPLETED)
        done = await stream.until("execution_completed")
        assert await stream.next() is None
    assert (done.kind, done.data["is_final"]) == ("message", True)
    assert done.data["metadata"]["fsm_state"] == "completed"


@pytest.mark.parametrize(
    ("choice", "answer", "state"),
    [("reject", "plan_rejected", "idle"), ("modify", "plan_modification_requested", "architect_planning")],
)
async def test_a_no_over_http(gate: Gate, choice: str, answer: str, state: str) -> None:
    """Is answered at once, and the stream ends."""
    plan = await gate.propose(FORM)
    asked = {"approval_request_id": plan.review.approval_request_id}
    async with program(gate).listening(SAY, message=said(decision(asked, choice, "simpler"))) as stream:
        told = await stream.next()
        assert await stream.next() is None
    assert told is not None
    assert (told.data["type"], told.data["is_final"]) == (answer, True)
    assert (told.data["metadata"]["fsm_state"], told.data["metadata"]["feedback"]) == (state, "simpler")


async def test_a_build_that_fails_over_http(gate: Gate) -> None:
    """Ends the stream of whoever approved it, as an error."""
    plan = await gate.propose(FORM)
    asked = {"approval_request_id": plan.review.approval_request_id}
    async with program(gate).listening(SAY, message=said(decision(asked, "approve"))) as stream:
        await stream.until("status")
        await build(gate, plan, BuildOutcome.BUILD_OUTCOME_FAILED)
        failed = await stream.until("error")
        assert await stream.next() is None
    assert (failed.data["is_final"], failed.data["metadata"]["fsm_state"]) == (True, "error_handling")


@pytest.mark.parametrize("missing", ["approval_request_id", "decision", "type"])
async def test_over_http_what_is_missing_is_400(gate: Gate, missing: str) -> None:
    """With what to send."""
    message = decision({"approval_request_id": "x"}, "approve")
    del message[missing]
    answer = await program(gate).post(SAY, said(message))
    assert (answer.status, answer.reason) == (400, "MALFORMED_REQUEST")
    assert missing in answer.body["error"]["message"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b'{"session_id": "s"}',
        b'{"session_id": "s", "message": []}',
        b'{"session_id": 7, "message": {"type": "user_message"}}',
        b'{"session_id": "\\ud800", "message": {"type": "user_message"}}',
        b'{"session_id": "s", "session_id": "t", "message": {"type": "user_message"}}',
    ],
    ids=lambda body: body.decode()[:50],
)
async def test_what_is_no_message_is_400(gate: Gate, body: bytes) -> None:
    """Never a fault of the server's."""
    answer = await program(gate).post(SAY, body)
    assert (answer.status, answer.reason) == (400, "MALFORMED_REQUEST")


@pytest.mark.parametrize(
    ("role", "status", "reason"),
    [("agent", 403, "ROLE_NOT_ALLOWED"), ("", 401, "MISSING_CREDENTIALS"), ("?", 401, "INVALID_CREDENTIALS")],
)
async def test_who_may_not_decide_over_http(gate: Gate, role: str, status: int, reason: str) -> None:
    """Is refused before anything is read, and nothing changes."""
    plan = await gate.propose(FORM)
    visitor = Visitor(gate.web)
    if role:
        shown = "nonsense" if role == "?" else local_token(role)
        visitor.headers = {"Authorization": f"Bearer {shown}"}
    asked = {"approval_request_id": plan.review.approval_request_id}
    answer = await visitor.post(SAY, said(decision(asked, "approve")))
    assert (answer.status, answer.reason) == (status, reason)
    if status == 401:
        assert (await visitor.post(SAY, b"{")).status == 401, "nothing was read"
    assert (await gate.get(plan.plan_uri)).state == PlanState.PLAN_STATE_IN_REVIEW


async def test_what_the_gate_refuses_over_http(gate: Gate, hub: WatchedHub) -> None:
    """Has its own status and reason, and leaves no stream open."""
    plan = await gate.propose(FORM)
    asked = {"approval_request_id": plan.review.approval_request_id}
    visitor = program(gate)
    answer = await visitor.post(SAY, said(decision(asked, "approve"), "other"))
    assert (answer.status, answer.reason) == (400, "MALFORMED_REQUEST")
    await gate.decide(plan, "reject", "no")
    answer = await visitor.post(SAY, said(decision(asked, "approve")))
    assert (answer.status, answer.reason) == (409, "ALREADY_DECIDED")
    assert answer.body["error"]["metadata"]["decided_by"] == "local-admin"
    await hub.until_followers(0)


async def test_looking_on_over_http_goes_on_where_it_was(gate: Gate) -> None:
    """By the id of the last event."""
    visitor = program(gate)
    plan = await gate.propose(FORM)
    async with visitor.listening("/agent/events?session_id=s") as stream:
        await stream.until("plan_approval_required")
        await gate.decide(plan, "reject", "no")
        await stream.until("plan_rejected")
        last = stream.last_id
    other = await gate.propose(FORM)
    async with visitor.listening("/agent/events?session_id=s", last_id=last) as stream:
        told = await stream.next()
        assert told is not None
        assert told.data["plan_id"] == other.plan_id


async def test_a_quiet_line_shows_that_it_is_there(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or whatever stands between would close it."""
    monkeypatch.setattr(sse, "QUIET_SECONDS", 0.05)
    host, _, port = gate.web.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    shown = f"Authorization: Bearer {local_token('reviewer')}"
    writer.write(f"GET /agent/events HTTP/1.1\r\nHost: {gate.web}\r\n{shown}\r\n\r\n".encode())
    async with asyncio.timeout(PATIENCE):
        await reader.readuntil(b": still here\n\n")
    writer.close()


async def test_who_leaves_is_forgotten(gate: Gate, hub: WatchedHub) -> None:
    """The stream of whoever has hung up ends in the gate."""
    async with program(gate).listening("/agent/events"):
        await hub.until_followers(1)
    await hub.until_followers(0)
