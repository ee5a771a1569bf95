"""Tool calls on an IDE's line: shown, answered by the rules that hold everywhere, and told how they ended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    Approval,
    ApprovalState,
    CancelApprovalRequest,
    ListApprovalsRequest,
)
from tests.helpers.clock import SkippingClock
from tests.helpers.gate import Gate, open_gate
from tests.helpers.ide import ide
from tests.helpers.identities import make_token
from tests.helpers.tokens import local_token
from tests.helpers.tool_calls import YES, call, decision_of, span, state_of
from tests.helpers.visitor import Visitor

SAY = "/agent/message/stream"


def answer(asked: Any, choice: str, **more: str) -> dict[str, Any]:
    """What an IDE sends that shows what it was asked."""
    seen = {name: asked[name] for name in ("session_id", "call_id", "authority_token")}
    return {"type": "tool_decision", **seen, "decision": choice, **more}


async def the_call(gate: Gate, call_id: str = "c1") -> Approval:
    every = [state for state in ApprovalState.values() if state]
    listed = await gate.approvals.ListApprovals(ListApprovalsRequest(session_id="s", states=every))
    return next(each for each in listed.approvals if each.call_id == call_id)


async def test_a_call_that_waits_is_shown(gate: Gate) -> None:
    """Exactly what would be done, and all that an answer needs."""
    async with ide(gate.web) as desk:
        await gate.ask(call(prompt="to see whether it works"))
        asked = await desk.hears("tool_approval_required")
    prompt = await gate.prompt()
    asked.pop("cursor", None)  # what waited when the line was opened has none
    assert [each["value"] for each in asked.pop("choices")] == ["approve", "approve_for_session", "reject"]
    assert asked == {
        "type": "tool_approval_required",
        "content": "A tool call waits for your decision.",
        "session_id": "s",
        "call_id": "c1",
        "authority_token": prompt.authority_token,
        "kind": "terminal",
        "tool_name": "bash",
        "command": "make test",
        "prompt": "to see whether it works",
        "can_remember": True,
        "metadata": {"digest": prompt.digest, "agent_id": "builder", "queue_length": 1},
    }


@pytest.mark.parametrize(
    ("choice", "type_", "decided"),
    [
        ("approve", "tool_approved", "APPROVED"),
        ("approve_for_session", "tool_approved", "APPROVED_FOR_SESSION"),
        ("reject", "tool_denied", "DENIED"),
    ],
)
@pytest.mark.parametrize("path", ["/ws/s", "/ws"])
async def test_a_call_is_answered(gate: Gate, path: str, choice: str, type_: str, decided: str) -> None:
    """And everybody is told, with the person's words."""
    await gate.ask(call())
    async with ide(gate.web, path) as desk:
        asked = await desk.hears("tool_approval_required")
        await desk.says(answer(asked, choice, feedback="mind the dust", digest=asked["metadata"]["digest"]))
        told = await desk.hears("tool_approved", "tool_denied", "error")
    assert (told["type"], told["call_id"], told["is_final"]) == (type_, "c1", True)
    assert told["metadata"]["decision"] == choice
    assert (told["metadata"]["actor"], told["metadata"]["feedback"]) == ("ada", "mind the dust")
    kept = await the_call(gate)
    assert (decision_of(kept), kept.reviewer) == (decided, "ada")


async def test_the_next_call_follows(gate: Gate) -> None:
    """One at a time, each told once, also when more arrive meanwhile."""
    async with ide(gate.web) as desk:
        for number in (1, 2, 3):
            await gate.ask(call(f"make {number}", f"c{number}"))
        for number in (1, 2, 3):
            asked = await desk.hears("tool_approval_required")
            assert asked["call_id"] == f"c{number}"
            await desk.says(answer(asked, "approve"))


