"""WatchApprovals: what people see in one session or in all, every change of it, and where to go on."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from plangate_proto.agent.v1.agent_session_service_pb2 import WatchSessionRequest
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    CancelApprovalRequest,
    WatchApprovalsRequest,
    WatchApprovalsResponse,
)
from plangate_server.usecases import streams
from tests.helpers.backends import BACKENDS
from tests.helpers.clock import SkippingClock
from tests.helpers.gate import Gate, connected, open_gate
from tests.helpers.resuming import log_of
from tests.helpers.streams import WatchedHub, cut_off, next_of
from tests.helpers.tool_calls import NO, YES, call, remember, resolution, span
from tests.rpc.bad_requests import Bad
from tests.rpc.sending import SendingClock

WATCH = "/agent.v1.ApprovalService/WatchApprovals"


def watch(gate: Gate, session_id: str = "", cursor: str = "") -> Any:
    request = WatchApprovalsRequest(session_id=session_id, cursor=cursor)
    return gate.approvals.WatchApprovals(request)


async def take(stream: Any, count: int) -> list[WatchApprovalsResponse]:
    return [await next_of(stream) for _ in range(count)]


async def begun(stream: Any) -> list[WatchApprovalsResponse]:
    """What a watch of all sessions says up to its marker, which names no session."""
    told = [await next_of(stream)]
    while told[-1].session_id:
        told.append(await next_of(stream))
    return told


def brief(told: WatchApprovalsResponse) -> tuple[str, str, int, str]:
    """The session, its prompt, how many wait, and the last answer."""
    return told.session_id, told.prompt.call_id, told.queue_length, told.last_decision.call_id


async def test_a_watch_of_a_session_begins_with_its_prompt(gate: Gate) -> None:
    """The prompt with its token, the length of the queue, the last answer and a cursor."""
    for number in range(3):
        await gate.ask(call(f"make {number}", f"c{number}"))
    answered = (await gate.answer(NO)).approval
    stream = watch(gate, "s")
    first = await next_of(stream)
    stream.cancel()
    assert brief(first) == ("s", "c1", 2, "c0")
    assert first.last_decision == answered
    assert (bool(first.prompt.authority_token), bool(first.cursor)) == (True, True)


async def test_nobody_has_to_wait_for_a_session(gate: Gate) -> None:
    """One that is not there yet can be watched: nothing is active, and then its first call is."""
    stream = watch(gate, "s")
    assert brief(await next_of(stream)) == ("s", "", 0, "")
    await gate.ask(call())
    assert brief(await next_of(stream)) == ("s", "c1", 1, "")
    stream.cancel()


async def test_a_watch_of_all_begins_with_every_prompt(gate: Gate) -> None:
    """One message for each session in which something waits, none of them with a cursor, then a marker."""
    for number in range(6):
        await gate.ask(call(f"make {number}", f"c{number}", session_id=f"s{number % 3}"))
    for session_id in ("s1", "s1"):
        await gate.answer(YES, session_id)
    stream = watch(gate)
    told = await begun(stream)
    stream.cancel()
    assert sorted(map(brief, told[:-1])) == [("s0", "c0", 2, ""), ("s2", "c2", 2, "")]
    # Whoever breaks off among the prompts must not resume behind those that were still to come.
    assert [bool(each.cursor) for each in told] == [False, False, True]
    assert (told[-1].HasField("prompt"), told[-1].queue_length) == (False, 0)


async def test_many_sessions_are_all_told(gate: Gate) -> None:
    """However many wait, each comes once."""
    names = {f"s{number:03}" for number in range(120)}
    await asyncio.gather(*(gate.ask(call(session_id=name)) for name in names))
    stream = watch(gate)
    told = await begun(stream)
    stream.cancel()
    assert sorted(each.session_id for each in told[:-1]) == sorted(names)


async def live_through(gate: Gate) -> None:
    """Asked, answered, taken back, expired, remembered: eight changes in one session and one elsewhere."""
    await gate.ask(call("make 0", "c0"))
    await gate.ask(call("make 1", "c1"))
    await gate.ask(call("make 2", "c2"))
    await gate.answer(NO)
    await gate.approvals.CancelApproval(CancelApprovalRequest(session_id="s", call_id="c2"))
    await gate.answer(YES, remember=remember())
    await gate.ask(call("make elsewhere", session_id="other"))
    await gate.ask(call("make 1", "c3"))


LIFE = [
    ("s", "c0", 1, ""),
    ("s", "c0", 2, ""),
    ("s", "c0", 3, ""),
    ("s", "c1", 2, "c0"),
    ("s", "c1", 1, "c0"),
    ("s", "", 0, "c1"),
]
"""What is seen in the session, change after change."""
ELSEWHERE = ("other", "c1", 1, "")
AT_ONCE = [("s", "", 0, "c1"), ("s", "", 0, "c3")]
"""A call that a rule answers is asked for and decided, and never shown."""


@pytest.mark.parametrize("session_id", ["s", ""], ids=["one", "all"])
async def test_every_change_is_told_in_order(gate: Gate, session_id: str) -> None:
    """Each answer brings the next prompt, and what a rule answers brings none."""
    stream = watch(gate, session_id)
    await next_of(stream)
    await live_through(gate)
    expected = [*LIFE, *([] if session_id else [ELSEWHERE]), *AT_ONCE]
    told = await take(stream, len(expected))
    stream.cancel()
    assert [brief(each) for each in told] == expected


@pytest.mark.parametrize("session_id", ["s", ""], ids=["one", "all"])
async def test_a_watch_resumes_from_every_cursor(gate: Gate, session_id: str) -> None:
    """From each cursor, a new watch tells exactly what came after it, as it was told live."""
    await gate.ask(call(call_id="before", session_id="earlier"))
    stream = watch(gate, session_id)
    start = (await begun(stream) if not session_id else await take(stream, 1))[-1]
    await live_through(gate)
    last = (await log_of(gate))[-1].cursor
    live = [await next_of(stream)]
    while live[-1].cursor != last:
        live.append(await next_of(stream))
    stream.cancel()
    assert len({each.cursor for each in live}) == len(live)
    for place, cursor in enumerate([start.cursor, *(each.cursor for each in live[:-1])]):
        resumed = watch(gate, session_id, cursor)
        assert await take(resumed, len(live) - place) == live[place:]
        resumed.cancel()


async def test_a_resumed_watch_goes_on_live(gate: Gate, hub: WatchedHub) -> None:
    """From the last cursor nothing is told again, and the next change is."""
    await gate.ask(call())
    cursor = (await gate.prompts()).cursor
    await hub.until_followers(0)
    stream = watch(gate, "s", cursor)
    await hub.until_followers(1)
    await gate.answer(YES)
    assert brief(await next_of(stream)) == ("s", "", 0, "c1")
    stream.cancel()


async def test_a_cursor_of_one_watch_leads_another(gate: Gate) -> None:
    """Cursors are places in the log of the workspace: a watch of all goes on where one of a session was."""
    await gate.ask(call())
    cursor = (await gate.prompts()).cursor
    await gate.ask(call(session_id="other"))
    stream = watch(gate, "", cursor)
    assert (await next_of(stream)).session_id == "other"
    stream.cancel()


async def test_a_prompt_has_a_token_of_its_own(gate: Gate) -> None:
    """Every prompt that becomes active has another, the same for all who watch it."""
    watches = [watch(gate, "s"), watch(gate)]
    for each in watches:
        await next_of(each)
    tokens: list[str] = []
    for number in range(5):
        await gate.ask(call(f"make {number}", f"c{number}"))
        seen = [(await next_of(each)).prompt for each in watches]
        assert seen[0] == seen[1]
        tokens.append(seen[0].authority_token)
        await gate.approvals.ResolveApproval(resolution(seen[0], YES))
        for each in watches:
            await next_of(each)
    for each in watches:
        each.cancel()
    assert all(tokens)
    assert len(set(tokens)) == 5


async def test_a_token_stays_while_its_prompt_is_active(gate: Gate) -> None:
    """Others that queue up or leave behind it change nothing about it."""
    await gate.ask(call("make 0", "c0"))
    prompt = await gate.prompt()
    await gate.ask(call("make 1", "c1"))
    await gate.ask(call("make 2", "c2"))
    await gate.approvals.CancelApproval(CancelApprovalRequest(session_id="s", call_id="c1"))
    assert await gate.prompt() == prompt


async def test_an_expired_prompt_makes_room(gate: Gate, clock: SkippingClock) -> None:
    """Watchers see the next prompt when nobody answered in time; the expired one is no answer."""
    stream = watch(gate, "s")
    await next_of(stream)
    await gate.ask(call("make 0", "c0", expires_after=span(60)))
    await gate.ask(call("make 1", "c1"))
    clock.skip(minutes=1)
    told = [brief(await next_of(stream)) for _ in range(3)]
    stream.cancel()
    assert told[-1] == ("s", "c1", 1, "")


async def test_an_altered_or_foreign_cursor_is_refused(gate: Gate, tmp_path: Path) -> None:
    """Neither one with a character changed nor one of another database leads into this log."""
    await gate.ask(call())
    cursor = (await gate.prompts()).cursor
    async with open_gate(tmp_path / "other.db") as other:
        for number in range(3):
            await other.ask(call(f"make {number}", f"c{number}"))
        foreign = (await other.prompts()).cursor
    altered = ("B" if cursor[0] == "A" else "A") + cursor[1:]
    for session_id in ("s", ""):
        for bad in (altered, foreign, cursor[:-1], "nonsense", "für"):
            told, refusal = await cut_off(watch(gate, session_id, bad))
            assert told == []
            Bad(WATCH, "INVALID_CURSOR", b"", {"field": "cursor"}).check(refusal)


@pytest.mark.parametrize("session_id", ["s", ""], ids=["one", "all"])
async def test_a_stopping_server_gives_a_cursor(tmp_path: Path, session_id: str) -> None:
    """From the cursor in the refusal, the next server tells what came since, and only that."""
    async with open_gate(tmp_path / "plangate.db") as gate:
        await gate.ask(call())
        stream = watch(gate, session_id)
        last = (await begun(stream) if not session_id else await take(stream, 1))[-1]
        await gate.stop()
        told, refusal = await cut_off(stream)
    assert told == []
    Bad(WATCH, "SHUTTING_DOWN", b"", {"cursor": last.cursor}).check(refusal)
    async with open_gate(tmp_path / "plangate.db") as gate:
        await gate.answer(YES)
        resumed = watch(gate, session_id, last.cursor)
        assert brief(await next_of(resumed)) == ("s", "", 0, "c1")
        resumed.cancel()


async def test_an_idle_watch_moves_on(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """A watch of a quiet session gets a checkpoint past what others did, which says nothing of its prompt,
    and from which it resumes without a gap.
    """
    monkeypatch.setattr(streams, "CHECKPOINT_SECONDS", 0.02)
    await gate.ask(call())
    stream = watch(gate, "s")
    first = await next_of(stream)
    assert (first.prompt.call_id, first.checkpoint) == ("c1", False)
    await gate.ask(call("make 1", "c2", session_id="loud"))
    moved = await next_of(stream)
    assert (moved.checkpoint, moved.session_id, moved.cursor != first.cursor) == (True, "", True)
    stream.cancel()
    await gate.ask(call("make 2", "c3"))
    resumed = watch(gate, "s", moved.cursor)
    assert brief(await next_of(resumed)) == ("s", "c1", 2, "")
    resumed.cancel()


async def test_who_comes_back_too_late_is_told_so(tmp_path: Path) -> None:
    """A cursor into what is no longer kept is refused, never a gap; from the oldest one it goes on."""
    async with open_gate(tmp_path / "plangate.db") as gate:
        await gate.ask(call())
        cursor = (await gate.prompts()).cursor
        await gate.answer(YES)
        session = await gate.session()
    async with BACKENDS["sqlite"].open(tmp_path) as node:
        tomorrow = datetime.now(UTC) + timedelta(days=1)
        await node.store.forget(events_before=tomorrow, requests_before=tomorrow)
    async with open_gate(tmp_path / "plangate.db") as gate:
        of_session = gate.sessions.WatchSession(WatchSessionRequest(session_id="s", cursor=cursor))
        oldest: set[str] = set()
        for stream in (watch(gate, "s", cursor), watch(gate, "", cursor), of_session):
            told, refusal = await cut_off(stream)
            assert (told, refusal.status, refusal.reason) == ([], "OUT_OF_RANGE", "CURSOR_EXPIRED")
            oldest.add(refusal.metadata["oldest_cursor"])
        assert await gate.session() == session
        await gate.ask(call("make again", "c2"))
        resumed = watch(gate, "s", *oldest)
        assert brief(await next_of(resumed)) == ("s", "c2", 1, "c1")
        resumed.cancel()


@pytest.mark.parametrize("session_id", ["", "s"])
async def test_a_watch_of_an_empty_log_can_be_resumed(gate: Gate, session_id: str) -> None:
    """It begins with a cursor like any other, which leads to what came first, and to no new snapshot."""
    stream = watch(gate, session_id)
    [beginning] = await take(stream, 1)
    stream.cancel()
    assert beginning.cursor
    for number in range(2):
        await gate.ask(call(f"make {number}", f"c{number}"))
    resumed = watch(gate, session_id, beginning.cursor)
    told = await take(resumed, 2)
    resumed.cancel()
    assert [brief(each) for each in told] == [("s", "c0", 1, ""), ("s", "c0", 2, "")]


LARGE = "echo " + "x" * 200_000
FILLING = 40


async def test_a_reader_that_takes_nothing_learns_where_to_resume(
    sending_clock: SendingClock, gate: Gate, hub: WatchedHub
) -> None:
    """It is cut off with SLOW_CONSUMER; what it was told and what follows the cursor are all changes."""
    async with connected(gate.address) as elsewhere:
        slow = watch(elsewhere, "s")
        await next_of(slow)
        for number in range(FILLING):
            await gate.ask(call(f"{LARGE} {number}", f"c{number}"))
            await gate.answer(YES)
        with sending_clock.going():
            await hub.until_followers(0)
        told, refusal = await cut_off(slow)
        assert (refusal.status, refusal.reason) == ("RESOURCE_EXHAUSTED", "SLOW_CONSUMER")
        log = [event.cursor for event in await log_of(gate)]
        again = watch(gate, "s", refusal.metadata["cursor"])
        resumed = [await next_of(again)]
        while resumed[-1].cursor != log[-1]:
            resumed.append(await next_of(again))
        again.cancel()
    assert list(dict.fromkeys(each.cursor for each in (*told, *resumed))) == log
