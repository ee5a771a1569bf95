"""The event log as an audit trail: numbered without a gap, chained by hashes, and altered by nobody."""

from pathlib import Path

import pytest

from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    AuditEntry,
    ListEventsRequest,
    VerifyAuditRequest,
    VerifyAuditResponse,
)
from tests.helpers.audit_logs import inserting, swapping, tamper
from tests.helpers.gate import Gate, open_gate, proposal
from tests.helpers.refusals import refused
from tests.helpers.streams import types
from tests.rpc.steps import kinds


async def fill(gate: Gate) -> None:
    """Seven events of two plans."""
    plan = await gate.propose(proposal("# One", session_id="one"))
    await gate.propose(proposal("# Two", session_id="two"))
    await gate.decide(plan, "approve")
    await gate.propose(proposal("# Three"))


async def entries(gate: Gate, request: ListEventsRequest) -> list[AuditEntry]:
    return list((await gate.reviews.ListEvents(request)).entries)


async def verified(gate: Gate, sequence: int = 0, head_hash: str = "") -> VerifyAuditResponse:
    request = VerifyAuditRequest(expected_head_sequence=sequence, expected_head_hash=head_hash)
    return await gate.reviews.VerifyAudit(request)


async def test_entries_are_numbered_and_chained(gate: Gate) -> None:
    """Numbers have no gap, each entry names the hash before it, and the first has none before."""
    await fill(gate)
    log = await entries(gate, ListEventsRequest())
    assert [entry.sequence for entry in log] == list(range(1, 8))
    assert [entry.previous_hash for entry in log] == ["", *(entry.hash for entry in log[:-1])]
    assert all(len(entry.hash) == 64 for entry in log)
    assert len({entry.hash for entry in log}) == 7


@pytest.mark.parametrize("size", [1, 3, 7, 100])
async def test_pages_of_events_fit_together(gate: Gate, size: int) -> None:
    """From cursor to cursor every entry comes once; at the end the cursor stays and waits for more."""
    await fill(gate)
    found: list[int] = []
    cursor = ""
    while page := (
        answer := await gate.reviews.ListEvents(ListEventsRequest(cursor=cursor, page_size=size))
    ).entries:
        assert len(page) <= size
        found += [entry.sequence for entry in page]
        cursor = answer.next_cursor
    assert found == list(range(1, 8))
    assert answer.next_cursor == cursor
    await gate.propose()
    assert [entry.sequence for entry in await entries(gate, ListEventsRequest(cursor=cursor))] == [8, 9]


@pytest.mark.parametrize("size", [1, 3, 7, 100])
async def test_the_newest_can_come_first(gate: Gate, size: int) -> None:
    """The same entries in the other order; from the newest one's cursor the log goes on forwards."""
    await fill(gate)
    found: list[AuditEntry] = []
    request = ListEventsRequest(newest_first=True, page_size=size)
    while page := (answer := await gate.reviews.ListEvents(request)).entries:
        assert len(page) <= size
        found += page
        request.cursor = answer.next_cursor
    assert found == (await entries(gate, ListEventsRequest()))[::-1]
    await gate.propose()
    later = ListEventsRequest(cursor=found[0].event.cursor)
    assert [entry.sequence for entry in await entries(gate, later)] == [8, 9]


async def test_the_newest_of_some_types(gate: Gate) -> None:
    """What one look for each type finds is one list again."""
    await fill(gate)
    some = kinds("PLAN_CREATED", "PLAN_APPROVED")
    newest = await entries(gate, ListEventsRequest(types=some, newest_first=True, page_size=3))
    assert [entry.sequence for entry in newest] == [6, 5, 3]


async def test_no_entry_before_the_first(gate: Gate) -> None:
    """An empty log has nothing, and a cursor from which it goes on."""
    nothing = await gate.reviews.ListEvents(ListEventsRequest(newest_first=True))
    assert not nothing.entries
    await fill(gate)
    assert len(await entries(gate, ListEventsRequest(cursor=nothing.next_cursor))) == 7


async def test_entries_are_filtered(gate: Gate) -> None:
    """By plan, session and type, all at once; the hashes stay those of the whole chain."""
    await fill(gate)
    log = await entries(gate, ListEventsRequest())
    uri = log[0].event.plan_uri
    assert await entries(gate, ListEventsRequest(plan_uri=uri)) == [log[0], log[1], log[4]]
    assert await entries(gate, ListEventsRequest(session_id="two")) == log[2:4]
    both = ListEventsRequest(session_id="one", types=kinds("PLAN_APPROVED", "PLAN_REJECTED"))
    assert types([entry.event for entry in await entries(gate, both)]) == ["PLAN_APPROVED"]