async def test_a_call_that_ends_by_itself(gate: Gate, clock: SkippingClock) -> None:
    """Taken back and run out of time are told apart."""
    async with ide(gate.web) as desk:
        await gate.ask(call())
        await desk.hears("tool_approval_required")
        await gate.approvals.CancelApproval(CancelApprovalRequest(session_id="s", call_id="c1"))
        assert (await desk.hears("tool_cancelled"))["call_id"] == "c1"
        await gate.ask(call("make more", "c2", expires_after=span(60)))
        assert "expire_time" in (await desk.hears("tool_approval_required"))["metadata"]
        clock.skip(seconds=61)
        assert (await desk.hears("tool_expired"))["call_id"] == "c2"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"authority_token": "guessed"}, "PROMPT_NOT_ACTIVE"),
        ({"call_id": "c9"}, "APPROVAL_NOT_FOUND"),
        ({"digest": "0" * 64}, "MALFORMED_REQUEST"),
        ({"authority_token": ""}, "MALFORMED_REQUEST"),
        ({"decision": "modify"}, "MALFORMED_REQUEST"),
        ({"decision": "APPROVED"}, "MALFORMED_REQUEST"),
        ({"session_id": "other"}, "MALFORMED_REQUEST"),
        ({"modified_arguments": {"command": "make cake"}}, "MALFORMED_REQUEST"),
        ({"command": "make test"}, "MALFORMED_REQUEST"),
    ],
    ids=str,
)
async def test_an_answer_to_something_else(gate: Gate, change: dict[str, Any], reason: str) -> None:
    """Is refused, the call waits, and the socket lives."""
    await gate.ask(call())
    async with ide(gate.web) as desk:
        asked = await desk.hears("tool_approval_required")
        await desk.says({**answer(asked, "approve"), **change})
        error = await desk.hears("error")
        assert error["metadata"]["reason"] == reason
        assert state_of(await the_call(gate)) == "ACTIVE"
        await desk.says(answer(asked, "approve"))
        await desk.hears("tool_approved")


async def test_an_answer_that_comes_too_late(gate: Gate) -> None:
    """Hears who was first."""
    await gate.ask(call())
    async with ide(gate.web) as desk:
        asked = await desk.hears("tool_approval_required")
        await gate.answer(YES)
        await desk.hears("tool_approved")
        await desk.says(answer(asked, "reject"))
        error = await desk.hears("error")
    assert (error["metadata"]["reason"], error["call_id"]) == ("ALREADY_DECIDED", "c1")


async def test_a_call_that_a_remembered_answer_covers(gate: Gate) -> None:
    """Is told once, as answered by the rule and not by the agent that asked."""
    async with ide(gate.web) as desk:
        await gate.ask(call())
        await desk.says(answer(await desk.hears("tool_approval_required"), "approve_for_session"))
        await desk.hears("tool_approved")
        await gate.ask(call(call_id="c2"))
        await gate.ask(call("make cake", "c3"))
        told, then = await desk.hears(), await desk.hears()
    assert (told["type"], told["call_id"], told["is_final"]) == ("tool_approved", "c2", True)
    assert told["metadata"]["actor"] == "plangate"
    assert told["metadata"]["rule"].startswith("remembered:")
    assert (then["type"], then["call_id"]) == ("tool_approval_required", "c3")


async def test_a_call_that_a_rule_of_the_policy_denies(tmp_path: Path) -> None:
    """Is told once, too, with the rule's reason."""
    policy = tmp_path / "policy.yaml"
    policy.write_text("deny:\n  - {name: no-cake, commands: ['make cake'], reason: bake it yourself}\n")
    async with open_gate(tmp_path / "plangate.db", policy) as gate, ide(gate.web) as desk:
        await gate.ask(call("make cake", "c2"))
        await gate.ask(call(call_id="c3"))
        told, then = await desk.hears(), await desk.hears()
    assert (told["type"], told["call_id"], told["is_final"]) == ("tool_denied", "c2", True)
    assert (told["metadata"]["actor"], told["metadata"]["rule"]) == ("plangate", "deny:no-cake")
    assert told["metadata"]["feedback"] == "bake it yourself"
    assert (then["type"], then["call_id"]) == ("tool_approval_required", "c3")


