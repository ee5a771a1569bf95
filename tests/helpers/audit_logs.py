"""Event logs to be audited: real ones at a gate, and small ones without any."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import grpc
import pytest

from plangate import Client, PlangateError
from plangate._audit import Entry as ExportedEntry
from plangate._audit_file import Export
from plangate_proto.agent.v1.agent_session_service_pb2 import ReportEventRequest, SetModeRequest
from plangate_proto.agent.v1.agent_session_service_pb2_grpc import SessionServiceStub
from plangate_proto.agent.v1.tool_approval_service_pb2_grpc import ApprovalServiceStub
from plangate_server.domain.audit import Entry, canonical, chain, hash_body
from tests.helpers.backends import BACKENDS
from tests.helpers.tokens import admin
from tests.helpers.tool_calls import PLAN, call, event

NOW = datetime(2025, 3, 4, 5, 6, 7, tzinfo=UTC)


def exported_entries(contents: list[bytes], workspace: str = "acme") -> list[ExportedEntry]:
    """A whole log with these contents, chained as the server chains it."""
    entries: list[ExportedEntry] = []
    hash = ""
    for sequence, content in enumerate(contents, start=1):
        entry = Entry(
            workspace=workspace,
            sequence=sequence,
            plan_id="1" * 32,
            session_id="s-1",
            revision=1,
            digest="d" * 64,
            type="plan_created",
            time="1741064767000000",
            actor="Zoë",
            body_hash=hash_body(content),
        )
        hash = chain(hash, entry)
        entries.append(ExportedEntry(sequence, canonical(entry).decode(), hash, content))
    return entries


def export_of(entries: list[ExportedEntry]) -> list[bytes]:
    """The lines of the export of a log."""
    return list(Export().lines(entries, NOW))


def as_file(lines: list[bytes]) -> BytesIO:
    return BytesIO(b"".join(lines))


def fill_log(address: str, session: str = "t") -> None:
    """Events of two plans, one of which is decided twice, and of a session of this name with a tool call."""
    with Client(address) as client:
        plan = client.create_plan("# Tidy the cellar", name="Küche \u202e\x1b[31m")
        client.create_plan("# Tidy the attic")
        client.decide(plan, "reject", "not on a Sunday")
        with pytest.raises(PlangateError, match="the review is over"):
            client.decide(plan, "approve")
    with grpc.insecure_channel(address) as channel:
        sessions = SessionServiceStub(admin(channel))
        sessions.ReportEvent(ReportEventRequest(session_id=session, event=event("RECEIVE_MESSAGE")))
        sessions.SetMode(SetModeRequest(session_id=session, mode=PLAN))
        stream = ApprovalServiceStub(admin(channel)).RequestApproval(call("make test", session_id=session))
        next(stream)
        stream.cancel()


def forget(folder: Path) -> None:
    """What retention does, when everything in the folder's database has grown old."""

    async def work() -> None:
        async with BACKENDS["sqlite"].open(folder) as node:
            now = datetime.now(UTC)
            await node.store.forget(events_before=now, requests_before=now)

    asyncio.run(work())


def tamper(database: Path, statements: str) -> None:
    """What somebody does who can write the file behind the server's back."""
    with closing(sqlite3.connect(database)) as connection:
        for statement in statements.split("; "):
            assert connection.execute(statement).rowcount >= 1
        connection.commit()


def inserting(place: int) -> str:
    """Statements that put a copy of the entry before at a place, and move up everything from there on."""
    names = "plan_id, session_id, revision, digest, type, time, actor, body, body_hash, hash"
    return (
        f"UPDATE events SET sequence = -sequence - 1 WHERE sequence >= {place}; "
        f"UPDATE events SET sequence = -sequence WHERE sequence < 0; "
        f"INSERT INTO events (workspace, sequence, {names}) "
        f"SELECT workspace, {place}, {names} FROM events WHERE sequence = {place - 1}; "
        "UPDATE workspaces SET last_sequence = last_sequence + 1"
    )


def swapping(place: int) -> str:
    """Statements that let an entry and the one after it change places."""
    return (
        f"UPDATE events SET sequence = -1 WHERE sequence = {place}; "
        f"UPDATE events SET sequence = {place} WHERE sequence = {place + 1}; "
        f"UPDATE events SET sequence = {place + 1} WHERE sequence = -1"
    )
