"""Sessions in every store: one state of each, seen by whoever looks after a write, and told in the log."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from plangate_server.domain.approvals import Approval
from plangate_server.domain.audit import Verifier
from plangate_server.domain.events import (
    DecidedText,
    Event,
    EventType,
    LogEvent,
    SessionChange,
    SessionEvent,
)
from plangate_server.domain.plan import Plan
from plangate_server.domain.session_life import drive, set_mode
from plangate_server.domain.sessions import (
    FsmEvent,
    FsmState,
    FullAccessState,
    Session,
    SessionMode,
    begin,
)
from plangate_server.domain.tools import ToolKind
from plangate_server.ports import EventFilter, PlanFilter, Reading, RequestKey, Store, Writing
from plangate_server.usecases.audit import verify_audit
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.read_plans import list_plans
from plangate_server.usecases.read_sessions import get_session
from plangate_server.usecases.request_approval import RequestApproval, request_approval
from plangate_server.usecases.session_modes import change_mode, confirm, report_event
from tests.helpers.backends import ALL, Backend, at_once, every_backend, every_database, save
from tests.helpers.conditions import PATIENCE
from tests.helpers.domain import LATER, NOW, a_draft, a_proposal
from tests.helpers.nodes import PostgresNode, two_nodes
from tests.helpers.world import AGENT, PERSON

MANY = 30
"""Enough for any store to count on its memory."""
ROUNDS = 15

Nodes = tuple[PostgresNode, PostgresNode]


def a_session(session_id: str = "s", workspace: str = "acme") -> Session:
    return begin(workspace, session_id, NOW)


def told(session: Session, type: EventType = EventType.SESSION_MOVED, message: str = "") -> SessionEvent:
    return SessionEvent(type, LATER, "ada", session.workspace, session, message=message)


async def keep(store: Store, *sessions: Session) -> None:
    """Store sessions of one workspace, as if something had moved each."""
    change = SessionChange(sessions, tuple(told(each) for each in sessions))
    await store.write(sessions[0].workspace, lambda writing: writing.save(change))


async def change(store: Store, session_id: str = "s", **fields: object) -> Session:
    """Read a stored session and save it with other fields, in one transaction."""

    def work(writing: Writing) -> Session:
        stored = writing.session(session_id)
        assert stored is not None
        changed = replace(stored, **fields)
        writing.save(SessionChange((changed,), (told(changed),)))
        return changed

    return await store.write("acme", work)


async def session_in(store: Store, session_id: str = "s", workspace: str = "acme") -> Session | None:
    return await store.read(workspace, lambda reading: reading.session(session_id))


async def powerful(store: Store, workspace: str = "acme") -> Sequence[Session]:
    return await store.write(workspace, lambda writing: writing.sessions_with_full_access())


async def events_in(store: Store, which: EventFilter | None = None, after: int = 0) -> Sequence[LogEvent]:
    look = which or EventFilter()
    return await store.read("acme", lambda reading: reading.events(look, after=after, limit=ALL))


@every_backend
async def test_a_session_is_found_as_it_was_stored(backend: Backend, tmp_path: Path) -> None:
    """Every field of it, inside a transaction and outside."""
    full = replace(
        a_session(),
        mode=SessionMode.FULL_ACCESS,
        full_access=FullAccessState.ACTIVE,
        full_access_confirmed=True,
        fsm_state=FsmState.PLAN_REVIEW,
        plan_id="1" * 32,
        in_review=("1" * 32, "2" * 32),
        queue=("c-1", "c-2"),
        last_call="c-0",
        update_time=LATER,
    )
    async with backend.open(tmp_path) as node:
        assert await session_in(node.store) is None
        await keep(node.store, full, a_session("t"))
        assert await session_in(node.store) == full
        assert await node.store.write("acme", lambda writing: writing.session("s")) == full
        assert await session_in(node.store, "t") == a_session("t")


@every_database
async def test_a_session_outlives_the_store(backend: Backend, tmp_path: Path) -> None:
    """With the place of its events in the log."""
    async with backend.open(tmp_path) as node:
        await keep(node.store, a_session())
        changed = await change(node.store, mode=SessionMode.PLAN)
        before = await events_in(node.store)
    async with backend.open(tmp_path) as node:
        assert await session_in(node.store) == changed
        assert await events_in(node.store) == before
        assert (await change(node.store, mode=SessionMode.AGENT)).mode is SessionMode.AGENT
        assert [event.sequence for event in await events_in(node.store)] == [1, 2, 3]


@every_backend
async def test_a_transaction_sees_what_it_saved(backend: Backend, tmp_path: Path) -> None:
    """And if it fails, nobody ever sees it."""

    def work(writing: Writing) -> None:
        writing.save(SessionChange((a_session(),), (told(a_session()),)))
        assert writing.session("s") == a_session()
        assert writing.session("t") is None
        raise RuntimeError("no")

    async with backend.open(tmp_path) as node:
        with pytest.raises(RuntimeError):
            await node.store.write("acme", work)
        assert await session_in(node.store) is None
        assert await events_in(node.store) == []


@every_database
async def test_commands_of_one_batch_build_on_each_other(backend: Backend, tmp_path: Path) -> None:
    """Each sees the session as the one before it left it, and what failed between them left nothing."""

    def append(call_id: str, writing: Writing) -> tuple[str, ...]:
        session = writing.session("s") or a_session()
        longer = replace(session, queue=(*session.queue, call_id))
        writing.save(SessionChange((longer,), (told(longer),)))
        if call_id == "bad":
            raise RuntimeError("no")
        return longer.queue

    async with backend.open(tmp_path) as node:
        works = [("acme", partial(append, call_id)) for call_id in ("a", "bad", "b", "c")]
        one, bad, *others = await at_once(node.store, works)
        assert isinstance(bad, RuntimeError)
        assert [one, *others] == [("a",), ("a", "b"), ("a", "b", "c")]
        stored = await session_in(node.store)
        assert stored == replace(a_session(), queue=("a", "b", "c"))
        assert [event.session_id for event in await events_in(node.store)] == ["s"] * 3


@every_backend
async def test_other_workspaces_see_nothing(backend: Backend, tmp_path: Path) -> None:
    """Sessions of the same name are different ones, in lists and in gates, too."""
    async with backend.open(tmp_path) as node:
        waiting = replace(a_session(), queue=("c",), full_access=FullAccessState.ACTIVE)
        await keep(node.store, waiting)
        assert await session_in(node.store, workspace="elsewhere") is None
        assert await powerful(node.store, "elsewhere") == []
        assert (await node.store.gate("elsewhere", "s")).session is None
        listed = await node.store.read("elsewhere", lambda r: r.waiting_sessions(after="", limit=ALL))
        assert listed == []


@every_database
async def test_a_batch_keeps_workspaces_apart(backend: Backend, tmp_path: Path) -> None:
    """Sessions of the same name in one batch are different ones."""

    def save(workspace: str, writing: Writing) -> Session | None:
        found = writing.session("s")
        own = replace(a_session("s", workspace), last_call=workspace)
        writing.save(SessionChange((own,), (told(own),)))
        return found

    async with backend.open(tmp_path) as node:
        await keep(node.store, a_session())
        names = ["acme", "elsewhere"]
        found = await at_once(node.store, [(name, partial(save, name)) for name in names])
        assert found == [a_session(), None]
        for name in names:
            session = await session_in(node.store, workspace=name)
            assert session is not None
            assert (session.workspace, session.last_call) == (name, name)


def pages_of_waiting(reading: Reading) -> list[str]:
    found: list[str] = []
    while page := reading.waiting_sessions(after=found[-1] if found else "", limit=2):
        found += [session.session_id for session in page]
    return found


@every_backend
async def test_sessions_in_which_calls_wait_are_listed(backend: Backend, tmp_path: Path) -> None:
    """In the order of their ids, page after page; one leaves the list when its queue is empty."""
    names = ["b", "a", "C", "aa", "é", "1", " "]
    async with backend.open(tmp_path) as node:
        await keep(node.store, *(replace(a_session(name), queue=("c",)) for name in names), a_session("idle"))
        assert await node.store.read("acme", pages_of_waiting) == sorted(names)
        await change(node.store, "a", queue=())
        left = await node.store.read("acme", lambda r: r.waiting_sessions(after="", limit=ALL))
        assert {session.session_id for session in left} == {*names} - {"a"}


@every_backend
async def test_sessions_with_full_access_are_found(backend: Backend, tmp_path: Path) -> None:
    """Those that have it, wait for it, or had it confirmed; as stored and as the transaction left them."""
    async with backend.open(tmp_path) as node:
        some = [
            replace(a_session("active"), full_access=FullAccessState.ACTIVE),
            replace(a_session("confirmed"), full_access_confirmed=True),
            replace(a_session("pending"), full_access=FullAccessState.PENDING_CONFIRMATION),
        ]
        await keep(node.store, a_session("none"), *reversed(some))
        assert await powerful(node.store) == some

        def work(writing: Writing) -> Sequence[Session]:
            assert writing.session("active") in writing.sessions_with_full_access()
            fresh = replace(a_session("fresh"), full_access=FullAccessState.ACTIVE)
            dropped = a_session("active")
            writing.save(SessionChange((fresh, dropped), (told(fresh),)))
            return writing.sessions_with_full_access()

        assert [each.session_id for each in await node.store.write("acme", work)] == [
            "confirmed",
            "fresh",
            "pending",
        ]
        assert [each.session_id for each in await powerful(node.store)] == ["confirmed", "fresh", "pending"]


@every_database
async def test_full_access_is_dropped_for_all_that_a_batch_gave_it(backend: Backend, tmp_path: Path) -> None:
    """A command finds what was given a moment before it, in the same batch."""

    def give(writing: Writing) -> int:
        session = replace(writing.session("s") or a_session(), full_access=FullAccessState.ACTIVE)
        writing.save(SessionChange((session,), (told(session),)))
        return 1

    def drop(writing: Writing) -> int:
        found = writing.sessions_with_full_access()
        fresh = tuple(replace(each, full_access=FullAccessState.HIDDEN) for each in found)
        if fresh:
            writing.save(SessionChange(fresh, tuple(told(each) for each in fresh)))
        return len(fresh)

    async with backend.open(tmp_path) as node:
        assert await at_once(node.store, [("acme", give), ("acme", drop), ("acme", drop)]) == [1, 1, 0]
        assert await powerful(node.store) == []


@every_backend
async def test_a_plan_and_its_session_are_stored_together(backend: Backend, tmp_path: Path) -> None:
    """Whoever sees the one sees the other, and the event tells of both."""
    async with backend.open(tmp_path) as node:
        led = drive(a_session(), a_proposal(1, session_id="s"))
        await node.store.write("acme", lambda writing: writing.save(led))
        assert await session_in(node.store) == led.session
        first, second = await events_in(node.store)
        assert isinstance(first, Event)
        assert (first.session, second.session) == (led.session, None)


@every_backend
async def test_a_gate_is_as_new_as_the_last_write(backend: Backend, tmp_path: Path) -> None:
    """Also one that was looked at before the session was there, and after every single change."""
    async with backend.open(tmp_path) as node:
        assert (await node.store.gate("acme", "s")).session is None
        await keep(node.store, a_session())
        assert (await node.store.gate("acme", "s")).session == a_session()
        for turn, mode in enumerate([*SessionMode, *SessionMode]):
            changed = await change(node.store, mode=mode)
            assert (await node.store.gate("acme", "s")).session == changed
            await keep(node.store, a_session(f"other {turn}"))
            assert (await node.store.gate("acme", "s")).session == changed
        led = await node.store.write("acme", _lead)
        assert (await node.store.gate("acme", "s")).session == led


def _lead(writing: Writing) -> Session | None:
    session = writing.session("s")
    assert session is not None
    led = drive(session, a_proposal(1, session_id="s"))
    writing.save(led)
    return led.session


@every_backend
async def test_a_gate_never_goes_back(backend: Backend, tmp_path: Path) -> None:
    """Looked at all the time while the session changes, it never shows an older state than before."""
    async with backend.open(tmp_path) as node:
        await keep(node.store, a_session())
        done = asyncio.Event()

        async def look() -> list[int]:
            seen = []
            while not done.is_set():
                session = (await node.store.gate("acme", "s")).session
                assert session is not None
                seen.append(len(session.queue))
                await asyncio.sleep(0)
            return seen

        lookers = [asyncio.create_task(look()) for _ in range(3)]
        for count in range(1, MANY):
            changed = await change(node.store, queue=("c",) * count)
            assert (await node.store.gate("acme", "s")).session == changed
        done.set()
        for seen in await asyncio.gather(*lookers):
            assert seen == sorted(seen)


@every_backend
async def test_events_of_sessions_stand_in_the_log(backend: Backend, tmp_path: Path) -> None:
    """Each as it was told, numbered with the plans' in the order of commits, and the chain holds."""
    async with backend.open(tmp_path) as node:
        session = a_session()
        call = Approval("1" * 32, "acme", "s", "c", ToolKind.EDIT, "patch", "+1", NOW, "bot")
        whole = SessionEvent(EventType.MEMORY_RESET, LATER, "ada", "acme", cleared=3, message="why")
        cause = DecidedText("2" * 32, 1, "d" * 64, "3" * 32)
        some = [
            replace(told(session, EventType.SESSION_MODE_CHANGED, "AGENT"), cause=cause),
            replace(told(session, EventType.TOOL_CALL_REQUESTED), approval=call),
            whole,
        ]
        await node.store.write("acme", lambda writing: writing.save(a_proposal(1, session_id="s")))
        await node.store.write("acme", lambda writing: writing.save(SessionChange((session,), tuple(some))))
        await node.store.write("acme", lambda writing: writing.save(a_proposal(2)))
        found = await events_in(node.store)
        assert [event.sequence for event in found] == [1, 2, 3, 4, 5, 6, 7]
        assert found[2:5] == [replace(each, sequence=place) for place, each in enumerate(some, start=3)]
        links = await node.store.read("acme", lambda reading: reading.links(after=0, limit=ALL))
        verifier = Verifier()
        verifier.follow(links)
        verdict = verifier.verdict()
        assert (verdict.valid, verdict.checked) == (True, 7)
        assert links[3].entry.digest == call.digest


