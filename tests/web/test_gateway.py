"""The IDE gateway over a WebSocket: a session's plans and decisions as JSON."""

from __future__ import annotations

from typing import Any

import pytest

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import BuildOutcome
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest
from tests.helpers.gate import Gate
from tests.helpers.ide import FORM, build, decision, ide


async def test_a_plan_is_shown_to_the_ide(gate: Gate) -> None:
    """At once, with its summary and its text; what is not known is left out."""
    async with ide(gate.web) as desk:
        plan = await gate.propose(FORM)
        asked = await desk.hears("plan_approval_required")
    asked.pop("cursor", None)  # what waited when the line was opened has none
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
    async with ide(gate.web) as desk:
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
    async with ide(gate.web) as desk:
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
    async with ide(gate.web) as desk:
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
        async with ide(gate.web) as desk:
            asked = await desk.hears()
            assert (asked["type"], asked["plan_id"]) == ("plan_approval_required", plan.plan_id)


async def test_other_sessions_are_not_told(gate: Gate) -> None:
    """Unless nobody says which."""
    await gate.propose(CreatePlanRequest(args=FORM.args, session_id="other"))
    mine = await gate.propose(FORM)
    async with ide(gate.web) as desk, ide(gate.web, "/ws") as every:
        assert (await desk.hears())["plan_id"] == mine.plan_id
        assert {(await every.hears())["metadata"]["session_id"] for _ in range(2)} == {"s", "other"}


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("{", "the message is not JSON"),
        ("[" * 90, "the message is not JSON"),
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
    async with ide(gate.web) as desk:
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
    async with ide(gate.web) as desk:
        asked = await desk.hears("plan_approval_required")
        await desk.says(decision({"approval_request_id": "nonsense"}, "approve"))
        assert (await desk.hears("error"))["metadata"]["reason"] == "REVIEW_NOT_FOUND"
        await gate.decide(plan, "approve")
        await desk.says(decision(asked, "reject", "too late"))
        assert (await desk.hears("error"))["metadata"]["reason"] == "ALREADY_DECIDED"


async def test_an_older_revision_cannot_be_approved(gate: Gate) -> None:
    """The id names the review of what was shown; the newer text has another."""
    await gate.propose(FORM)
    async with ide(gate.web) as desk:
        asked = await desk.hears("plan_approval_required")
        newer = CreatePlanRequest(args=CreatePlanArgs(plan="# Something else"), session_id="s")
        plan = await gate.propose(newer)
        await desk.says(decision(asked, "approve"))
        assert (await desk.hears("error"))["metadata"]["reason"] == "STALE_REVISION"
    assert not (await gate.get(plan.plan_uri)).review.decisions
