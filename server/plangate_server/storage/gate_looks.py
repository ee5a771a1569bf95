"""What decides about the tool calls of a session, and the place in the log that it is after."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import TypeAlias

from plangate_server.domain.remembering import Memory
from plangate_server.ports import Gate
from plangate_server.storage import records
from plangate_server.storage.driver import Driver, Marks
from plangate_server.storage.together import Key

PlacedGate: TypeAlias = tuple[Gate, int]
"""A gate, and the number of the newest event when it was looked at."""


def look_at_gates(driver: Driver, keys: Collection[Key]) -> Mapping[Key, PlacedGate]:
    """There is one for every session, also for those that nobody named yet."""
    return {key: _look(driver, *key) for key in keys}


def _look(driver: Driver, workspace: str, session_id: str) -> PlacedGate:
    """One statement: what it finds was true in one moment."""
    values = (workspace, workspace, session_id, workspace, session_id)
    rows = driver.run(_statement(driver.marks), values).fetchall()
    last = next((number for kind, _, number, _ in rows if kind == "log"), 0)
    session = next((record for kind, _, _, record in rows if kind == "session"), None)
    kept = sorted((id, record) for kind, id, _, record in rows if kind == "remembered")
    memory = Memory(records.decode_remembered(record) for _, record in kept)
    return Gate(records.decode_session(session) if session is not None else None, memory), last


@cache
def _statement(marks: Marks) -> str:
    log, session, session_id, memory, reached = (marks(1, number) for number in range(1, 6))
    return (
        f"SELECT 'log', '', last_sequence, NULL FROM workspaces WHERE workspace = {log} "
        "UNION ALL SELECT 'session', '', 0, record FROM sessions "
        f"WHERE workspace = {session} AND session_id = {session_id} "
        "UNION ALL SELECT 'remembered', remembered_id, 0, record FROM remembered "
        f"WHERE workspace = {memory} AND session_id IN ('', {reached})"
    )