@every_backend
async def test_events_of_sessions_are_filtered(backend: Backend, tmp_path: Path) -> None:
    """By session, by type, and with nothing that happened without a plan; whatever part is asked for."""
    async with backend.open(tmp_path) as node:
        for session_id in ("s", "t"):
            await keep(node.store, a_session(session_id))
        for number, session_id in ((1, "s"), (2, "t"), (3, "")):
            await save(node.store, a_proposal(number, session_id=session_id))
        whole = SessionEvent(EventType.MEMORY_RESET, LATER, "ada", "acme")
        await node.store.write("acme", lambda writing: writing.save(SessionChange(events=(whole,))))
        log = await events_in(node.store)
        assert len(log) == 9
        moved = frozenset({EventType.SESSION_MOVED, EventType.MEMORY_RESET})
        for which in [
            EventFilter(session_id="s"),
            EventFilter(session_id="t", types=moved),
            EventFilter(types=moved),
            EventFilter(only_plans=True),
            EventFilter(session_id="s", only_plans=True),
            EventFilter(types=moved, only_plans=True),
            EventFilter(session_id="nobody"),
        ]:
            for after in (0, 1, 5):
                expected = [event for event in log[after:] if which.matches(event)]
                assert await events_in(node.store, which, after) == expected


@every_backend
async def test_a_feed_tells_of_sessions(backend: Backend, tmp_path: Path) -> None:
    """Who follows a session gets its events as they are stored, those of its plans among them."""
    async with backend.open(tmp_path) as node:
        with node.feed.follow("acme", EventFilter(session_id="s")) as stream:
            await keep(node.store, a_session("t"))
            await keep(node.store, a_session())
            await node.store.write("acme", lambda writing: writing.save(a_proposal(1, session_id="s")))
            found = [await stream.next(30) for _ in range(3)]
            assert found == await events_in(node.store, EventFilter(session_id="s"))


