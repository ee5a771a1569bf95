"""Remembered decisions in every store: what reaches a session, what is forgotten, and gates that know it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from plangate_server.domain.approvals import Approval, ApprovalDecision
from plangate_server.domain.events import EventType, SessionChange, SessionEvent
from plangate_server.domain.remembering import Remembered, Scope
from plangate_server.domain.sessions import SessionMode, begin
from plangate_server.domain.tools import Call, ToolKind
from plangate_server.ports import Gate, Lookup, Reading, Store, Writing
from plangate_server.usecases.remembered import ResetKind, forget_remembered, list_remembered, reset_memory
from plangate_server.usecases.request_approval import RequestApproval, request_approval
from plangate_server.usecases.resolve_approval import Remember, ResolveApproval, resolve_approval
from plangate_server.usecases.session_modes import change_mode
from tests.helpers.backends import ALL, Backend, at_once, every_backend, every_database
from tests.helpers.domain import LATER, NOW
from tests.helpers.nodes import PostgresNode, two_nodes
from tests.helpers.world import AGENT, PERSON

MAKE = Call("bash", "make", kind=ToolKind.TERMINAL)
Nodes = tuple[PostgresNode, PostgresNode]
ROUNDS = 15


def a_memory(number: int = 1, session_id: str = "", *, expire: datetime | None = None) -> Remembered:
    return Remembered(
        f"{number:032x}",
        ToolKind.TERMINAL,
        "bash",
        "make",
        is_pattern=False,
        allows=True,
        scope=Scope.SESSION if session_id else Scope.WORKSPACE,
        reviewer="ada",
        create_time=NOW,
        session_id=session_id,
        expire_time=expire,
    )


def change_of(
    workspace: str, keep: Sequence[Remembered] = (), drop: Sequence[Remembered] = ()
) -> SessionChange:
    kept = (
        SessionEvent(EventType.DECISION_REMEMBERED, NOW, "ada", workspace, remembered=each) for each in keep
    )
    dropped = (
        SessionEvent(EventType.DECISION_FORGOTTEN, NOW, "ada", workspace, remembered=each) for each in drop
    )
    return SessionChange(events=(*kept, *dropped), remembered=tuple(keep), forgotten=tuple(drop))


async def keep(store: Store, *some: Remembered, workspace: str = "acme") -> None:
    await store.write(workspace, lambda writing: writing.save(change_of(workspace, some)))


async def drop(store: Store, *some: Remembered) -> None:
    await store.write("acme", lambda writing: writing.save(change_of("acme", (), some)))


async def memory_in(store: Store, session_id: str, workspace: str = "acme") -> Sequence[Remembered]:
    return await store.read(workspace, partial(memory_of, session_id))


def memory_of(session_id: str, lookup: Lookup) -> Sequence[Remembered]:
    return lookup.memory(session_id)


async def every(store: Store, workspace: str = "acme") -> Sequence[Remembered]:
    return await store.write(workspace, lambda writing: writing.every_remembered())


def allows(gate: Gate) -> bool:
    return gate.memory.allowing(MAKE, NOW) is not None


@every_backend
async def test_a_decision_is_found_as_it_was_stored(backend: Backend, tmp_path: Path) -> None:
    """Every field of it, inside a transaction and outside."""
    full = replace(a_memory(1, "s", expire=LATER), signature="make **", is_pattern=True, allows=False)
    async with backend.open(tmp_path) as node:
        await keep(node.store, full)
        id = full.remembered_id
        assert await node.store.read("acme", lambda reading: reading.remembered(id)) == full
        assert await node.store.write("acme", lambda writing: writing.remembered(id)) == full
        assert await node.store.read("acme", lambda reading: reading.remembered("nothing")) is None


@every_backend
async def test_a_memory_is_what_reaches_the_session(backend: Backend, tmp_path: Path) -> None:
    """Its own and the workspace's, oldest first, inside a transaction and outside."""
    some = [a_memory(1, "s"), a_memory(2), a_memory(3, "t"), a_memory(4, "s")]
    async with backend.open(tmp_path) as node:
        await keep(node.store, *reversed(some))
        for session_id, numbers in {"s": [0, 1, 3], "t": [1, 2], "u": [1]}.items():
            expected = [some[number] for number in numbers]
            assert await memory_in(node.store, session_id) == expected
            assert await node.store.write("acme", partial(memory_of, session_id)) == expected
        assert await every(node.store) == some


def pages(reading: Reading, size: int) -> list[Remembered]:
    found: list[Remembered] = []
    while page := reading.all_remembered(after=found[-1].remembered_id if found else "", limit=size):
        assert len(page) <= size
        found += page
    return found


@every_backend
async def test_all_that_is_remembered_is_listed(backend: Backend, tmp_path: Path) -> None:
    """Oldest first, those of single sessions included, in pages of any size."""
    some = [a_memory(number, "s" if number % 2 else "") for number in range(1, 8)]
    async with backend.open(tmp_path) as node:
        await keep(node.store, *some)
        for size in (1, 3, ALL):
            assert await node.store.read("acme", partial(pages, size=size)) == some


