"""The socket under strain: what an IDE should not send, what it does not read, and two of them at once."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import pytest
from websockets.asyncio.client import connect

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from plangate_proto.agent.v1.plan_service_pb2 import DraftPlanRequest
from plangate_server.rpc import running
from plangate_server.web.bodies import LONGEST_MESSAGE
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, proposal
from tests.helpers.ide import FORM, PATIENT, decision, ide
from tests.helpers.streams import WatchedHub
from tests.helpers.tokens import local_token

LARGE = "# Plan\n" + "x" * 100_000


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            '{"type": "plan_decision", "decision": "approve", "decision": "reject"}',
            "'decision' is there twice",
        ),
        ('{"type": "plan_decision", "decision": NaN}', "NaN is no number"),
        ('{"type": 1e999}', "a number is too large"),
        ({"type": ["plan_decision"]}, "type ['plan_decision'] is not known"),
        ({"type": "x" * 100_000}, "..."),
        ({"type": "plan_decision", "approval_request_id": ["x"], "decision": "approve"}, "is not a text"),
        ({"type": "plan_decision", "approval_request_id": "x", "decision": {}}, "decision is not a text"),
        ({"type": "plan_decision", "approval_request_id": "x", "decision": "APPROVE"}, "send one of approve"),
        (
            {"type": "plan_decision", "approval_request_id": "x", "decision": "approve", "feedback": 1},
            "feedback is not a text",
        ),
        ({"type": "plan_decision", "approval_request_id": None, "decision": "approve"}, "is missing"),
        ("", "the message is not JSON"),
        (b"\xff\xfe", "the message is not JSON"),
        ("{}" * 2, "the message is not JSON"),
        ('{"a": ' * 90, "the message is not JSON"),
        ("9" * 10_000, "the message is not JSON"),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_what_no_ide_should_send(gate: Gate, message: Any, words: str) -> None:
    """Each gets a short answer that says what is wrong, and the next message is heard."""
    async with ide(gate.web) as desk:
        await desk.says(message)
        error = await desk.hears("error")
        await desk.says({"type": "user_message", "content": "still there?"})
        await desk.hears("status")
    assert words in error["content"]
    assert len(error["content"]) < 200
    assert error["metadata"] == {"code": "INVALID_ARGUMENT", "reason": "MALFORMED_REQUEST"}


async def test_a_decision_in_a_binary_frame(gate: Gate) -> None:
    """Is the same JSON, and counts."""
    plan = await gate.propose(FORM)
    async with ide(gate.web) as desk:
        asked = await desk.hears("plan_approval_required")
        await desk.says(json.dumps(decision(asked, "approve")).encode())
        await desk.hears("status")
    assert (await gate.get(plan.plan_uri)).state == PlanState.PLAN_STATE_APPROVED


async def test_a_giant_message(gate: Gate) -> None:
    """Is not read; the socket closes with the code for it, packed or not, and others are served."""
    for packed in ("deflate", None):
        headers = {"Authorization": f"Bearer {local_token('reviewer')}"}
        address = f"ws://{gate.web}/ws/s"
        async with (
            asyncio.timeout(PATIENCE),
            connect(address, additional_headers=headers, proxy=None, compression=packed, **PATIENT) as giant,
        ):
            await giant.send(" " * (LONGEST_MESSAGE + 1))
            await giant.wait_closed()
        assert giant.close_code == 1009
    async with ide(gate.web) as desk:
        await desk.says({})
        await desk.hears("error")


async def test_two_sockets_on_one_session(gate: Gate) -> None:
    """Both see the plan; one decides, and the other is told who was first, and what they said."""
    plan = await gate.propose(FORM)
    async with ide(gate.web) as one, ide(gate.web, token=local_token("admin")) as other:
        asked = await one.hears("plan_approval_required")
        assert (await other.hears("plan_approval_required"))["approval_request_id"] == (
            asked["approval_request_id"]
        )
        await one.says(decision(asked, "approve"))
        assert (await other.hears("status"))["metadata"]["actor"] == "ada"
        await other.says(decision(asked, "reject", "no"))
        late = await other.hears("error")
    assert late["metadata"]["reason"] == "ALREADY_DECIDED"
    assert (late["metadata"]["decided_by"], late["metadata"]["outcome"]) == ("ada", "APPROVED")
    assert "by ada" in late["content"]
    assert [each.reviewer for each in (await gate.get(plan.plan_uri)).review.decisions] == ["ada"]


async def test_two_decisions_at_once(gate: Gate) -> None:
    """Of all that are sent in the same moment, one counts."""
    plan = await gate.propose(FORM)
    asked = {"approval_request_id": plan.review.approval_request_id}
    async with ide(gate.web, "/ws/s") as one, ide(gate.web, "/ws") as other:
        for desk in (one, other):
            await desk.hears("plan_approval_required")
        choices = ["approve", "reject"] * 5
        await asyncio.gather(
            *(desk.says(decision(asked, choice, "x")) for desk in (one, other) for choice in choices)
        )
        for desk in (one, other):
            while (told := await desk.hears("error", "status", "plan_rejected"))["type"] == "error":
                assert told["metadata"]["reason"] == "ALREADY_DECIDED"
    assert len((await gate.get(plan.plan_uri)).review.decisions) == 1


async def test_a_review_of_another_session(gate: Gate) -> None:
    """Cannot be decided where nobody would hear what becomes of it."""
    plan = await gate.propose(FORM)
    asked = {"approval_request_id": plan.review.approval_request_id}
    async with ide(gate.web, "/ws/other") as desk:
        await desk.says(decision(asked, "approve"))
        assert "of another session" in (await desk.hears())["content"]
    assert (await gate.get(plan.plan_uri)).state == PlanState.PLAN_STATE_IN_REVIEW


@pytest.mark.parametrize(("named", "answer"), [("other", "error"), (FORM.session_id, "plan_rejected")])
async def test_a_decision_may_name_its_session(gate: Gate, named: str, answer: str) -> None:
    """On a line of all sessions, too, it is about the session that it names."""
    asked = {"approval_request_id": (await gate.propose(FORM)).review.approval_request_id}
    async with ide(gate.web) as desk:
        await desk.says({**decision(asked, "reject", "not now"), "session_id": named})
        assert (await desk.hears(answer))["approval_request_id"] == asked["approval_request_id"]


async def test_a_draft_is_not_shown_for_decision(gate: Gate) -> None:
    """What the model is still writing has nothing to decide about; an IDE is asked when it is whole."""
    draft: Any = gate.agent.DraftPlan()
    await draft.write(DraftPlanRequest(args=CreatePlanArgs(plan="# Ti"), session_id="s"))
    async with asyncio.timeout(PATIENCE):
        while not await gate.plans():
            """It is on its way."""
    async with ide(gate.web) as desk:
        await draft.write(DraftPlanRequest(args=CreatePlanArgs(plan="# Tidy"), submit=True))
        await draft.done_writing()
        assert (await draft).plan.state == PlanState.PLAN_STATE_IN_REVIEW
        asked = await desk.hears("plan_approval_required")
    assert (asked["plan"], bool(asked["approval_request_id"])) == ("# Tidy", True)


async def test_an_ide_that_does_not_read(
    gate: Gate, hub: WatchedHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Holds up nobody, and is cut off by the gate."""
    monkeypatch.setattr(running, "SEND_SECONDS", 0.2)
    _, writer = await _deaf(gate)
    await hub.until_followers(1)
    await asyncio.gather(*(gate.propose(proposal(LARGE, session_id=f"s{n}")) for n in range(100)))
    await hub.until_followers(0)
    monkeypatch.setattr(running, "SEND_SECONDS", PATIENCE)
    async with ide(gate.web, "/ws/s1") as other:
        await other.hears("plan_approval_required")
    writer.close()


async def _deaf(gate: Gate) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A socket that was asked for, and of which nothing is ever read."""
    host, _, port = gate.web.rpartition(":")
    line = socket.create_connection((host, int(port)))
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    reader, writer = await asyncio.open_connection(sock=line, limit=1024)
    writer.write(
        f"GET /ws HTTP/1.1\r\nHost: {gate.web}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        f"Authorization: Bearer {local_token('reviewer')}\r\n\r\n".encode()
    )
    await writer.drain()
    return reader, writer
