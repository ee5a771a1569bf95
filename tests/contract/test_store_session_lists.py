"""Lists of sessions in every store: those that began last first, each on one page, found by an index."""

from datetime import timedelta
from functools import partial
from itertools import combinations
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, create_engine

from plangate_server.domain.sessions import Session, SessionMode
from plangate_server.ports import Reading, SessionFilter, Store
from plangate_server.storage.session_reading import page_of_sessions
from tests.contract.test_store_sessions import a_session, change, keep
from tests.helpers.backends import ALL, BACKENDS, Backend, every_backend
from tests.helpers.domain import LATER, NOW

AGENT, PLAN, FULL = SessionMode.AGENT, SessionMode.PLAN, SessionMode.FULL_ACCESS


def some_sessions() -> list[Session]:
    """Of every mode, the newest first; some began in the same moment."""
    began = [NOW + timedelta(seconds=number // 2) for number in range(9)]
    modes = [AGENT, PLAN, FULL] * 3
    made = [
        replace(a_session(f"s-{number}"), create_time=time, mode=mode)
        for number, (time, mode) in enumerate(zip(began, modes, strict=True))
    ]
    return made[::-1]


async def stored(store: Store) -> list[Session]:
    """Written in another order than that in which they began."""
    sessions = some_sessions()
    await keep(store, *sorted(sessions, key=lambda each: each.session_id[::-1]))
    await keep(store, a_session("of others", "elsewhere"))
    return sessions


def pages(reading: Reading, which: SessionFilter, size: int) -> list[Session]:
    found: list[Session] = []
    while page := reading.sessions(which, after=found[-1].session_id if found else "", limit=size):
        assert len(page) <= size
        found += page
    return found


@every_backend
@pytest.mark.parametrize("size", [1, 2, 5, 9, 10])
async def test_pages_cover_every_session_once(backend: Backend, tmp_path: Path, size: int) -> None:
    """Whatever the page size, in the order of their beginnings, and nothing of another workspace."""
    async with backend.open(tmp_path) as node:
        sessions = await stored(node.store)
        found = await node.store.read("acme", lambda reading: pages(reading, SessionFilter(), size))
        assert found == sessions


@every_backend
async def test_modes_are_exact(backend: Backend, tmp_path: Path) -> None:
    """Every choice of modes gives the sessions in one of them, page after page, in the same order."""
    async with backend.open(tmp_path) as node:
        sessions = await stored(node.store)
        for count in (1, 2, 3):
            for modes in combinations(SessionMode, count):
                look = partial(pages, which=SessionFilter(modes), size=2)
                found = await node.store.read("acme", look)
                assert found == [each for each in sessions if each.mode in modes]


@every_backend
async def test_a_session_is_listed_as_it_is_now(backend: Backend, tmp_path: Path) -> None:
    """What changes moves it from one mode to another, and never to another place."""
    async with backend.open(tmp_path) as node:
        sessions = await stored(node.store)
        changed = await change(node.store, "s-3", mode=PLAN, update_time=LATER)
        every = await node.store.read("acme", lambda r: r.sessions(SessionFilter(), after="", limit=ALL))
        assert every == [changed if each.session_id == "s-3" else each for each in sessions]
        in_mode = SessionFilter((PLAN,))
        planning = await node.store.read("acme", lambda r: r.sessions(in_mode, after="", limit=ALL))
        assert changed in planning


@pytest.mark.parametrize("modes", [(), (PLAN,), (PLAN, FULL)])
@pytest.mark.parametrize("after", ["", "s-3"])
async def test_a_page_is_found_by_an_index(
    tmp_path: Path, modes: tuple[SessionMode, ...], after: str
) -> None:
    """Of a million sessions only those of the page are looked at: none is sorted that is not on it."""
    async with BACKENDS["sqlite"].open(tmp_path) as node:
        await stored(node.store)
    engine = create_engine(f"sqlite:///{tmp_path / 'plangate.db'}")
    with engine.connect() as connection:
        steps = steps_of(connection, SessionFilter(modes), after)
    engine.dispose()
    index = "sessions_by_mode (workspace=? AND mode=?" if modes else "sessions_by_time (workspace=?"
    assert sum(index in step for step in steps) == (len(modes) or 1)
    assert not any(step.startswith("SCAN sessions") for step in steps)
    assert sum("TEMP B-TREE" in step for step in steps) == bool(modes)


def steps_of(connection: Connection, which: SessionFilter, after: str) -> list[str]:
    query = page_of_sessions("acme", which, after, 2)
    said = query.compile(connection.engine, compile_kwargs={"literal_binds": True})
    return [row.detail for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {said}")]