@every_backend
async def test_other_workspaces_remember_nothing_of_it(backend: Backend, tmp_path: Path) -> None:
    """Neither by name, nor in lists, nor in gates."""
    async with backend.open(tmp_path) as node:
        await keep(node.store, a_memory(1), a_memory(2, "s"))
        await keep(node.store, a_memory(3), workspace="third")
        id = a_memory(1).remembered_id
        assert await node.store.read("elsewhere", lambda reading: reading.remembered(id)) is None
        assert await node.store.write("elsewhere", lambda writing: writing.remembered(id)) is None
        assert await memory_in(node.store, "s", "elsewhere") == []
        assert await every(node.store, "elsewhere") == []
        assert await node.store.read("elsewhere", lambda r: r.all_remembered(after="", limit=ALL)) == []
        assert not allows(await node.store.gate("elsewhere", "s"))
        assert await every(node.store) == [a_memory(1), a_memory(2, "s")]


@every_backend
async def test_a_transaction_sees_what_it_remembers_and_forgets(backend: Backend, tmp_path: Path) -> None:
    """In every way of looking; and if it fails, all is as it was."""
    old, new = a_memory(1, "s"), a_memory(2)

    def work(writing: Writing) -> None:
        writing.save(change_of("acme", [new], [old]))
        assert writing.remembered(old.remembered_id) is None
        assert writing.remembered(new.remembered_id) == new
        assert writing.memory("s") == writing.every_remembered() == [new]
        writing.save(change_of("acme", [], [new]))
        assert writing.memory("s") == writing.every_remembered() == []
        raise RuntimeError("no")

    async with backend.open(tmp_path) as node:
        await keep(node.store, old)
        with pytest.raises(RuntimeError):
            await node.store.write("acme", work)
        assert await memory_in(node.store, "s") == await every(node.store) == [old]


@every_backend
async def test_one_decision_takes_the_place_of_another(backend: Backend, tmp_path: Path) -> None:
    """Remembered and forgotten in one change, both are done."""
    async with backend.open(tmp_path) as node:
        await keep(node.store, a_memory(1))
        change = change_of("acme", [a_memory(2)], [a_memory(1)])
        await node.store.write("acme", lambda writing: writing.save(change))
        assert await every(node.store) == [a_memory(2)]


@every_database
async def test_a_batch_lays_its_memory_over_the_stored(backend: Backend, tmp_path: Path) -> None:
    """Each command sees what those before it remembered and forgot, in its own workspace only."""

    def go_on(workspace: str, change: SessionChange, writing: Writing) -> list[str]:
        seen = [each.remembered_id[-1] for each in writing.memory("s")]
        assert seen == [each.remembered_id[-1] for each in writing.every_remembered()]
        writing.save(change)
        return seen

    steps = [
        ("acme", change_of("acme", [a_memory(2, "s")])),
        ("elsewhere", change_of("elsewhere", [a_memory(9)])),
        ("acme", change_of("acme", [a_memory(3)], [a_memory(1)])),
        ("elsewhere", change_of("elsewhere", [], [a_memory(9)])),
        ("acme", change_of("acme", [], [a_memory(2, "s")])),
        ("acme", change_of("acme", [a_memory(4)])),
    ]
    async with backend.open(tmp_path) as node:
        await keep(node.store, a_memory(1))
        works = [(workspace, partial(go_on, workspace, change)) for workspace, change in steps]
        seen = await at_once(node.store, works)
        assert seen == [["1"], [], ["1", "2"], ["9"], ["2", "3"], ["3"]]
        assert await every(node.store) == [a_memory(3), a_memory(4)]
        assert await every(node.store, "elsewhere") == []


@every_database
async def test_memory_outlives_the_store(backend: Backend, tmp_path: Path) -> None:
    """What was forgotten stays so, and a gate knows the rest at once."""
    async with backend.open(tmp_path) as node:
        await keep(node.store, a_memory(1, "s"), a_memory(2))
        await drop(node.store, a_memory(2))
    async with backend.open(tmp_path) as node:
        assert await every(node.store) == [a_memory(1, "s")]
        assert allows(await node.store.gate("acme", "s"))
        assert not allows(await node.store.gate("acme", "t"))


@every_backend
async def test_a_gate_knows_what_was_just_remembered(backend: Backend, tmp_path: Path) -> None:
    """After every single change, for every session that it reaches, and for those that nobody named."""
    async with backend.open(tmp_path) as node:
        sessions = ("s", "t", "never named")
        for turn in range(3):
            for reach, reached in (("", sessions), ("s", ("s",))):
                remembered = a_memory(10 * turn + len(reached), reach)
                await keep(node.store, remembered)
                for session_id in sessions:
                    assert allows(await node.store.gate("acme", session_id)) == (session_id in reached)
                await drop(node.store, remembered)
                for session_id in sessions:
                    assert not allows(await node.store.gate("acme", session_id))