@pytest.mark.parametrize(
    ("said", "about"),
    [
        ({"type": "tool_decision", "call_id": "c1"}, {"call_id": "c1"}),
        (
            {"type": "tool_decision", "call_id": "c1", "authority_token": "x", "decision": "nope"},
            {"call_id": "c1"},
        ),
        ({"type": "tool_decision", "call_id": "c1", "decision": 7}, {"call_id": "c1"}),
        ({"type": "plan_decision", "approval_request_id": "r"}, {"approval_request_id": "r"}),
        ({"type": "plan_decision", "approval_request_id": "r", "more": 1}, {"approval_request_id": "r"}),
        ({"type": "decision", "approval_request_id": "r", "call_id": 5}, {"approval_request_id": "r"}),
        ({"type": "plan_decision", "approval_request_id": "\ud800"}, {}),
        ({"type": "plan_decision", "approval_request_id": ""}, {}),
    ],
    ids=str,
)
async def test_a_refusal_says_what_it_is_about(
    gate: Gate, said: dict[str, Any], about: dict[str, str]
) -> None:
    """Whatever was wrong with the decision, as far as it named something."""
    async with ide(gate.web) as desk:
        await desk.says(said)
        error = await desk.hears("error")
    assert error["metadata"]["reason"] == "MALFORMED_REQUEST"
    assert {name: error[name] for name in ("call_id", "approval_request_id") if name in error} == about


async def test_what_cannot_be_remembered_is_not_offered(gate: Gate) -> None:
    """And not taken, either."""
    await gate.ask(call("make test && rm -rf /"))
    async with ide(gate.web) as desk:
        asked = await desk.hears("tool_approval_required")
        assert asked["can_remember"] is False
        assert [each["value"] for each in asked["choices"]] == ["approve", "reject"]
        await desk.says(answer(asked, "approve_for_session"))
        assert (await desk.hears("error"))["metadata"]["reason"] == "INVALID_FIELD"
    assert state_of(await the_call(gate)) == "ACTIVE"


async def test_an_observer_sees_a_call_and_cannot_answer_it(gate: Gate) -> None:
    """The token that answers is not among what is shown."""
    made = await make_token(gate, "observer", "bob")
    await gate.ask(call())
    async with ide(gate.web, token=made.secret) as desk:
        asked = await desk.hears("tool_approval_required")
        assert "authority_token" not in asked
        stolen = {**asked, "authority_token": (await gate.prompt()).authority_token}
        await desk.says(answer(stolen, "approve"))
        assert (await desk.hears("error"))["metadata"]["reason"] == "ROLE_NOT_ALLOWED"
    assert state_of(await the_call(gate)) == "ACTIVE"


async def test_calls_of_other_sessions(gate: Gate) -> None:
    """Are not shown on the line of one."""
    await gate.ask(call(session_id="other"))
    await gate.ask(call())
    async with ide(gate.web) as one, ide(gate.web, "/ws") as every:
        assert (await one.hears("tool_approval_required"))["session_id"] == "s"
        told = {(await every.hears("tool_approval_required"))["session_id"] for _ in range(2)}
    assert told == {"s", "other"}


async def test_a_call_over_http(gate: Gate) -> None:
    """A message ends with the question, and the answer with what became of it."""
    visitor = Visitor(gate.web)
    visitor.headers = {"Authorization": f"Bearer {local_token('reviewer')}"}
    hello = {"session_id": "s", "message": {"type": "user_message", "content": "go on"}}
    async with visitor.listening(SAY, message=hello) as stream:
        await stream.until("status")
        await gate.ask(call())
        asked = (await stream.until("tool_approval_required")).data
        assert await stream.next() is None
    said = {"session_id": "s", "message": answer(asked, "reject", feedback="not today")}
    async with visitor.listening(SAY, message=said) as stream:
        told = (await stream.until("tool_denied")).data
        assert await stream.next() is None
    assert told["metadata"]["feedback"] == "not today"
