"""Backups made under load, restored elsewhere: whole, and nothing that was answered before is missing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from plangate_proto.aiserver.v1.plan_review_service_pb2 import VerifyAuditRequest, WatchReviewsRequest
from tests.e2e.copies import Copies
from tests.e2e.processes import serving
from tests.e2e.wholeness import all_plans, check_whole
from tests.e2e.workload import Ledger, send, work
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, connected
from tests.helpers.streams import cut_off
from tests.rpc.steps import watching

COPIES = 3
AGENTS = 6
BETWEEN = 40
"""Writes that are answered between two backups, at least."""


async def cursor_now(gate: Gate) -> str:
    stream, events = await watching(gate)
    stream.cancel()
    return events[-1].cursor


async def answered(ledger: Ledger, more: int) -> None:
    ledger.want(more)
    async with asyncio.timeout(PATIENCE):
        await ledger.enough.wait()


async def check_restored(gate: Gate, ledger: Ledger, answers: dict[str, Any], head: tuple[int, str]) -> None:
    """Every answer is given again, and is no second effect; the log holds, up to where it is known."""
    created = {answer.plan.plan_uri for key, answer in answers.items() if key.endswith("-c")}
    plans = {plan.plan_uri for plan in await all_plans(gate)}
    assert created <= plans
    await check_whole(gate)
    for request_id, answer in answers.items():
        assert await send(gate, *ledger.sent[request_id]) == answer
    assert {plan.plan_uri for plan in await all_plans(gate)} == plans
    expected = VerifyAuditRequest(expected_head_sequence=head[0], expected_head_hash=head[1])
    assert (await gate.reviews.VerifyAudit(expected)).valid


async def check_cursors(gate: Gate, cursors: list[str]) -> None:
    """No cursor from before leads anywhere; without one, everything is there."""
    for cursor in cursors:
        told, refusal = await cut_off(gate.reviews.WatchReviews(WatchReviewsRequest(cursor=cursor)))
        assert (told, refusal.status, refusal.reason) == ([], "INVALID_ARGUMENT", "INVALID_CURSOR")
        assert "begin again without one" in refusal.fields["cursor"]
    own = await cursor_now(gate)
    plan = await gate.propose()
    stream, events = await watching(gate, cursor=own)
    stream.cancel()
    assert {event.plan_uri for event in events if event.plan_uri} == {plan.plan_uri}


async def test_a_backup_holds_what_was_answered_before(database: str, tmp_path: Path) -> None:
    """While agents and people go on, several are made; each is opened by a server and is whole."""
    ledger, copies = Ledger(), Copies(database, tmp_path)
    known: list[tuple[dict[str, Any], tuple[int, str]]] = []
    async with serving(database) as server, connected(server.address) as gate:
        early = await cursor_now(gate)
        working = [asyncio.create_task(work(gate, ledger, f"agent-{number}")) for number in range(AGENTS)]
        for number in range(COPIES):
            await answered(ledger, BETWEEN)
            audit = await gate.reviews.VerifyAudit(VerifyAuditRequest())
            known.append((dict(ledger.answered), (audit.head_sequence, audit.head_hash)))
            await copies.make(number)
            assert len(ledger.answered) > len(known[-1][0]), "nobody could write meanwhile"
        await answered(ledger, 1)
        late = await cursor_now(gate)
        for task in working:
            assert not task.done()
            task.cancel()
        await asyncio.gather(*working, return_exceptions=True)
    for number, (answers, head) in enumerate(known):
        restored = await copies.restore(number)
        async with serving(restored) as server, connected(server.address) as gate:
            await check_restored(gate, ledger, answers, head)
            await check_cursors(gate, [early, late])
