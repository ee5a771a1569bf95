"""A session that was forgotten begins anew, whatever a node still knows of it by heart."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from plangate_server.domain.events import SessionChange
from plangate_server.domain.sessions import FullAccessState, Session, SessionMode, begin
from plangate_server.ports import Store, Writing
from tests.helpers.backends import Backend, every_backend, save
from tests.helpers.domain import NOW, a_proposal
from tests.helpers.nodes import two_nodes

LONG_AGO, MEANWHILE = NOW - timedelta(days=200), NOW - timedelta(days=90)


def trusted(session: Session) -> Session:
    return replace(
        session,
        mode=SessionMode.FULL_ACCESS,
        full_access=FullAccessState.ACTIVE,
        full_access_confirmed=True,
        full_access_by="ann",
    )


def at_rest(session: Session) -> Session:
    return begin(session.workspace, session.session_id, LONG_AGO)


def touched(session: Session) -> Session:
    return replace(session, update_time=NOW)


async def go_on(store: Store, verb: Callable[[Session], Session]) -> Session:
    """Store what the verb makes of the session, which begins now if it is not there; gives what it was."""

    def work(writing: Writing) -> Session:
        session = writing.session("s-1") or begin("acme", "s-1", NOW)
        writing.save(SessionChange((verb(session),)))
        return session

    return await store.write("acme", work)


async def stored(store: Store) -> Session | None:
    return await store.read("acme", lambda reading: reading.session("s-1"))


@every_backend
async def test_it_begins_anew(backend: Backend, tmp_path: Path) -> None:
    """Also where the same node stored it last."""
    async with backend.open(tmp_path) as node:
        await save(node.store, a_proposal(1))  # or nobody would have written in the workspace
        await go_on(node.store, at_rest)
        await go_on(node.store, at_rest)
        await node.store.forget_ended(MEANWHILE)
        assert await stored(node.store) is None
        assert await go_on(node.store, touched) == begin("acme", "s-1", NOW)
        assert await go_on(node.store, touched) == begin("acme", "s-1", NOW)


@pytest.mark.postgres
async def test_what_another_node_remembers_does_not_come_back(tmp_path: Path) -> None:
    """Full access that ended elsewhere is over for good."""
    async with two_nodes(tmp_path) as (here, elsewhere):
        await save(here.store, a_proposal(1))
        await go_on(here.store, trusted)
        assert (await go_on(elsewhere.store, at_rest)).mode is SessionMode.FULL_ACCESS
        await elsewhere.store.forget_ended(MEANWHILE)
        assert await stored(here.store) is None
        assert (await go_on(here.store, touched)).mode is SessionMode.AGENT
        assert await stored(elsewhere.store) == begin("acme", "s-1", NOW)