@every_backend
async def test_a_gate_of_another_workspace_stays(backend: Backend, tmp_path: Path) -> None:
    """Also of one whose name begins alike."""
    async with backend.open(tmp_path) as node:
        await keep(node.store, a_memory(1), workspace="acme-two")
        for _ in range(2):
            assert allows(await node.store.gate("acme-two", "s"))
            assert not allows(await node.store.gate("acme", "s"))
            await keep(node.store, a_memory(2))
            assert allows(await node.store.gate("acme-two", "s"))
            await drop(node.store, a_memory(2))


@every_backend
async def test_a_gate_knows_memory_and_mode_of_one_commit(backend: Backend, tmp_path: Path) -> None:
    """Where both change together, nobody sees one without the other."""
    async with backend.open(tmp_path) as node:
        session = begin("acme", "s", NOW)
        told = SessionEvent(EventType.SESSION_MOVED, NOW, "ada", "acme", session)
        await node.store.write("acme", lambda w: w.save(SessionChange((session,), (told,))))
        done = asyncio.Event()

        async def look() -> None:
            while not done.is_set():
                gate = await node.store.gate("acme", "s")
                assert gate.session is not None
                assert allows(gate) == (gate.session.mode is SessionMode.PLAN)
                await asyncio.sleep(0)

        def turn(number: int, writing: Writing) -> None:
            stored = writing.session("s")
            assert stored is not None
            mode = SessionMode.PLAN if number % 2 else SessionMode.AGENT
            changed = replace(stored, mode=mode)
            memory = change_of("acme", [a_memory()]) if number % 2 else change_of("acme", [], [a_memory()])
            writing.save(replace(memory, sessions=(changed,)))

        looker = asyncio.create_task(look())
        for number in range(1, 21):
            await node.store.write("acme", partial(turn, number))
        done.set()
        await looker


@every_backend
async def test_what_is_long_out_of_date_is_removed(backend: Backend, tmp_path: Path) -> None:
    """Only what was out of date before the given time; what has no end stays for ever."""
    some = [
        a_memory(1, expire=NOW),
        a_memory(2, "s", expire=NOW + timedelta(microseconds=1)),
        a_memory(3, expire=LATER),
        a_memory(4),
    ]
    async with backend.open(tmp_path) as node:
        await keep(node.store, *some)
        assert allows(await node.store.gate("acme", "s"))
        await node.store.forget(events_before=None, requests_before=NOW)
        assert await every(node.store) == some
        await node.store.forget(events_before=None, requests_before=NOW + timedelta(microseconds=1))
        assert await every(node.store) == some[1:]
        await node.store.forget(events_before=None, requests_before=LATER + timedelta(days=3650))
        assert await every(node.store) == some[3:]
        assert allows(await node.store.gate("acme", "s"))


@pytest.fixture
async def nodes(tmp_path: Path) -> AsyncIterator[Nodes]:
    async with two_nodes(tmp_path) as opened:
        yield opened


async def ask(node: PostgresNode, call_id: str, session_id: str = "s") -> Approval:
    call = Approval("", "", session_id, call_id, ToolKind.TERMINAL, "bash", "make", NOW, "")
    async with aclosing(request_approval(node.world, AGENT, RequestApproval(call))) as stream:
        return (await anext(stream)).approval


@pytest.mark.postgres
async def test_what_one_node_remembers_the_other_knows(nodes: Nodes) -> None:
    """The very next call on the other node is answered by it; forgotten there, it is unknown here."""
    for turn in range(ROUNDS):
        here, elsewhere = nodes if turn % 2 else nodes[::-1]
        token = (await ask(here, f"a-{turn}")).authority_token
        remember = Remember(Scope.WORKSPACE)
        command = ResolveApproval("s", f"a-{turn}", token, ApprovalDecision.APPROVED, remember)
        (kept,) = (await resolve_approval(here.world, PERSON, command)).remembered
        assert allows(await elsewhere.store.gate("acme", "s"))
        assert (await ask(elsewhere, f"b-{turn}")).rule == f"remembered:{kept.remembered_id}"
        await forget_remembered(elsewhere.world, PERSON, kept.remembered_id, None)
        assert not allows(await here.store.gate("acme", "s"))


@pytest.mark.postgres
async def test_a_reset_reaches_what_another_node_remembers(nodes: Nodes) -> None:
    """Nothing is left over, and every full access is gone on both."""
    here, elsewhere = nodes
    await change_mode(here.world, PERSON, "s", SessionMode.FULL_ACCESS, None)
    for place, node in enumerate(nodes):
        token = (await ask(node, "c", f"t-{place}")).authority_token
        remember = Remember(Scope.SESSION)
        command = ResolveApproval(f"t-{place}", "c", token, ApprovalDecision.APPROVED, remember)
        await resolve_approval(node.world, PERSON, command)
    assert await reset_memory(elsewhere.world, PERSON, ResetKind.WORKSPACE_CHANGE, "", None) == 2
    assert (await list_remembered(here.world, PERSON, "", 0, ""))[0] == []
    session = (await here.store.gate("acme", "s")).session
    assert session is not None
    assert (session.mode, session.full_access.name) == (SessionMode.AGENT, "HIDDEN")
