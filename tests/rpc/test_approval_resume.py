"""An agent that breaks off and asks again under the same call_id joins the call that waits."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from plangate_proto.agent.v1.agent_session_service_pb2 import SetModeRequest
from plangate_proto.agent.v1.tool_approval_service_pb2 import CancelApprovalRequest, ListApprovalsRequest
from tests.helpers.clock import SkippingClock
from tests.helpers.gate import Gate, connected, open_gate
from tests.helpers.refusals import refused
from tests.helpers.resuming import log_of
from tests.helpers.streams import WatchedHub, cut_off, next_of, rest_of, types
from tests.helpers.tokens import ADMIN
from tests.helpers.tool_calls import (
    EDIT,
    MCP,
    NO,
    PLAN,
    YES,
    call,
    outcome,
    resolution,
    span,
    standing,
    state_of,
    states,
)
from tests.rpc.bad_requests import Bad
from tests.rpc.steps import approved, build, with_todos

REQUEST = "/agent.v1.ApprovalService/RequestApproval"


async def test_a_broken_stream_takes_nothing_back(gate: Gate, hub: WatchedHub) -> None:
    """The call waits on when its agent is gone, and can be answered."""
    async with connected(gate.address) as agent:
        stream = agent.approvals.RequestApproval(call())
        await next_of(stream)
        stream.cancel()
    await hub.until_followers(0)
    assert (await gate.prompt()).call_id == "c1"
    assert state_of((await gate.answer(YES)).approval) == "DECIDED"


async def test_asking_again_joins_the_call(gate: Gate) -> None:
    """One call, one event, one place in the queue, and all who wait for it are told the same."""
    for number in range(3):
        await gate.ask(call(f"make {number}", f"c{number}"))
    again = [gate.approvals.RequestApproval(call("make 2", "c2")) for _ in range(5)]
    assert [standing(await next_of(stream)) for stream in again] == [("QUEUED", 2)] * 5
    assert types(await log_of(gate)) == ["TOOL_CALL_REQUESTED"] * 3
    for _ in range(3):
        await gate.answer(YES)
    told = [await rest_of(stream) for stream in again]
    assert [standing(each) for each in told[0]] == [("QUEUED", 1), ("ACTIVE", 0), ("DECIDED", 0)]
    assert all(each == told[0] for each in told)


async def test_an_answer_given_meanwhile_is_there(gate: Gate) -> None:
    """Who asks again after the answer gets it at once, as often as it asks, and nobody is asked anew."""
    await gate.ask(call())
    await gate.answer(NO, feedback_text="Use make check")
    for _ in range(3):
        answers = await rest_of(gate.approvals.RequestApproval(call()))
        assert [outcome(each) for each in answers] == [("DECIDED", "DENIED", "MANUAL", ADMIN)]
        assert answers[0].feedback_text == "Use make check"
    assert not (await gate.prompts()).HasField("prompt")


async def test_a_call_taken_back_stays_so(gate: Gate) -> None:
    """Asking again under its id does not bring it back."""
    await gate.ask(call())
    await gate.approvals.CancelApproval(CancelApprovalRequest(session_id="s", call_id="c1"))
    answers = await rest_of(gate.approvals.RequestApproval(call()))
    assert [standing(each) for each in answers] == [("CANCELLED", 0)]


async def test_an_answer_is_not_judged_again(gate: Gate) -> None:
    """What was approved stays approved for this call, though plan mode would deny it by now."""
    await gate.ask(call())
    await gate.answer(YES)
    await gate.sessions.SetMode(SetModeRequest(session_id="s", mode=PLAN))
    assert outcome(await gate.ask(call())) == ("DECIDED", "APPROVED", "MANUAL", ADMIN)


async def test_fifty_at_once_are_one_call(gate: Gate) -> None:
    """The same call asked for fifty times in parallel waits once."""
    answers = await asyncio.gather(*(gate.ask(call()) for _ in range(50)))
    assert {standing(answer) for answer in answers} == {("ACTIVE", 0)}
    assert types(await log_of(gate)) == ["TOOL_CALL_REQUESTED"]
    assert (await gate.session()).queue_length == 1


@pytest.mark.parametrize("decided", [False, True], ids=["waiting", "decided"])
@pytest.mark.parametrize(
    "other",
    [{"command": "make  test"}, {"tool_name": "sh"}, {"kind": EDIT}, {"kind": MCP}],
    ids=["command", "tool", "edit", "mcp"],
)
async def test_another_call_under_a_used_id_is_refused(
    gate: Gate, other: dict[str, Any], *, decided: bool
) -> None:
    """Whatever was agreed to under the id does not hold for anything else, and nothing changes."""
    await gate.ask(call())
    if decided:
        await gate.answer(YES)
    before = await log_of(gate)
    refusal = await refused(gate.ask(call(**{"command": "make test", **other})))
    told = {"field": "call_id", "session_id": "s", "call_id": "c1"}
    Bad(REQUEST, "CALL_ID_REUSED", b"", told).check(refusal)
    assert await log_of(gate) == before


async def test_another_build_or_todo_is_another_call(gate: Gate) -> None:
    """A call that was agreed to for one todo is not one for another."""
    plan = await approved(gate, with_todos(session_id="s"))
    build_id = (await build(gate, plan)).build_id
    await gate.ask(call(build_id=build_id, todo_id="a"))
    for work in ({"build_id": build_id, "todo_id": "b"}, {"build_id": build_id}, {}):
        assert (await refused(gate.ask(call(**work)))).reason == "CALL_ID_REUSED"


async def test_what_does_not_matter_may_differ(gate: Gate) -> None:
    """Another prompt, metadata or time joins the call, which stays as it was."""
    await gate.ask(call(prompt="Because"))
    kept = await gate.prompt()
    again = call(prompt="Please", metadata={"try": "2"}, signature="x")
    assert standing(await gate.ask(again)) == ("ACTIVE", 0)
    assert await gate.prompt() == kept


async def test_a_call_survives_a_restart(tmp_path: Path) -> None:
    """The next server has the queue, the prompt and its token; agents ask again and go on waiting."""
    asked = [call(f"make {number}", f"c{number}") for number in range(3)]
    async with open_gate(tmp_path / "plangate.db") as gate:
        for each in asked:
            await gate.ask(each)
        await gate.answer(NO)
        stream = gate.approvals.RequestApproval(asked[2])
        assert standing(await next_of(stream)) == ("QUEUED", 1)
        prompt, session = await gate.prompt(), await gate.session()
        await gate.stop()
        told, refusal = await cut_off(stream)
    assert told == []
    assert (refusal.status, refusal.reason) == ("UNAVAILABLE", "SHUTTING_DOWN")
    async with open_gate(tmp_path / "plangate.db") as gate:
        assert (await gate.prompt(), await gate.session()) == (prompt, session)
        streams = [gate.approvals.RequestApproval(each) for each in asked]
        firsts = [await next_of(stream) for stream in streams]
        assert [standing(each) for each in firsts] == [("DECIDED", 0), ("ACTIVE", 0), ("QUEUED", 1)]
        await gate.approvals.ResolveApproval(resolution(prompt, YES))
        assert standing((await rest_of(streams[1]))[-1]) == ("DECIDED", 0)
        assert standing(await next_of(streams[2])) == ("ACTIVE", 0)
        streams[2].cancel()
        used = await refused(gate.ask(call("make 3", "c2")))
        assert used.reason == "CALL_ID_REUSED"


async def test_time_runs_while_no_server_does(tmp_path: Path, clock: SkippingClock) -> None:
    """A call whose time ended meanwhile is EXPIRED as soon as there is a server again."""
    soon = call(expires_after=span(3600))
    async with open_gate(tmp_path / "plangate.db") as gate:
        assert standing(await gate.ask(soon)) == ("ACTIVE", 0)
    clock.skip(hours=1)
    async with open_gate(tmp_path / "plangate.db") as gate:
        assert standing((await rest_of(gate.approvals.RequestApproval(soon)))[-1]) == ("EXPIRED", 0)
        ended = ListApprovalsRequest(states=states("EXPIRED"))
        assert len((await gate.approvals.ListApprovals(ended)).approvals) == 1