async def test_bad_questions_are_refused(gate: Gate) -> None:
    """A cursor, a size or a uri that is none is refused by its name."""
    for request, field in (
        (ListEventsRequest(cursor="nonsense"), "cursor"),
        (ListEventsRequest(page_size=-1), "page_size"),
        (ListEventsRequest(plan_uri="nonsense"), "plan_uri"),
        (ListEventsRequest(chain=True, cursor="nonsense"), "cursor"),
        (ListEventsRequest(chain=True, page_size=-1), "page_size"),
        (ListEventsRequest(chain=True, session_id="one"), "chain"),
        (ListEventsRequest(chain=True, plan_uri="plangate://plans/1"), "chain"),
        (ListEventsRequest(chain=True, types=kinds("PLAN_CREATED")), "chain"),
        (ListEventsRequest(chain=True, newest_first=True), "newest_first"),
        (ListEventsRequest(newest_first=True, cursor="nonsense"), "cursor"),
    ):
        assert (await refused(gate.reviews.ListEvents(request))).metadata["field"] == field


async def test_an_untouched_log_is_valid(gate: Gate) -> None:
    """The whole chain is checked, and its head is what the next check can be held to."""
    empty = await verified(gate)
    assert (empty.valid, empty.checked, empty.head_sequence) == (True, 0, 0)
    await fill(gate)
    head = await verified(gate)
    log = await entries(gate, ListEventsRequest())
    assert (head.valid, head.checked, head.head_sequence) == (True, 7, 7)
    assert head.head_hash == log[-1].hash
    await gate.propose()
    later = await verified(gate, head.head_sequence, head.head_hash)
    assert (later.valid, later.head_sequence) == (True, 9)


async def test_a_log_that_was_cut_off_or_exchanged_is_found_out(gate: Gate) -> None:
    """A saved head that is not in the chain, or has another hash there, makes it invalid."""
    await fill(gate)
    cut = await verified(gate, 8, "0" * 64)
    assert (cut.valid, cut.first_bad_sequence) == (False, 8)
    exchanged = await verified(gate, 5, "0" * 64)
    assert (exchanged.valid, exchanged.first_bad_sequence) == (False, 5)
    assert exchanged.problem


TAMPERING = {
    "actor": "UPDATE events SET actor = 'mallory' WHERE sequence = 4",
    "type": "UPDATE events SET type = 'plan_approved' WHERE sequence = 4",
    "body": "UPDATE events SET body = CAST(body || x'20' AS BLOB) WHERE sequence = 4",
    "hash": "UPDATE events SET hash = printf('%064d', 0) WHERE sequence = 4",
    "removed": "DELETE FROM events WHERE sequence = 4",
    "emptied": "UPDATE events SET body = NULL WHERE sequence = 4",
    "cut off": "DELETE FROM events WHERE sequence > 3",
    "inserted": inserting(4),
    "reordered": swapping(4),
}


@pytest.mark.parametrize("name", TAMPERING)
async def test_an_altered_entry_is_found(tmp_path: Path, name: str) -> None:
    """Whoever alters the database behind the server's back is found out, at the entry they altered."""
    database = tmp_path / "plangate.db"
    async with open_gate(database) as gate:
        await fill(gate)
        assert (await verified(gate)).valid
    tamper(database, TAMPERING[name])
    async with open_gate(database) as gate:
        found = await verified(gate)
    assert (found.valid, found.checked, found.first_bad_sequence) == (False, 3, 4)
    assert found.problem


@pytest.mark.parametrize("name", TAMPERING)
async def test_an_altered_refusal_is_found(tmp_path: Path, name: str) -> None:
    """Nor can anyone hide that they tried: a refused decision is an entry like any other."""
    database = tmp_path / "plangate.db"
    async with open_gate(database) as gate:
        plan = await gate.propose()
        await gate.decide(plan, "reject")
        await refused(gate.decide(plan, "approve"))
        await gate.propose(proposal("# Two"))
        log = await entries(gate, ListEventsRequest())
        assert (types([log[3].event]), (await verified(gate)).valid) == (["DECISION_REFUSED"], True)
    tamper(database, TAMPERING[name])
    async with open_gate(database) as gate:
        found = await verified(gate)
    assert (found.valid, found.checked, found.first_bad_sequence) == (False, 3, 4)
    assert "entry 4" in found.problem


async def test_a_log_with_a_gap_can_still_be_read(tmp_path: Path) -> None:
    """Whoever looks into what happened sees every entry that is left."""
    database = tmp_path / "plangate.db"
    async with open_gate(database) as gate:
        await fill(gate)
    tamper(database, TAMPERING["removed"])
    async with open_gate(database) as gate:
        for chain in (False, True):
            log = await entries(gate, ListEventsRequest(chain=chain))
            assert [entry.sequence for entry in log] == [1, 2, 3, 5, 6, 7]
        assert (await entries(gate, ListEventsRequest()))[3].previous_hash == ""


async def test_the_chain_goes_on_after_a_restart(tmp_path: Path) -> None:
    """A new server chains its first entry to the last one of the old."""
    database = tmp_path / "plangate.db"
    async with open_gate(database) as gate:
        await fill(gate)
        head = await verified(gate)
    async with open_gate(database) as gate:
        await gate.propose()
        log = await entries(gate, ListEventsRequest())
        after = await verified(gate, head.head_sequence, head.head_hash)
    assert log[7].previous_hash == head.head_hash
    assert (after.valid, after.checked) == (True, 9)
