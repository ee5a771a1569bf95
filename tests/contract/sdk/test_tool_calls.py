"""Tool calls, on a real gate and on the fake one alike."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from plangate import TimedOut, errors
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalPrompt, ApprovalState
from tests.contract.sdk.steps import asking, outcome_of, shown, waits
from tests.helpers.either_client import Awaited
from tests.helpers.tool_calls import decision_of, state_of

ENDED = (
    ApprovalState.APPROVAL_STATE_DECIDED,
    ApprovalState.APPROVAL_STATE_CANCELLED,
    ApprovalState.APPROVAL_STATE_EXPIRED,
)


@pytest.fixture
def session() -> str:
    return uuid.uuid4().hex


@pytest.mark.parametrize(
    ("tool", "options", "rule"),
    [
        ("read_file", {"access": "read"}, "read_only"),
        ("read_file", {}, "default"),
        ("write_file", {"access": "read"}, "default"),
        ("look", {"access": "read", "command": "rm -r /"}, "default"),
        ("look", {"access": "read", "arguments": {"path": "a", "lines": 3}}, "read_only"),
        ("look", {"access": "read", "arguments": {"cmd": "rm"}}, "default"),
        ("save", {"access": "write"}, "default"),
        ("bash", {"access": "execute", "command": "make"}, "default"),
    ],
    ids=str,
)
async def test_whether_a_tool_may_be_used(
    gate: Awaited, session: str, tool: str, options: dict[str, Any], rule: str
) -> None:
    """Only what beyond doubt reads is allowed; a person is asked about the rest."""
    may = await gate.authorize_tool(session, tool, **options)
    assert (may.rule, may.allowed, may.must_ask) == (rule, rule == "read_only", rule == "default")
    assert may.reason


@pytest.mark.parametrize(
    ("answer", "may"), [("approved", True), ("approved_for_session", True), ("denied", False)]
)
async def test_an_answer(gate: Awaited, session: str, answer: str, may: bool) -> None:
    """Whoever waits gets it, with its words and with who said so."""
    task = asking(gate, session, "c", "make all", prompt="to see if it works")
    prompt = await shown(gate, session, "c")
    assert (prompt.tool_name, prompt.command, prompt.message) == ("bash", "make all", "to see if it works")
    assert [choice.value for choice in prompt.options] == ["APPROVED", "APPROVED_FOR_SESSION", "DENIED"]
    call = await gate.answer(prompt, answer, "my words")
    assert (state_of(call), decision_of(call)) == ("DECIDED", answer.upper())
    outcome = await outcome_of(task)
    assert (outcome.outcome, outcome.approved, outcome.feedback) == (answer.upper(), may, "my words")
    assert (outcome.reviewer, outcome.rule) == (call.reviewer, "")
    assert outcome.reviewer


async def test_first_in_first_out(gate: Awaited, session: str) -> None:
    """One call is shown at a time; the next one when that has ended."""
    first = asking(gate, session, "one")
    seen = await shown(gate, session, "one")
    second = asking(gate, session, "two")
    await waits(gate, session, 2)
    calls = await gate.tool_calls(session_id=session)
    assert [(call.call_id, state_of(call), call.position) for call in calls] == [
        ("one", "ACTIVE", 0),
        ("two", "QUEUED", 1),
    ]
    early = ApprovalPrompt(session_id=session, call_id="two", authority_token=seen.authority_token)
    with pytest.raises(errors.PromptNotActive):
        await gate.answer(early, "approved")
    await gate.answer(seen, "denied")
    assert not (await outcome_of(first)).approved
    with pytest.raises(errors.AlreadyDecided) as caught:
        await gate.answer(seen, "approved")
    assert caught.value.metadata["outcome"] == "DENIED"
    await gate.answer(await shown(gate, session, "two"), "approved")
    assert (await outcome_of(second)).approved
    ended = await gate.tool_calls(*ENDED, session_id=session)
    assert [(call.call_id, decision_of(call)) for call in ended] == [("one", "DENIED"), ("two", "APPROVED")]


async def test_an_answer_needs_the_prompts_token(gate: Awaited, session: str) -> None:
    """Nobody answers a prompt that they did not see."""
    task = asking(gate, session, "c")
    prompt = await shown(gate, session, "c")
    guessed = ApprovalPrompt(session_id=session, call_id="c", authority_token="guessed")
    with pytest.raises(errors.PromptNotActive):
        await gate.answer(guessed, "approved")
    guessed.authority_token = ""
    with pytest.raises(errors.MissingField):
        await gate.answer(guessed, "approved")
    await gate.answer(prompt, "approved")
    assert (await outcome_of(task)).approved


async def test_a_call_is_taken_back(gate: Awaited, session: str) -> None:
    """It is then over, once and for all; what was answered cannot be taken back."""
    task = asking(gate, session, "c")
    await shown(gate, session, "c")
    assert state_of(await gate.cancel_approval(session, "c")) == "CANCELLED"
    outcome = await outcome_of(task)
    assert (outcome.outcome, outcome.approved) == ("CANCELLED", False)
    assert state_of(await gate.cancel_approval(session, "c")) == "CANCELLED"
    with pytest.raises(errors.ApprovalNotFound):
        await gate.cancel_approval(session, "d")
    other = asking(gate, session, "d")
    await gate.answer(await shown(gate, session, "d"), "approved")
    await outcome_of(other)
    with pytest.raises(errors.AlreadyDecided):
        await gate.cancel_approval(session, "d")


async def test_the_same_call_again(gate: Awaited, session: str) -> None:
    """Under its id it is the same call, also after its answer; under that id there is no other."""
    task = asking(gate, session, "c")
    prompt = await shown(gate, session, "c")
    with pytest.raises(TimedOut):
        await gate.request_approval(session, "bash", "make", call_id="c", timeout=0.2)
    with pytest.raises(errors.CallIdReused):
        await gate.request_approval(session, "bash", "make clean", call_id="c")
    await gate.answer(prompt, "approved", "yes")
    await outcome_of(task)
    again = await gate.request_approval(session, "bash", "make", call_id="c")
    assert (again.outcome, again.feedback) == ("APPROVED", "yes")
    assert len(await gate.tool_calls(*ENDED, session_id=session)) == 1


@pytest.mark.parametrize(
    ("session", "tool", "command", "field"),
    [("", "bash", "make", "session_id"), ("s", "", "make", "tool_name"), ("s", "bash", " ", "command")],
)
async def test_a_call_that_says_too_little(
    gate: Awaited, session: str, tool: str, command: str, field: str
) -> None:
    """It is refused, and the refusal names the field."""
    with pytest.raises(errors.MissingField) as caught:
        await gate.request_approval(session, tool, command)
    assert caught.value.field == field


async def test_a_call_of_a_build(gate: Awaited, session: str) -> None:
    """It names a live build and one of its todos; what is not there is refused."""
    plan = await gate.create_plan("# Tidy the cellar", todos=["sort", "sweep"], session_id=session)
    await gate.decide(plan, "approve")
    build = await gate.build(await gate.wait(plan), todo_ids=["todo-1"])
    work = {"build_id": build.build_id, "todo_id": "todo-1"}
    may = await gate.authorize_tool(session, "bash", access="execute", command="make", **work)
    task = asking(gate, session, "c", **work)
    prompt = await shown(gate, session, "c")
    assert (prompt.plan_uri, prompt.build_id, prompt.todo_id) == (plan.plan_uri, build.build_id, "todo-1")
    call = await gate.answer(prompt, "approved")
    assert call.correlation_id == may.response.correlation_id
    await outcome_of(task)
    with pytest.raises(errors.TodoNotFound):
        await gate.authorize_tool(session, "bash", build_id=build.build_id, todo_id="todo-2")
    with pytest.raises(errors.BuildNotFound):
        await gate.request_approval(session, "bash", "make", build_id=uuid.uuid4().hex)
    with pytest.raises(errors.InvalidField):
        await gate.authorize_tool(session, "bash", todo_id="todo-1")
    await build.finish()
    with pytest.raises(errors.BuildEnded):
        await gate.authorize_tool(session, "bash", **work)
