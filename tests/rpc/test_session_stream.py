"""WatchSession: the session as it is, then every change of it in order, without a gap or a repeat."""

import asyncio
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from plangate_proto.agent.v1.agent_session_service_pb2 import (
    ConfirmFullAccessRequest,
    ReportEventRequest,
    SetModeRequest,
    WatchSessionRequest,
    WatchSessionResponse,
)
from plangate_proto.agent.v1.tool_approval_service_pb2 import CancelApprovalRequest, ResetMemoryRequest
from plangate_server.usecases import streams
from tests.helpers.gate import Gate, connected, open_gate, proposal
from tests.helpers.resuming import log_of
from tests.helpers.streams import WatchedHub, cut_off, next_of
from tests.helpers.tokens import ADMIN
from tests.helpers.tool_calls import (
    FULL_ACCESS,
    PLAN,
    RESTART,
    YES,
    call,
    event,
    fsm_of,
    full_access_of,
    mode_of,
    remember,
)
from tests.rpc.bad_requests import Bad
from tests.rpc.sending import SendingClock

WATCH = "/agent.v1.SessionService/WatchSession"


def watch(gate: Gate, cursor: str = "", session_id: str = "s") -> Any:
    return gate.sessions.WatchSession(WatchSessionRequest(session_id=session_id, cursor=cursor))


async def take(stream: Any, count: int) -> list[WatchSessionResponse]:
    return [await next_of(stream) for _ in range(count)]


async def begin(gate: Gate, session_id: str = "s") -> None:
    """A session that is there, and nothing else."""
    await gate.sessions.ReportEvent(ReportEventRequest(session_id=session_id, event=event("RESET")))


async def live_through(gate: Gate) -> None:
    """Everything that can change a session, once."""
    await gate.sessions.ReportEvent(ReportEventRequest(session_id="s", event=event("RECEIVE_MESSAGE")))
    plan = await gate.propose(proposal(session_id="s"))
    await gate.decide(plan, "approve")
    await gate.ask(call("make one", "c1"))
    await gate.answer(YES, remember=remember())
    await gate.ask(call("make two", "c2"))
    await gate.approvals.CancelApproval(CancelApprovalRequest(session_id="s", call_id="c2"))
    await gate.sessions.SetMode(SetModeRequest(session_id="s", mode=FULL_ACCESS))
    await gate.sessions.ConfirmFullAccess(ConfirmFullAccessRequest(session_id="s", confirm=True))
    await gate.approvals.ResetMemory(ResetMemoryRequest(kind=RESTART, session_id="s"))


def brief(moment: WatchSessionResponse) -> tuple[str, str, str, int, bool]:
    session = moment.session
    return (
        fsm_of(session),
        mode_of(session),
        full_access_of(session),
        session.queue_length,
        session.waiting_for_plan_approval,
    )


LIFE = [
    ("CLASSIFY", "AGENT", "HIDDEN", 0, False),
    ("PLAN_REVIEW", "AGENT", "HIDDEN", 0, True),
    ("PLAN_EXECUTION", "AGENT", "HIDDEN", 0, False),
    ("PLAN_EXECUTION", "AGENT", "HIDDEN", 1, False),
    ("PLAN_EXECUTION", "AGENT", "HIDDEN", 0, False),
    ("PLAN_EXECUTION", "AGENT", "HIDDEN", 1, False),
    ("PLAN_EXECUTION", "AGENT", "HIDDEN", 0, False),
    ("PLAN_EXECUTION", "AGENT", "PENDING_CONFIRMATION", 0, False),
    ("PLAN_EXECUTION", "FULL_ACCESS", "ACTIVE", 0, False),
    ("PLAN_EXECUTION", "AGENT", "HIDDEN", 0, False),
]
"""How the session stands after each step."""


async def all_of(gate: Gate, cursor: str) -> list[WatchSessionResponse]:
    """Everything that a stream tells from a cursor on, up to a last change that is made for it."""
    stream = watch(gate, cursor)
    told: list[WatchSessionResponse] = []
    await gate.sessions.SetMode(SetModeRequest(session_id="s", mode=PLAN))
    while not told or mode_of(told[-1].session) != "PLAN":
        told.append(await next_of(stream))
    stream.cancel()
    return told


async def test_a_watch_begins_with_the_session_as_it_is(gate: Gate) -> None:
    """The first message is what GetSession gives, with a cursor."""
    await gate.ask(call())
    stream = watch(gate)
    first = await next_of(stream)
    stream.cancel()
    assert first.session == await gate.session()
    assert first.cursor
    assert first.actor == "plangate"


