"""The IDE gateway: a session's plans and decisions as JSON, over a WebSocket or as server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from plangate_proto.agent.v1.access_token_service_pb2 import CreateTokenRequest, RevokeTokenRequest, Role
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import BuildOutcome, Plan, TodoHint
from plangate_proto.agent.v1.plan_service_pb2 import (
    BuildTodosRequest,
    CreatePlanRequest,
    FinishBuildRequest,
    UpdateTodosRequest,
)
from plangate_proto.agent.v1.todo_tools_pb2 import TODO_STATUS_COMPLETED, TodoItem, UpdateTodosArgs
from tests.helpers.gate import Gate
from tests.helpers.scraping import PATIENCE
from tests.helpers.tokens import local_token
from tests.helpers.visitor import Visitor

FORM = CreatePlanRequest(
    args=CreatePlanArgs(
        name="Login form",
        overview="Create a login form",
        plan="# Login form\n\nWith validation.",
        todos=[TodoItem(id="form", content="write the form"), TodoItem(id="tests", content="test it")],
    ),
    session_id="s",
    todo_hints={"form": TodoHint(agent="coder", estimated_time=Duration(seconds=300))},
)


@asynccontextmanager
async def ide(gate: Gate, path: str = "/ws/s", token: str = "", **headers: str) -> AsyncIterator[Ide]:
    shown = {"Authorization": f"Bearer {token or local_token('reviewer')}", **headers}
    async with connect(f"ws://{gate.web}{path}", additional_headers=shown, proxy=None) as socket:
        yield Ide(socket)


class Ide:
    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def says(self, message: Any) -> None:
        await self.socket.send(message if isinstance(message, str | bytes) else json.dumps(message))

    async def hears(self, *types: str) -> Any:
        """The next message of one of the types."""
        while True:
            async with asyncio.timeout(PATIENCE):
                message = json.loads(await self.socket.recv())
            if not types or message["type"] in types:
                return message


def decision(asked: Any, choice: str, feedback: str | None = None) -> dict[str, Any]:
    said = {"type": "plan_decision", "approval_request_id": asked["approval_request_id"], "decision": choice}
    return said if feedback is None else {**said, "feedback": feedback}


async def build(gate: Gate, plan: Plan, outcome: BuildOutcome.ValueType) -> None:
    """What the agent does with an approved plan."""
    built = await gate.agent.BuildTodos(BuildTodosRequest(plan_uri=plan.plan_uri, agent_id="coder"))
    done = [TodoItem(id=todo.id, status=TODO_STATUS_COMPLETED) for todo in plan.todos]
    if outcome == BuildOutcome.BUILD_OUTCOME_COMPLETED:
        args = UpdateTodosArgs(todos=done, merge=True)
        await gate.agent.UpdateTodos(
            UpdateTodosRequest(plan_uri=plan.plan_uri, args=args, build_id=built.build_id)
        )
    await gate.agent.FinishBuild(FinishBuildRequest(build_id=built.build_id, outcome=outcome))


async def test_a_plan_is_shown_to_the_ide(gate: Gate) -> None:
    """At once, with its summary and its text; what is not known is left out."""
    async with ide(gate) as desk:
        plan = await gate.propose(FORM)
        asked = await desk.hears("plan_approval_required")
    assert asked == {
        "type": "plan_approval_required",
        "content": "The plan waits for your decision.",
        "approval_request_id": plan.review.approval_request_id,
        "plan_id": plan.plan_id,
        "plan": "# Login form\n\nWith validation.",
        "plan_summary": {
            "goal": "Create a login form",
            "subtasks_count": 2,
            "total_estimated_time": "5 min",
            "subtasks": [
                {"id": "form", "description": "write the form", "agent": "coder", "estimated_time": "5 min"},
                {"id": "tests", "description": "test it"},
            ],
        },
        "metadata": {
            "fsm_state": "plan_review",
            "session_id": "s",
            "plan_id": plan.plan_id,
            "plan_uri": plan.plan_uri,
            "revision": 1,
            "digest": plan.digest,
            "actor": "local-admin",
        },
    }


async def test_approve_and_carry_out(gate: Gate) -> None:
    """The whole way: asked, approved, built, completed."""
    async with ide(gate) as desk:
        plan = await gate.propose(FORM)
        await desk.says(decision(await desk.hears("plan_approval_required"), "approve"))
        approved = await desk.hears("status")
        await build(gate, plan, BuildOutcome.BUILD_OUTCOME_COMPLETED)
        done = await desk.hears("execution_completed")
    assert approved["metadata"]["fsm_state"] == "plan_execution"
    assert done["is_final"] is True
    assert done["metadata"]["fsm_state"] == "completed"
    result = done["metadata"]["execution_result"]
    assert result.pop("duration_seconds") >= 0
    assert result == {
        "status": "completed",
        "completed_subtasks": 2,
        "failed_subtasks": 0,
        "total_subtasks": 2,
    }


async def test_a_build_that_fails(gate: Gate) -> None:
    """Is an error, with how far it came."""
    async with ide(gate) as desk:
        plan = await gate.propose(FORM)
        await desk.says(decision(await desk.hears("plan_approval_required"), "approve"))
        await desk.hears("status")
        await build(gate, plan, BuildOutcome.BUILD_OUTCOME_FAILED)
        failed = await desk.hears("error")
    assert failed["metadata"]["fsm_state"] == "error_handling"
    assert failed["metadata"]["execution_result"]["failed_subtasks"] == 2


@pytest.mark.parametrize(
    ("choice", "answer", "state"),
    [
        ("reject", "plan_rejected", "idle"),
        ("modify", "plan_modification_requested", "architect_planning"),
    ],
)
async def test_a_no_with_words(gate: Gate, choice: str, answer: str, state: str) -> None:
    """Is answered, and the agent gets the words."""
    async with ide(gate) as desk:
        plan = await gate.propose(FORM)
        await desk.says(decision(await desk.hears("plan_approval_required"), choice, "simpler, please"))
        told = await desk.hears(answer)
    assert (told["is_final"], told["metadata"]["fsm_state"]) == (True, state)
    assert told["metadata"]["feedback"] == "simpler, please"
    assert (await gate.get(plan.plan_uri)).review.decisions[0].feedback_text == "simpler, please"


async def test_a_reconnect_gets_what_is_pending(gate: Gate) -> None:
    """Nothing is lost by an IDE that was closed."""
    plan = await gate.propose(FORM)
    for _ in range(2):
        async with ide(gate) as desk:
            asked = await desk.hears()
            assert (asked["type"], asked["plan_id"]) == ("plan_approval_required", plan.plan_id)


async def test_other_sessions_are_not_told(gate: Gate) -> None:
    """Unless nobody says which."""
    await gate.propose(CreatePlanRequest(args=FORM.args, session_id="other"))
    mine = await gate.propose(FORM)
    async with ide(gate) as desk, ide(gate, "/ws") as every:
        assert (await desk.hears())["plan_id"] == mine.plan_id
        assert {(await every.hears())["metadata"]["session_id"] for _ in range(2)} == {"s", "other"}


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("{", "the message is not JSON"),
        ("[" * 100_000, "the message is not JSON"),
        ("[]", "the message is not a JSON object"),
        ({"type": "hello"}, "type 'hello' is not known here"),
        ({}, "type None is not known here"),
        ({"type": "plan_decision", "decision": "approve"}, "approval_request_id is missing"),
        ({"type": "plan_decision", "approval_request_id": "x"}, "decision is ''"),
        ({"type": "plan_decision", "approval_request_id": "x", "decision": "yes"}, "decision is 'yes'"),
        ({"type": "plan_decision", "approval_request_id": 7, "decision": "approve"}, "is not a text"),
        ({"type": "plan_decision", "approval_request_id": "\ud800", "decision": "approve"}, "is not a text"),
        (b"bytes", "the message is not JSON"),
    ],
    ids=lambda value: str(value)[:30],
)
async def test_a_bad_message_is_answered_and_the_socket_lives(gate: Gate, message: Any, words: str) -> None:
    """The next message is heard as if nothing had been."""
    plan = await gate.propose(FORM)
    async with ide(gate) as desk:
        asked = await desk.hears("plan_approval_required")
        await desk.says(message)
        error = await desk.hears("error")
        assert words in error["content"]
        assert error["metadata"] == {"code": "INVALID_ARGUMENT", "reason": "MALFORMED_REQUEST"}
        await desk.says(decision(asked, "approve"))
        await desk.hears("status")
    assert len((await gate.get(plan.plan_uri)).review.decisions) == 1


async def test_what_the_gate_refuses_is_told(gate: Gate) -> None:
    """In its own words, and the socket lives."""
    plan = await gate.propose(FORM)
    async with ide(gate) as desk:
        asked = await desk.hears("plan_approval_required")
        await desk.says(decision({"approval_request_id": "nonsense"}, "approve"))
        assert (await desk.hears("error"))["metadata"]["reason"] == "REVIEW_NOT_FOUND"
        await gate.decide(plan, "approve")
        await desk.says(decision(asked, "reject", "too late"))
        assert (await desk.hears("error"))["metadata"]["reason"] == "ALREADY_DECIDED"


async def test_an_older_revision_cannot_be_approved(gate: Gate) -> None:
    """The id names the review of what was shown; the newer text has another."""
    await gate.propose(FORM)
    async with ide(gate) as desk:
        asked = await desk.hears("plan_approval_required")
        newer = CreatePlanRequest(args=CreatePlanArgs(plan="# Something else"), session_id="s")
        plan = await gate.propose(newer)
        await desk.says(decision(asked, "approve"))
        assert (await desk.hears("error"))["metadata"]["reason"] == "STALE_REVISION"
    assert not (await gate.get(plan.plan_uri)).review.decisions


async def test_nobody_listens_without_a_token(gate: Gate) -> None:
    """The socket says why, and closes."""
    async with ide(gate, token="nonsense") as desk:
        assert (await desk.hears("error"))["metadata"]["reason"] == "INVALID_CREDENTIALS"
        with pytest.raises(ConnectionClosed) as closed:
            await desk.hears()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4401


async def test_a_foreign_page_gets_no_socket(gate: Gate) -> None:
    """Browsers say where a page comes from."""
    with pytest.raises(InvalidStatus):
        async with ide(gate, Origin="http://evil.example"):
            pytest.fail("it was let in")


async def test_a_socket_ends_with_its_token(gate: Gate) -> None:
    """Who is revoked hears nothing more."""
    made = await gate.tokens.CreateToken(CreateTokenRequest(name="bob", role=Role.ROLE_REVIEWER))
    await gate.propose(FORM)
    async with ide(gate, token=made.secret) as desk:
        await desk.hears("plan_approval_required")
        await gate.tokens.RevokeToken(RevokeTokenRequest(token_id=made.token.token_id))
        assert (await desk.hears("error"))["metadata"]["reason"] == "INVALID_CREDENTIALS"


async def test_the_same_over_http(gate: Gate) -> None:
    """Ask for a plan, decide about it, hear how it ended: each as a stream that ends by itself."""
    visitor = Visitor(gate.web)
    visitor.headers = {"Authorization": f"Bearer {local_token('reviewer')}"}
    hello = {"session_id": "s", "message": {"type": "user_message", "content": "a login form, please"}}
    plan = await gate.propose(FORM)
    async with visitor.listening("/agent/message/stream", message=hello) as stream:
        asked = (await stream.until("plan_approval_required")).data
        assert await stream.next() is None
    said = {"session_id": "s", "message": decision(asked, "approve")}
    async with visitor.listening("/agent/message/stream", message=said) as stream:
        await stream.until("status")
        await build(gate, plan, BuildOutcome.BUILD_OUTCOME_COMPLETED)
        done = await stream.until("execution_completed")
        assert await stream.next() is None
    assert done.data["metadata"]["fsm_state"] == "completed"


@pytest.mark.parametrize("missing", ["approval_request_id", "decision", "type"])
async def test_over_http_what_is_missing_is_400(gate: Gate, missing: str) -> None:
    """With what to send."""
    visitor = Visitor(gate.web)
    visitor.headers = {"Authorization": f"Bearer {local_token('reviewer')}"}
    message = decision({"approval_request_id": "x"}, "approve")
    del message[missing]
    answer = await visitor.post("/agent/message/stream", {"session_id": "s", "message": message})
    assert (answer.status, answer.reason) == (400, "MALFORMED_REQUEST")


async def test_looking_on_over_http_goes_on_where_it_was(gate: Gate) -> None:
    """By the id of the last event."""
    visitor = Visitor(gate.web)
    visitor.headers = {"Authorization": f"Bearer {local_token('reviewer')}"}
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