KEY = RequestKey("bot", "r-1", "same")


async def answered(store: Store) -> SessionChange:
    """A request that changes a session's mode, remembered with its answer."""

    def work(writing: Writing) -> SessionChange:
        change = set_mode(a_session(), SessionMode.PLAN, "bot", LATER)
        call = Approval("1" * 32, "acme", "s", "c", ToolKind.EDIT, "patch", "+1", NOW, "bot")
        answer = replace(change, approvals=(call,))
        writing.save(answer)
        writing.remember(KEY, answer)
        return answer

    return await store.write("acme", work)


@every_backend
async def test_an_answer_about_a_session_is_recalled(backend: Backend, tmp_path: Path) -> None:
    """As the request left it, without its events, whatever happened to the session since."""
    async with backend.open(tmp_path) as node:
        answer = await answered(node.store)
        await change(node.store, mode=SessionMode.AGENT)
        recalled = await node.store.write("acme", lambda writing: writing.recall(KEY), KEY)
        assert isinstance(recalled, SessionChange)
        assert replace(recalled, events=()) == replace(answer, events=())


@every_database
async def test_an_answer_about_a_session_outlives_the_store(backend: Backend, tmp_path: Path) -> None:
    """Whoever asks again after a restart gets the answer that was given before it."""
    async with backend.open(tmp_path) as node:
        answer = await answered(node.store)
    async with backend.open(tmp_path) as node:
        recalled = await node.store.write("acme", lambda writing: writing.recall(KEY), KEY)
        assert recalled == replace(answer, events=())