async def test_every_change_is_told_in_order(gate: Gate) -> None:
    """Reports, plans, calls, answers, modes and resets: each leads where it should, one after the other."""
    await begin(gate)
    stream = watch(gate)
    await next_of(stream)
    await live_through(gate)
    told = await all_of(gate, (await next_of(watch(gate))).cursor)
    assert len(told) == 1
    seen: list[WatchSessionResponse] = []
    while not seen or seen[-1].cursor != told[0].cursor:
        seen.append(await next_of(stream))
    stream.cancel()
    steps = [step for step, _ in groupby(map(brief, seen))]
    assert steps == [*LIFE, ("PLAN_EXECUTION", "PLAN", "HIDDEN", 0, False)]
    assert len({moment.cursor for moment in seen}) == len(seen)


async def test_a_change_says_when_and_by_whom(gate: Gate) -> None:
    """Time and actor are those of the event in the log."""
    await begin(gate)
    stream = watch(gate)
    await next_of(stream)
    await gate.ask(call(agent_id="builder-7"))
    await gate.answer(YES)
    told = await take(stream, 2)
    stream.cancel()
    assert [moment.actor for moment in told] == ["builder-7", ADMIN]
    log = (await log_of(gate))[-2:]
    assert [moment.event_time for moment in told] == [entry.event_time for entry in log]
    assert [moment.cursor for moment in told] == [entry.cursor for entry in log]


async def test_a_plan_and_its_session_move_together(gate: Gate) -> None:
    """Who has the answer of CreatePlan or SubmitReview reads a session that has moved, and is told of it."""
    await begin(gate)
    stream = watch(gate)
    await next_of(stream)
    plan = await gate.propose(proposal(session_id="s"))
    assert fsm_of(await gate.session()) == "PLAN_REVIEW"
    await gate.decide(plan, "requestChanges", "Sweep twice")
    told = await take(stream, 2)
    stream.cancel()
    assert [fsm_of(moment.session) for moment in told] == ["PLAN_REVIEW", "ARCHITECT_PLANNING"]
    assert {moment.session.plan_uri for moment in told} == {plan.plan_uri}


async def test_a_watch_resumes_from_every_cursor(gate: Gate) -> None:
    """From each cursor, a new watch tells exactly what came after it, as it was told live."""
    await begin(gate)
    stream = watch(gate)
    start = await next_of(stream)
    await live_through(gate)
    live = await all_of(gate, start.cursor)
    stream.cancel()
    for place, cursor in enumerate([start.cursor, *(moment.cursor for moment in live[:-1])]):
        resumed = watch(gate, cursor)
        assert await take(resumed, len(live) - place) == live[place:]
        resumed.cancel()


async def test_a_resumed_watch_waits_for_what_comes(gate: Gate, hub: WatchedHub) -> None:
    """From the last cursor nothing is told until something happens."""
    await begin(gate)
    stream = watch(gate)
    cursor = (await next_of(stream)).cursor
    stream.cancel()
    await hub.until_followers(0)
    resumed = watch(gate, cursor)
    await hub.until_followers(1)
    await gate.ask(call())
    told = await next_of(resumed)
    resumed.cancel()
    assert told.session.queue_length == 1


async def test_a_watch_tells_of_its_session_only(gate: Gate) -> None:
    """Other sessions move meanwhile; the cursor is still one of the whole log."""
    await begin(gate)
    stream = watch(gate)
    await next_of(stream)
    await begin(gate, "other")
    await gate.ask(call(session_id="other"))
    await gate.ask(call())
    told = await next_of(stream)
    stream.cancel()
    assert (told.session.session_id, told.session.queue_length) == ("s", 1)


async def test_watches_agree(gate: Gate) -> None:
    """Many watches of one session tell the same, message for message."""
    await begin(gate)
    watches = [watch(gate) for _ in range(10)]
    await asyncio.gather(*map(next_of, watches))
    await live_through(gate)
    told = await asyncio.gather(*(take(stream, len(LIFE)) for stream in watches))
    for stream in watches:
        stream.cancel()
    assert all(each == told[0] for each in told)


async def test_changes_made_at_once_come_in_one_order(gate: Gate) -> None:
    """Thirty calls asked for at once make the queue grow by one at a time."""
    await begin(gate)
    stream = watch(gate)
    await next_of(stream)
    await asyncio.gather(*(gate.ask(call(f"make {n}", f"c{n}")) for n in range(30)))
    told = await take(stream, 30)
    stream.cancel()
    assert [moment.session.queue_length for moment in told] == list(range(1, 31))


