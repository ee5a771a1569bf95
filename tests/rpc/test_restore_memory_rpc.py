"""What was remembered is restored from an export: none of it reaches further than it did."""

from typing import Any

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from plangate_proto.agent.v1.agent_session_service_pb2 import SetModeRequest
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    Remembered,
    RestoreMemoryRequest,
    RestoreMemoryResponse,
    RestoreObstacle,
)
from plangate_proto.aiserver.v1.plan_review_service_pb2 import AuditEntry, ListEventsRequest
from plangate_server.domain import limits
from tests.helpers.gate import Gate
from tests.helpers.refusals import refused
from tests.helpers.tool_calls import AGENT, NO, OTHER_WORKSPACE, call, patch, remember
from tests.rpc.bad_calls import exported
from tests.rpc.test_memory_rpc import asks, forget, kept, listed, reset


async def restore(gate: Gate, *wanted: Remembered, **fields: Any) -> RestoreMemoryResponse:
    return await gate.approvals.RestoreMemory(RestoreMemoryRequest(remembered=wanted, **fields))


def obstacles(response: RestoreMemoryResponse) -> list[tuple[int, str]]:
    names = RestoreObstacle.Name
    return [
        (each.place, names(each.obstacle).removeprefix("RESTORE_OBSTACLE_")) for each in response.left_out
    ]


async def entries(gate: Gate) -> list[AuditEntry]:
    return list((await gate.reviews.ListEvents(ListEventsRequest(page_size=1000))).entries)


def said(remembered: Remembered) -> Remembered:
    """All that it says of which calls it answers, and how."""
    bare = Remembered()
    bare.CopyFrom(remembered)
    bare.ClearField("remembered_id")
    bare.ClearField("restored_by")
    return bare


async def several(gate: Gate) -> list[Remembered]:
    """One of every sort."""
    await kept(gate, call("make test"))
    await kept(gate, call("git log -3", "c2"), NO, remember=remember("git log **", "WORKSPACE", seconds=600))
    await kept(gate, patch(call_id="c3"), remember=remember("*"))
    return await listed(gate)


async def test_all_that_was_remembered_is_remembered_again(gate: Gate) -> None:
    """After it was forgotten: the same answers to the same calls, in the same places, for as long."""
    before = await several(gate)
    await reset(gate, OTHER_WORKSPACE)
    assert await asks(gate, "make test")
    done = await restore(gate, *before)
    assert obstacles(done) == []
    assert list(done.restored) == await listed(gate)
    assert [said(each) for each in done.restored] == [said(each) for each in before]
    assert not {each.remembered_id for each in before} & {each.remembered_id for each in done.restored}
    assert not await asks(gate, "make test")
    assert await asks(gate, "make test", "other"), "a session's stays in that session"


async def test_restoring_again_changes_nothing(gate: Gate) -> None:
    """What was never forgotten is not there twice; under its request_id, the first answer comes again."""
    before = await several(gate)
    again = await restore(gate, *before)
    assert obstacles(again) == [(place, "ALREADY_REMEMBERED") for place in range(3)]
    assert await listed(gate) == before
    await forget(gate, before[0].remembered_id)
    first = await restore(gate, *before, request_id="r1")
    assert obstacles(first) == [(1, "ALREADY_REMEMBERED"), (2, "ALREADY_REMEMBERED")]
    assert await restore(gate, *before, request_id="r1") == first
    assert len(await listed(gate)) == 3


async def test_what_people_said_since_stays(gate: Gate) -> None:
    """A yes of an export does not take the place of a newer no, nor a no that of a yes."""
    old = await kept(gate, call("make test"))
    new = await kept(gate, call("make lint", "c2"), NO)
    await reset(gate, OTHER_WORKSPACE)
    now = [
        await kept(gate, call("make test", "c3"), NO),
        await kept(gate, call("make lint", "c4")),
    ]
    assert obstacles(await restore(gate, old, new)) == [
        (0, "DECIDED_OTHERWISE"),
        (1, "DECIDED_OTHERWISE"),
    ]
    assert await listed(gate) == now


