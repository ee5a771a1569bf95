"""Tool calls in every store: found by their names, listed in their order, and each ended exactly once."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import aclosing
from datetime import timedelta
from functools import partial
from itertools import product
from pathlib import Path
from typing import TypeAlias, cast

import pytest
from msgspec.structs import replace

from plangate_server.domain.approvals import Approval, ApprovalDecision, ApprovalState
from plangate_server.domain.errors import CallAlreadyDecided
from plangate_server.domain.events import EventType, SessionChange, SessionEvent
from plangate_server.domain.review import DecisionSource
from plangate_server.domain.sessions import Session, begin
from plangate_server.domain.tools import ToolKind
from plangate_server.ports import (
    ApprovalFilter,
    EventFilter,
    Reading,
    RequestKey,
    Result,
    Store,
    World,
    Writing,
)
from plangate_server.usecases.audit import verify_audit
from plangate_server.usecases.cancel_approval import cancel_approval
from plangate_server.usecases.overdue import settle_overdue
from plangate_server.usecases.read_sessions import get_session
from plangate_server.usecases.request_approval import RequestApproval, request_approval
from plangate_server.usecases.resolve_approval import ResolveApproval, resolve_approval
from tests.helpers.backends import ALL, Backend, at_once, every_backend, every_database
from tests.helpers.conditions import PATIENCE
from tests.helpers.domain import LATER, NOW
from tests.helpers.nodes import PostgresNode, two_nodes
from tests.helpers.world import AGENT, PERSON, ManualClock

QUEUED, ACTIVE, DECIDED, CANCELLED, EXPIRED = ApprovalState
Nodes = tuple[PostgresNode, PostgresNode]
Verb: TypeAlias = Callable[[World, Approval], Coroutine[None, None, object]]
ROUNDS = 15
YES_AND_NO = (ApprovalDecision.APPROVED, ApprovalDecision.DENIED)


def a_call(
    number: int = 1, session_id: str = "s", state: ApprovalState = QUEUED, workspace: str = "acme"
) -> Approval:
    return Approval(
        f"{number:032x}",
        workspace,
        session_id,
        f"c-{number}",
        ToolKind.TERMINAL,
        "bash",
        "make",
        NOW,
        "bot",
        state,
    )


def a_change(*calls: Approval) -> SessionChange:
    """The calls, with the session that they are all of."""
    first = calls[0]
    queue = tuple(call.call_id for call in calls if call.waits)
    session = replace(begin(first.workspace, first.session_id, NOW), queue=queue)
    events = (
        SessionEvent(EventType.TOOL_CALL_REQUESTED, NOW, "bot", first.workspace, session, call)
        for call in calls
    )
    return SessionChange((session,), tuple(events), calls)


async def keep(store: Store, *calls: Approval) -> None:
    def work(writing: Writing) -> None:
        writing.session(calls[0].session_id)
        writing.save(a_change(*calls))

    await store.write(calls[0].workspace, work)


async def call_in(store: Store, call: Approval, workspace: str = "acme") -> Approval | None:
    return await store.read(workspace, lambda reading: reading.approval(call.session_id, call.call_id))


async def listed(store: Store, which: ApprovalFilter, workspace: str = "acme") -> Sequence[Approval]:
    return await store.read(workspace, lambda reading: reading.approvals(which, after="", limit=ALL))


@every_backend
async def test_a_call_is_found_as_it_was_stored(backend: Backend, tmp_path: Path) -> None:
    """Every field of it, inside a transaction and outside, by its session and its id."""
    full = replace(
        a_call(state=DECIDED),
        agent_id="coder",
        agents_signature="build",
        prompt="Why not?",
        metadata={"ticket": "7", "ü": "\n"},
        plan_id="1" * 32,
        build_id="2" * 32,
        todo_id="a",
        expire_time=LATER,
        active_time=NOW,
        authority_token="t",
        decision=ApprovalDecision.APPROVED_FOR_SESSION,
        source=DecisionSource.MANUAL,
        rule="r",
        reviewer="ada",
        feedback_text="Mind the gap",
        end_time=LATER,
    )
    async with backend.open(tmp_path) as node:
        assert await call_in(node.store, full) is None
        await keep(node.store, full)
        assert await call_in(node.store, full) == full
        assert await node.store.write("acme", lambda writing: writing.approval("s", "c-1")) == full
        assert await call_in(node.store, replace(full, session_id="t")) is None
        assert await call_in(node.store, replace(full, call_id="c-2")) is None


@every_database
async def test_calls_outlive_the_store(backend: Backend, tmp_path: Path) -> None:
    """Who waits, waits on after a restart."""
    async with backend.open(tmp_path) as node:
        await keep(node.store, a_call(1), a_call(2))
    async with backend.open(tmp_path) as node:
        assert await listed(node.store, ApprovalFilter()) == [a_call(1), a_call(2)]


@every_backend
async def test_a_transaction_sees_the_calls_it_saved(backend: Backend, tmp_path: Path) -> None:
    """And if it fails, nobody ever sees them."""

    def work(writing: Writing) -> None:
        writing.save(a_change(a_call()))
        assert writing.approval("s", "c-1") == a_call()
        raise RuntimeError("no")

    async with backend.open(tmp_path) as node:
        with pytest.raises(RuntimeError):
            await node.store.write("acme", work)
        assert await call_in(node.store, a_call()) is None
        assert await listed(node.store, ApprovalFilter()) == []


@every_database
async def test_a_batch_lays_its_calls_over_the_stored(backend: Backend, tmp_path: Path) -> None:
    """Each command sees the call as the one before it left it, in its own workspace only."""

    def go_on(state: ApprovalState, workspace: str, writing: Writing) -> ApprovalState | None:
        writing.session("s")
        before = writing.approval("s", "c-1")
        writing.save(a_change(a_call(state=state, workspace=workspace)))
        return before.state if before else None

    async with backend.open(tmp_path) as node:
        await keep(node.store, a_call())
        steps = [(ACTIVE, "acme"), (QUEUED, "elsewhere"), (DECIDED, "acme"), (CANCELLED, "elsewhere")]
        works = [(workspace, partial(go_on, state, workspace)) for state, workspace in steps]
        assert await at_once(node.store, works) == [QUEUED, None, ACTIVE, QUEUED]
        assert await call_in(node.store, a_call()) == a_call(state=DECIDED)
        other = a_call(state=CANCELLED, workspace="elsewhere")
        # Ids are given out once; here the same one stands in two workspaces, by their names they are two.
        assert await call_in(node.store, other, "elsewhere") == other


@every_backend
async def test_other_workspaces_see_no_calls(backend: Backend, tmp_path: Path) -> None:
    """Neither by name nor in lists."""
    async with backend.open(tmp_path) as node:
        await keep(node.store, a_call())
        assert await call_in(node.store, a_call(), "elsewhere") is None
        assert await listed(node.store, ApprovalFilter(), "elsewhere") == []
        assert await node.store.write("elsewhere", lambda writing: writing.approval("s", "c-1")) is None


def some_calls() -> list[Approval]:
    """Two of each state in each of two sessions, mixed."""
    pairs = [*product(ApprovalState, ("s", "t")), *product(ApprovalState, ("t", "s"))]
    return [a_call(number, session_id, state) for number, (state, session_id) in enumerate(pairs, start=1)]


async def keep_some(store: Store) -> list[Approval]:
    calls = some_calls()
    for session_id in ("s", "t"):
        await keep(store, *(call for call in calls if call.session_id == session_id))
    return calls


FILTERS = [
    ApprovalFilter(session_id, states)
    for session_id in ("", "s", "t", "u")
    for states in ((), (DECIDED,), (QUEUED, ACTIVE), (EXPIRED, CANCELLED, DECIDED), tuple(ApprovalState))
]


def pages(reading: Reading, which: ApprovalFilter, size: int) -> list[Approval]:
    found: list[Approval] = []
    while page := reading.approvals(which, after=found[-1].approval_id if found else "", limit=size):
        assert len(page) <= size
        found += page
    return found


@every_backend
async def test_lists_are_exact(backend: Backend, tmp_path: Path) -> None:
    """Every combination of session and states, in pages of any size: the calls that fit, oldest first."""
    async with backend.open(tmp_path) as node:
        calls = await keep_some(node.store)
        for which in FILTERS:
            expected = [
                call
                for call in calls
                if (not which.session_id or call.session_id == which.session_id)
                and (not which.states or call.state in which.states)
            ]
            for size in (1, 3, ALL):
                found = await node.store.read("acme", partial(pages, which=which, size=size))
                assert found == expected


@every_backend
async def test_a_call_moves_between_the_lists(backend: Backend, tmp_path: Path) -> None:
    """A call is listed under the state that it has now, and keeps its place."""
    async with backend.open(tmp_path) as node:
        await keep(node.store, a_call(1), a_call(2))
        await keep(node.store, a_call(1, state=DECIDED), a_call(2))
        assert await listed(node.store, ApprovalFilter(states=(QUEUED,))) == [a_call(2)]
        assert [call.call_id for call in await listed(node.store, ApprovalFilter())] == ["c-1", "c-2"]


@every_backend
async def test_overdue_calls_are_found(backend: Backend, tmp_path: Path) -> None:
    """Those that wait and whose time is over, in every workspace; never those that have ended."""
    due = [replace(call, expire_time=LATER) for call in some_calls() if call.session_id == "s"]
    early = LATER - timedelta(microseconds=1)
    async with backend.open(tmp_path) as node:
        await keep(node.store, *due, a_call(90))
        await keep(node.store, replace(a_call(91, workspace="elsewhere"), expire_time=LATER))
        assert await node.store.overdue_calls(early, ALL) == []
        waiting = {("acme", "s", call.call_id) for call in due if call.waits}
        expected = {*waiting, ("elsewhere", "s", "c-91")}
        assert {*await node.store.overdue_calls(LATER, ALL)} == expected
        assert len(await node.store.overdue_calls(LATER, 2)) == 2
        await keep(node.store, *(replace(call, state=EXPIRED) for call in due))
        assert await node.store.overdue_calls(LATER, ALL) == [("elsewhere", "s", "c-91")]


@pytest.fixture
async def nodes(tmp_path: Path) -> AsyncIterator[Nodes]:
    async with two_nodes(tmp_path) as opened:
        yield opened


async def ask(node: PostgresNode, session_id: str, call_id: str) -> Approval:
    call = Approval("", "", session_id, call_id, ToolKind.TERMINAL, "bash", "make", NOW, "")
    async with aclosing(request_approval(node.world, AGENT, RequestApproval(call))) as stream:
        return (await anext(stream)).approval


async def session_on(node: PostgresNode, session_id: str) -> Session:
    return (await get_session(node.world, AGENT, session_id)).session


@pytest.mark.postgres
async def test_calls_from_both_nodes_make_one_queue(nodes: Nodes) -> None:
    """In the order in which they were told, with one prompt; both nodes show the same."""
    for turn in range(ROUNDS):
        name = f"s-{turn}"
        await asyncio.gather(*(ask(nodes[place % 2], name, f"c-{place}") for place in range(6)))
        sessions = [await session_on(node, name) for node in nodes]
        assert sessions[0] == sessions[1]
        queue = sessions[0].queue
        assert sorted(queue) == [f"c-{place}" for place in range(6)]
        calls = {call.call_id: call for call in await listed(nodes[0].store, ApprovalFilter(name))}
        assert [calls[call_id].state for call_id in queue] == [ACTIVE, *[QUEUED] * 5]
    assert (await verify_audit(nodes[1].world, AGENT, 0, "")).valid


@pytest.mark.postgres
async def test_one_call_asked_for_on_both_nodes_is_one(nodes: Nodes) -> None:
    """A client that asks again elsewhere while the first is at work joins its own call."""
    for turn in range(ROUNDS):
        answers = await asyncio.gather(*(ask(node, f"s-{turn}", "c") for node in nodes))
        assert answers[0] == answers[1]
        assert (await session_on(nodes[0], f"s-{turn}")).queue == ("c",)


@pytest.mark.postgres
async def test_of_an_answer_and_a_cancel_one_wins(nodes: Nodes) -> None:
    """The other is refused and told how the call ended; every node shows that, and the next prompt."""
    for turn in range(ROUNDS):
        name = f"s-{turn}"
        first = await ask(nodes[0], name, "c-1")
        await ask(nodes[1], name, "c-2")
        command = ResolveApproval(name, "c-1", first.authority_token, ApprovalDecision.APPROVED)
        resolver, canceller = nodes if turn % 2 else nodes[::-1]
        answers = await asyncio.gather(
            resolve_approval(resolver.world, PERSON, command),
            cancel_approval(canceller.world, AGENT, name, "c-1", None),
            return_exceptions=True,
        )
        assert [isinstance(each, CallAlreadyDecided) for each in answers].count(True) == 1, answers
        ended = await call_in(nodes[0].store, replace(a_call(1, name), call_id="c-1"))
        assert ended is not None
        winner = next(each for each in answers if not isinstance(each, BaseException))
        assert ended == (winner.approval if isinstance(winner, SessionChange) else winner)
        for node in nodes:
            assert (await session_on(node, name)).queue == ("c-2",)
        shown = await call_in(nodes[1].store, replace(a_call(2, name), call_id="c-2"))
        assert shown is not None
        assert (shown.state, bool(shown.authority_token)) == (ACTIVE, True)


@pytest.mark.postgres
async def test_of_two_answers_one_counts(nodes: Nodes) -> None:
    """A yes here and a no there, at once: one is refused and told what the other said."""
    for turn in range(ROUNDS):
        name = f"s-{turn}"
        token = (await ask(nodes[turn % 2], name, "c")).authority_token
        answers = await asyncio.gather(
            *(
                resolve_approval(node.world, PERSON, ResolveApproval(name, "c", token, decision))
                for node, decision in zip(nodes, YES_AND_NO, strict=True)
            ),
            return_exceptions=True,
        )
        (winner,) = [each for each in answers if isinstance(each, SessionChange)]
        (loser,) = [each for each in answers if isinstance(each, CallAlreadyDecided)]
        assert winner.approval.decision is not None
        assert loser.metadata["outcome"] == winner.approval.decision.name
        for node in nodes:
            assert await call_in(node.store, winner.approval) == winner.approval


class Pausing:
    """What a command sees of the store; after its first look at a call, something happens elsewhere."""

    def __init__(self, writing: Writing, looked: threading.Event, done: threading.Event) -> None:
        self._writing = writing
        self._looked = looked
        self._done = done

    def approval(self, session_id: str, call_id: str) -> Approval | None:
        found = self._writing.approval(session_id, call_id)
        self._looked.set()
        assert self._done.wait(PATIENCE)
        return found

    def __getattr__(self, name: str) -> object:
        return getattr(self._writing, name)


class PausingStore:
    def __init__(self, store: Store, looked: threading.Event, done: threading.Event) -> None:
        self._store = store
        self._looked = looked
        self._done = done

    async def write(
        self, workspace: str, work: Callable[[Writing], Result], key: RequestKey | None = None
    ) -> Result:
        def paused(writing: Writing) -> Result:
            return work(cast(Writing, Pausing(writing, self._looked, self._done)))

        return await self._store.write(workspace, paused, key)

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


async def resolve(world: World, call: Approval) -> object:
    command = ResolveApproval("s", call.call_id, call.authority_token, ApprovalDecision.APPROVED)
    return await resolve_approval(world, PERSON, command)


async def cancel(world: World, call: Approval) -> object:
    return await cancel_approval(world, AGENT, "s", call.call_id, None)


async def expire(world: World, _: Approval) -> object:
    return await settle_overdue(world)


@pytest.mark.postgres
@pytest.mark.parametrize("late", [resolve, cancel, expire])
@pytest.mark.parametrize("quick", [resolve, cancel])
async def test_what_ends_a_call_during_a_look_counts(nodes: Nodes, quick: Verb, late: Verb) -> None:
    """A command that has looked at a call that then ends elsewhere does not end it a second time."""
    here, elsewhere = nodes
    call = Approval("", "", "s", "c", ToolKind.TERMINAL, "bash", "make", NOW, "")
    command = RequestApproval(call, expires_after=timedelta(hours=1))
    async with aclosing(request_approval(elsewhere.world, AGENT, command)) as stream:
        asked = (await anext(stream)).approval
    assert asked.expire_time is not None
    looked, done = threading.Event(), threading.Event()
    store = cast(Store, PausingStore(here.store, looked, done))
    clock = ManualClock(asked.expire_time) if late is expire else here.world.clock
    slow = asyncio.create_task(late(replace(here.world, store=store, clock=clock), asked))
    try:
        assert await asyncio.to_thread(looked.wait, PATIENCE)
        await quick(elsewhere.world, asked)
    finally:
        done.set()
    await asyncio.gather(slow, return_exceptions=True)
    ended = DECIDED if quick is resolve else CANCELLED
    found = await call_in(here.store, asked)
    assert found is not None
    assert found.state is ended
    counted = EventFilter(refusals=False)
    told = await here.store.read("acme", lambda reading: reading.events(counted, after=0, limit=ALL))
    assert len(told) == 2
    if late is not expire and late is not quick:
        assert isinstance(slow.exception(), CallAlreadyDecided)
