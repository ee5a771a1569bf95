"""The chain as an auditor reads it: whole from the first entry on, byte for byte, in pages that fit."""

import hashlib
import json
from pathlib import Path

import pytest

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_service_pb2 import DraftPlanRequest
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    AuditEntry,
    ListEventsRequest,
    ListEventsResponse,
)
from plangate_server.domain.limits import DEFAULTS
from plangate_server.ports import World
from plangate_server.usecases.audit import verify_audit
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from tests.helpers.audit_logs import tamper
from tests.helpers.backends import BACKENDS
from tests.helpers.domain import LATER, NOW, a_draft
from tests.helpers.gate import Gate, open_gate, proposal
from tests.helpers.tokens import LOCAL
from tests.helpers.tool_calls import call
from tests.helpers.world import NO_POLICY, NOBODY, CountingIds, ManualClock

MESSAGE_BYTES = 4 * 1024 * 1024
"""What a client takes by default."""


async def pages(gate: Gate, page_size: int = 1000) -> list[ListEventsResponse]:
    """Every page of the chain, but for the empty one that ends it."""
    found: list[ListEventsResponse] = []
    request = ListEventsRequest(chain=True, page_size=page_size)
    while (page := await gate.reviews.ListEvents(request)).entries:
        found.append(page)
        request.cursor = page.next_cursor
    assert page.next_cursor == request.cursor or not found
    return found


async def chain_of(gate: Gate, page_size: int = 1000) -> list[AuditEntry]:
    return [entry for page in await pages(gate, page_size) for entry in page.entries]


async def fill(gate: Gate) -> None:
    """Plans, a decision, a tool call of a session."""
    plan = await gate.propose(proposal("# One", session_id="one"))
    await gate.decide(plan, "approve")
    await gate.ask(call("make test"))
    await gate.propose(proposal("# Zwei \x01 ü"))


def check(entries: list[AuditEntry]) -> None:
    """What anyone can check who has SHA-256."""
    previous = ""
    for number, entry in enumerate(entries, start=1):
        hashed = hashlib.sha256(f"{previous}\n{entry.entry}".encode()).hexdigest()
        assert (entry.sequence, entry.previous_hash, entry.hash) == (number, previous, hashed)
        said = json.loads(entry.entry)
        assert (said[0], said[1]) == (LOCAL.workspace, number)
        if not entry.content_removed:
            assert hashlib.sha256(entry.content).hexdigest() == said[-1]
            assert isinstance(json.loads(entry.content), dict)
        previous = entry.hash


@pytest.mark.parametrize("page_size", [1, 3, 1000])
async def test_every_entry_can_be_checked_by_anyone(gate: Gate, page_size: int) -> None:
    """Of plans and of sessions alike, whatever the pages."""
    await fill(gate)
    chain = await chain_of(gate, page_size)
    listed = (await gate.reviews.ListEvents(ListEventsRequest())).entries
    check(chain)
    assert [(each.sequence, each.previous_hash, each.hash) for each in chain] == [
        (each.sequence, each.previous_hash, each.hash) for each in listed
    ]
    assert not any(each.HasField("event") or each.content_removed for each in chain)
    assert not any(each.entry or each.content for each in listed)


async def test_an_empty_log_has_an_empty_chain(gate: Gate) -> None:
    """And the cursor waits for what comes."""
    first = await gate.reviews.ListEvents(ListEventsRequest(chain=True))
    assert list(first.entries) == []
    await fill(gate)
    again = await gate.reviews.ListEvents(ListEventsRequest(chain=True, cursor=first.next_cursor))
    assert [entry.sequence for entry in again.entries] == list(range(1, len(again.entries) + 1))


async def test_entries_stay_when_retention_has_removed_their_content(tmp_path: Path) -> None:
    """They are read from the first on, marked as removed, and their hashes are what they were."""
    async with BACKENDS["sqlite"].open(tmp_path) as node:
        world = World(node.store, node.feed, ManualClock(), CountingIds(), NO_POLICY, NOBODY)
        await create_plan(world, LOCAL, CreatePlan(a_draft("# From last year")))
        head = await verify_audit(world, LOCAL, 0, "")
        await node.store.forget(events_before=LATER, requests_before=NOW)
    async with open_gate(tmp_path / "plangate.db") as gate:
        await fill(gate)
        chain = await chain_of(gate)
        check(chain)
        removed = [entry.sequence for entry in chain if entry.content_removed]
        assert removed == list(range(1, head.head_sequence + 1))
        assert not any(entry.content for entry in chain[: len(removed)])
        assert chain[head.head_sequence - 1].hash == head.head_hash
        cursor = (await pages(gate, page_size=1))[0].next_cursor
        rest = await gate.reviews.ListEvents(ListEventsRequest(chain=True, cursor=cursor))
        assert rest.entries[0].sequence == 2


async def test_content_that_somebody_took_away_is_not_said_to_be_removed(tmp_path: Path) -> None:
    """Only retention removes; anything else has to look like what it is."""
    async with open_gate(tmp_path / "plangate.db") as gate:
        await fill(gate)
    tamper(tmp_path / "plangate.db", "UPDATE events SET body = NULL WHERE sequence = 2")
    async with open_gate(tmp_path / "plangate.db") as gate:
        entry = (await chain_of(gate))[1]
    assert (entry.content, entry.content_removed) == (b"", False)


async def draft(gate: Gate, text: str) -> None:
    """A draft that is given up: its text stands in the log, and nowhere else."""
    stream = gate.agent.DraftPlan()
    await stream.write(DraftPlanRequest(args=CreatePlanArgs(plan=text)))
    await stream.done_writing()
    await stream


async def test_pages_stay_within_what_clients_take(gate: Gate) -> None:
    """Large content ends a page early; every entry is on exactly one."""
    for _ in range(5):
        await draft(gate, "# Plan\n" + "\n" * (DEFAULTS.plan_bytes // 2))
    found = await pages(gate)
    assert len(found) > 1
    assert all(page.ByteSize() < MESSAGE_BYTES for page in found)
    check([entry for page in found for entry in page.entries])
