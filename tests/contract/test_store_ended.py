"""What ended is forgotten after a while; what still counts for anything stays."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from plangate_server.domain.approvals import Approval
from plangate_server.domain.building import return_overdue
from plangate_server.domain.events import SessionChange
from plangate_server.domain.sessions import FullAccessState, Session, SessionMode, begin
from plangate_server.ports import Store, Writing
from plangate_server.storage import ended
from tests.contract.test_store_approvals import CANCELLED, DECIDED, QUEUED, a_call, call_in, keep
from tests.contract.test_store_credentials import credential, seen_from
from tests.contract.test_store_credentials import save as save_tokens
from tests.contract.test_store_memory import a_memory
from tests.contract.test_store_memory import keep as remember
from tests.helpers.backends import Backend, every_backend, go_on, plan_in, save, whole_log
from tests.helpers.domain import LATER, NOW, a_proposal, decided, started

LONG_AGO, MEANWHILE, RECENTLY = NOW - timedelta(days=9), NOW - timedelta(days=5), NOW - timedelta(days=1)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Much is looked at in more than one part."""
    monkeypatch.setattr(ended, "PART", 2)


def over(number: int, state: object = DECIDED, **fields: object) -> Approval:
    return replace(a_call(number, f"s-{number % 2}"), state=state, **fields)


@every_backend
async def test_calls(backend: Backend, tmp_path: Path) -> None:
    """Those that ended before the moment go; those that ended later, or wait, stay, however old they are."""
    old = [over(number, (DECIDED, CANCELLED)[number % 2], end_time=LONG_AGO) for number in range(1, 8)]
    kept = [over(8, end_time=RECENTLY), over(9, QUEUED, request_time=LONG_AGO)]
    async with backend.open(tmp_path) as node:
        for each in (*old, *kept):
            await keep(node.store, each)
        log = await node.store.read("acme", whole_log)
        await node.store.forget_ended(MEANWHILE)
        assert [await call_in(node.store, each) for each in old] == [None] * len(old)
        assert [await call_in(node.store, each) for each in kept] == kept
        assert await node.store.read("acme", whole_log) == log


@every_backend
async def test_tokens(backend: Backend, tmp_path: Path) -> None:
    """Those that were revoked, or expired, before; and it shows that another was made since."""
    gone = [credential(1, revoke_time=LONG_AGO), credential(2, expire_time=LONG_AGO)]
    kept = [credential(3), credential(4, revoke_time=RECENTLY), credential(5, expire_time=LATER)]
    async with backend.open(tmp_path) as node:
        await save_tokens(node.store, *gone, *kept)
        counted = await node.store.count_credentials()
        await node.store.forget_ended(MEANWHILE)
        for each in gone:
            assert await seen_from(node.store, each.principal.workspace, each.credential_id) == [None] * 2
        for each in kept:
            assert await seen_from(node.store, each.principal.workspace, each.credential_id) == [each] * 2
        await save_tokens(node.store, credential(6), credential(7, revoke_time=RECENTLY))
        assert await node.store.count_credentials() != counted


@every_backend
async def test_builds(backend: Backend, tmp_path: Path) -> None:
    """One that is over leaves the plan as it is; one under way stays."""
    build_ids = ["a" * 32, "0" * 31 + "b"]
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        await go_on(node.store, plan, decided)
        first = await go_on(node.store, plan, lambda plan: started(plan, build_ids[1]))
        lease = first.builds[0].lease_expire_time
        await go_on(
            node.store, plan, lambda plan: return_overdue(plan, lease) or pytest.fail("it is overdue")
        )
        now = await go_on(node.store, plan, lambda plan: started(plan, build_ids[0]))
        await node.store.forget_ended(lease + timedelta(days=1))
        found = [await node.store.read("acme", build_of(id)) for id in build_ids]
        assert found == [now.plan_id, None]
        assert await plan_in(node.store, "acme", plan.plan_id) == now


def build_of(build_id: str) -> Callable[..., str | None]:
    def look(reading: Writing) -> str | None:
        plan = reading.plan_of_build(build_id)
        return plan.plan_id if plan else None

    return look


@every_backend
async def test_sessions(backend: Backend, tmp_path: Path) -> None:
    """One at rest begins anew, as if it went on; what a person decided or is asked in it keeps it."""
    idle = [begin("acme", f"idle-{number}", LONG_AGO) for number in range(5)]
    kept = [
        begin("acme", "young", RECENTLY),
        replace(begin("acme", "lively", LONG_AGO), update_time=RECENTLY),
        replace(begin("acme", "planning", LONG_AGO), mode=SessionMode.PLAN),
        replace(begin("acme", "asking", LONG_AGO), full_access=FullAccessState.PENDING_CONFIRMATION),
        replace(begin("acme", "trusted", LONG_AGO), full_access_confirmed=True),
        replace(begin("acme", "reviewing", LONG_AGO), in_review=("1",)),
        replace(begin("acme", "waiting", LONG_AGO), queue=("c-1",)),
        begin("acme", "remembering", LONG_AGO),
        begin("acme", "called", LONG_AGO),
    ]
    async with backend.open(tmp_path) as node:
        await put(node.store, *idle, *kept)
        await remember(node.store, a_memory(1, "remembering"))
        called = replace(a_call(1, "called"), state=DECIDED, end_time=RECENTLY)
        await node.store.write("acme", lambda writing: writing.save(SessionChange(approvals=(called,))))
        await node.store.forget_ended(MEANWHILE)
        assert [await session_in(node.store, each) for each in idle] == [None] * len(idle)
        assert [await session_in(node.store, each) for each in kept] == kept
        again = replace(idle[0], update_time=NOW)
        await put(node.store, again)
        assert await session_in(node.store, again) == again


async def put(store: Store, *sessions: Session) -> None:
    def work(writing: Writing) -> None:
        for each in sessions:
            writing.session(each.session_id)
        writing.save(SessionChange(sessions))

    await store.write("acme", work)


async def session_in(store: Store, session: Session) -> Session | None:
    return await store.read("acme", lambda reading: reading.session(session.session_id))