@pytest.fixture
async def nodes(tmp_path: Path) -> AsyncIterator[Nodes]:
    async with two_nodes(tmp_path) as opened:
        yield opened


async def propose(node: PostgresNode, session_id: str, text: str = "# A plan") -> Plan:
    return await create_plan(node.world, AGENT, CreatePlan(a_draft(text), session_id=session_id))


async def ask(node: PostgresNode, session_id: str, call_id: str) -> Approval:
    call = Approval("", "", session_id, call_id, ToolKind.MCP, "tool", "{}", NOW, "")
    async with aclosing(request_approval(node.world, AGENT, RequestApproval(call))) as stream:
        return (await anext(stream)).approval


@pytest.mark.postgres
async def test_two_nodes_make_one_session(nodes: Nodes) -> None:
    """Plans and calls at once in a session that nobody named: one plan, one queue, one prompt."""
    for turn in range(ROUNDS):
        name = f"s-{turn}"
        results = await asyncio.gather(
            *(propose(node, name) for node in nodes),
            *(ask(node, name, f"c-{place}") for place, node in enumerate(nodes)),
        )
        plans = [each for each in results if isinstance(each, Plan)]
        assert len({plan.plan_id for plan in plans}) == 1
        listed, _ = await list_plans(nodes[0].world, AGENT, PlanFilter(session_id=name), 0, "")
        assert [plan.plan_id for plan in listed] == [plans[0].plan_id]
        views = [await get_session(node.world, AGENT, name) for node in nodes]
        assert views[0] == views[1]
        session = views[0].session
        assert session.plan_id == plans[0].plan_id
        assert session.in_review == (plans[0].plan_id,)
        assert sorted(session.queue) == ["c-0", "c-1"]
    assert (await verify_audit(nodes[1].world, AGENT, 0, "")).valid