async def test_nothing_holds_longer_than_it_did(gate: Gate) -> None:
    """What has run out of time meanwhile stays gone, and the rest ends when it would have ended."""
    end = Timestamp(seconds=4_000_000_000)
    wanted = [
        exported(scope=2, session_id="", expire_time=Timestamp(seconds=2)),
        exported(scope=2, session_id="", signature="make lint", expire_time=end),
    ]
    done = await restore(gate, *wanted)
    assert obstacles(done) == [(0, "EXPIRED")]
    assert [each.expire_time for each in await listed(gate)] == [end]


UNREADABLE = {
    "a program is open": exported(signature="* test", is_pattern=True),
    "a word is open": exported(signature="make te*", is_pattern=True),
    "not the plainest form": exported(signature='make   "test"'),
    "several commands": exported(signature="make test; rm -rf /"),
    "a patch in words": exported(kind=1, signature="anything"),
    "a pattern of patches": exported(kind=1, signature="a*", is_pattern=True),
    "arguments that are none": exported(kind=3, signature="[1]"),
}


@pytest.mark.parametrize("name", UNREADABLE)
async def test_what_no_answer_could_be_remembered_by_is_left_out(gate: Gate, name: str) -> None:
    """Whoever wrote it into the file: it could reach further than any person meant."""
    await gate.sessions.SetMode(SetModeRequest(session_id="s", mode=AGENT))
    assert obstacles(await restore(gate, UNREADABLE[name])) == [(0, "NOT_READABLE")]
    assert await listed(gate) == []


async def test_a_session_that_the_gate_does_not_have(gate: Gate) -> None:
    """What was remembered for it does not wait for another one of that name."""
    assert obstacles(await restore(gate, exported())) == [(0, "SESSION_NOT_FOUND")]
    assert await listed(gate) == []


async def test_a_no_wins_over_a_yes_in_one_export(gate: Gate) -> None:
    """Whichever comes first."""
    yes, no = (exported(scope=2, session_id="", decision=decision) for decision in (1, 3))
    assert obstacles(await restore(gate, yes, no)) == [(0, "DECIDED_OTHERWISE")]
    assert [each.decision for each in await listed(gate)] == [3]


async def test_one_that_is_bad_stops_all(gate: Gate) -> None:
    """Everything is checked before anything is written, and the bad one is named by its place."""
    good = exported(scope=2, session_id="")
    refusal = await refused(restore(gate, good, exported(tool_name="")))
    assert (refusal.reason, refusal.metadata["field"]) == ("MISSING_FIELD", "remembered[1].tool_name")
    assert await listed(gate) == []


async def test_looking_first(gate: Gate) -> None:
    """With validate_only, the same is said, and nothing is written."""
    wanted = [exported(scope=2, session_id=""), exported()]
    looked = await restore(gate, *wanted, validate_only=True)
    assert await listed(gate) == []
    done = await restore(gate, *wanted)
    assert obstacles(looked) == obstacles(done) == [(1, "SESSION_NOT_FOUND")]
    assert [said(each) for each in looked.restored] == [said(each) for each in done.restored]


async def test_there_is_no_room_for_more(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as answers can be remembered one at a time; one more, and none is restored."""
    monkeypatch.setattr(limits, "REMEMBERED", 2)
    wanted = [exported(scope=2, session_id="", signature=f"make {number}") for number in range(3)]
    refusal = await refused(restore(gate, *wanted))
    assert (refusal.reason, refusal.metadata["limit"]) == ("LIMIT_EXCEEDED", "remembered")
    assert await listed(gate) == []
    await restore(gate, *wanted[:2])
    assert len(await listed(gate)) == 2


async def test_the_log_tells_who_restored_it(gate: Gate) -> None:
    """As an answer that is remembered, one entry for each; it says from whom it was."""
    await restore(gate, exported(scope=2, session_id="", reviewer="bea", person="bea of the night shift"))
    [entry] = [each.event for each in await entries(gate) if each.event.HasField("remembered")]
    assert (entry.actor, entry.message) == ("local-admin", "restored")
    assert (entry.remembered.reviewer, list(entry.remembered.restored_by)) == ("bea", ["ada"])
    again = (await listed(gate))[0]
    await forget(gate, again.remembered_id)
    assert list((await restore(gate, again)).restored[0].restored_by) == ["ada"]