def altered(cursor: str) -> str:
    return ("B" if cursor[0] == "A" else "A") + cursor[1:]


async def test_an_altered_cursor_is_refused(gate: Gate) -> None:
    """A cursor with one character changed, or cut, or longer, is none of this service."""
    await begin(gate)
    cursor = (await next_of(watch(gate))).cursor
    for bad in (altered(cursor), cursor[:-1], cursor + "A", "nonsense", "für"):
        told, refusal = await cut_off(watch(gate, bad))
        assert told == []
        Bad(WATCH, "INVALID_CURSOR", b"", {"field": "cursor"}).check(refusal)


async def test_a_cursor_of_another_server_is_refused(gate: Gate, tmp_path: Path) -> None:
    """One that another database gave out does not lead into this log."""
    await begin(gate)
    async with open_gate(tmp_path / "other.db") as other:
        for _ in range(5):
            await begin(other)
        foreign = (await next_of(watch(other))).cursor
    told, refusal = await cut_off(watch(gate, foreign))
    assert told == []
    Bad(WATCH, "INVALID_CURSOR", b"", {"field": "cursor"}).check(refusal)


@pytest.mark.parametrize("resumes", [True, False], ids=["resumed", "new"])
async def test_an_unknown_session_is_refused(gate: Gate, *, resumes: bool) -> None:
    """There is nothing to watch before somebody names the session."""
    await begin(gate, "other")
    cursor = (await next_of(watch(gate, session_id="other"))).cursor if resumes else ""
    told, refusal = await cut_off(watch(gate, cursor))
    assert told == []
    Bad(WATCH, "SESSION_NOT_FOUND", b"", {"field": "session_id", "session_id": "s"}).check(refusal)


async def test_a_stopping_server_gives_a_cursor(tmp_path: Path) -> None:
    """The watch ends with SHUTTING_DOWN; from its cursor the next server tells what came since, only that."""
    async with open_gate(tmp_path / "plangate.db") as gate:
        await begin(gate)
        stream = watch(gate)
        first = await next_of(stream)
        await gate.stop()
        told, refusal = await cut_off(stream)
    assert told == []
    Bad(WATCH, "SHUTTING_DOWN", b"", {"cursor": first.cursor}).check(refusal)
    async with open_gate(tmp_path / "plangate.db") as gate:
        await gate.ask(call())
        resumed = watch(gate, first.cursor)
        assert (await next_of(resumed)).session == await gate.session()
        resumed.cancel()


async def test_an_idle_watch_resumes_far_behind_others(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint carries the cursor past what others did; it resumes there, and nothing is lost."""
    monkeypatch.setattr(streams, "CHECKPOINT_SECONDS", 0.02)
    await begin(gate)
    stream = watch(gate)
    first = await next_of(stream)
    await begin(gate, "other")
    moved = await next_of(stream)
    assert (moved.checkpoint, moved.HasField("session"), moved.cursor != first.cursor) == (True, False, True)
    stream.cancel()
    await gate.ask(call())
    resumed = watch(gate, cursor=moved.cursor)
    assert (await next_of(resumed)).session.queue_length == 1
    resumed.cancel()


LARGE = "echo " + "x" * 200_000
FILLING = 60
"""Large calls, answered one by one: each change shows the last answer whole."""


async def test_a_reader_that_takes_nothing_learns_where_to_resume(
    sending_clock: SendingClock, gate: Gate, hub: WatchedHub
) -> None:
    """It is cut off with SLOW_CONSUMER; what it was told and what follows the cursor are all changes."""
    await begin(gate)
    async with connected(gate.address) as elsewhere:
        slow = watch(elsewhere)
        first = await next_of(slow)
        for number in range(FILLING):
            await gate.ask(call(f"{LARGE} {number}", f"c{number}"))
            await gate.answer(YES)
        with sending_clock.going():
            await hub.until_followers(0)
        told, refusal = await cut_off(slow)
        assert (refusal.status, refusal.reason) == ("RESOURCE_EXHAUSTED", "SLOW_CONSUMER")
        last = (await log_of(gate))[-1].cursor
        again = watch(gate, refusal.metadata["cursor"])
        resumed = [await next_of(again)]
        while resumed[-1].cursor != last:
            resumed.append(await next_of(again))
        again.cancel()
    cursors = [moment.cursor for moment in (first, *told, *resumed)]
    assert len(dict.fromkeys(cursors)) == 2 * FILLING + 1