@pytest.mark.postgres
async def test_a_session_made_during_a_look_counts(nodes: Nodes) -> None:
    """Who found none at first is run again, also if a second look would have shown it."""
    looked, made = threading.Event(), threading.Event()

    def work(writing: Writing) -> bool:
        first = writing.session("s")
        if not looked.is_set():
            looked.set()
            made.wait(PATIENCE)
        session = replace(writing.session("s") or a_session(), plan_id="p")
        writing.save(SessionChange((session,), (told(session),)))
        return first is None

    writing = asyncio.create_task(nodes[0].store.write("acme", work))
    await asyncio.to_thread(looked.wait, PATIENCE)
    await keep(nodes[1].store, a_session())
    made.set()
    assert not await writing


@pytest.mark.postgres
async def test_what_another_node_did_to_a_session_counts(nodes: Nodes) -> None:
    """A node that knows the session by heart as it was before still does the right thing to it."""
    here, elsewhere = nodes
    for turn in range(MANY):
        await report_event(here.world, AGENT, "warm", FsmEvent.RESET, None)
        await propose(here, f"warm-{turn}")
    await change_mode(here.world, PERSON, "s", SessionMode.AGENT, None)
    await change_mode(elsewhere.world, PERSON, "s", SessionMode.PLAN, None)
    assert (await ask(here, "s", "c-1")).rule == "plan_mode"
    await change_mode(elsewhere.world, PERSON, "s", SessionMode.FULL_ACCESS, None)
    view = await confirm(here.world, PERSON, "s", confirm=True, key=None)
    assert view.session.mode is SessionMode.FULL_ACCESS
    assert (await ask(elsewhere, "s", "c-2")).rule == "full_access"
    plan = await propose(elsewhere, "s")
    again = await propose(here, "s", "# Other words")
    assert (again.plan_id, again.revision.number) == (plan.plan_id, 2)
    assert (again.state, plan.revision.number) == (plan.state, 1)
    assert (await get_session(here.world, AGENT, "s")).session.mode is SessionMode.FULL_ACCESS
    assert (await verify_audit(here.world, AGENT, 0, "")).valid


@pytest.mark.postgres
async def test_no_node_asks_an_old_gate(nodes: Nodes) -> None:
    """What one node has answered, the other's very next look shows."""
    here, elsewhere = nodes
    for turn in range(ROUNDS):
        mode = SessionMode.PLAN if turn % 2 else SessionMode.AGENT
        writer, reader = (here, elsewhere) if turn % 3 else (elsewhere, here)
        view = await change_mode(writer.world, PERSON, "s", mode, None)
        assert (await reader.store.gate("acme", "s")).session == view.session


@pytest.mark.postgres
async def test_of_two_answers_about_full_access_one_counts(nodes: Nodes) -> None:
    """A yes here and a no there, at once: one of them is refused, and both nodes show the other."""
    for turn in range(ROUNDS):
        name = f"s-{turn}"
        await change_mode(nodes[0].world, PERSON, name, SessionMode.FULL_ACCESS, None)
        answers = await asyncio.gather(
            *(
                confirm(node.world, PERSON, name, confirm=bool(place), key=None)
                for place, node in enumerate(nodes)
            ),
            return_exceptions=True,
        )
        refused = [each for each in answers if isinstance(each, BaseException)]
        assert len(refused) == 1
        (winner,) = [each for each in answers if not isinstance(each, BaseException)]
        for node in nodes:
            assert (await get_session(node.world, AGENT, name)).session == winner.session
