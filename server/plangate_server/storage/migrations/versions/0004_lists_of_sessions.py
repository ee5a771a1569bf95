"""What sessions are listed by: when they began, and their mode."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

SESSIONS = sa.table("sessions", *map(sa.column, ("workspace", "session_id", "record", "mode", "began")))
AT_ONCE = 1000


def upgrade() -> None:
    op.add_column("sessions", sa.Column("mode", sa.String(), nullable=False, server_default="agent"))
    op.add_column("sessions", sa.Column("began", sa.BigInteger(), nullable=False, server_default="0"))
    for workspace, session_id, record in _stored():
        itself = (SESSIONS.c.workspace == workspace, SESSIONS.c.session_id == session_id)
        op.get_bind().execute(sa.update(SESSIONS).where(*itself).values(_told_by(json.loads(record))))
    op.create_index("sessions_by_mode", "sessions", ["workspace", "mode", "began", "session_id"])
    op.create_index("sessions_by_time", "sessions", ["workspace", "began", "session_id"])


def _stored() -> Iterator[tuple[str, str, bytes]]:
    """Every session, a few at a time: there may be more than fit into memory."""
    key = sa.tuple_(SESSIONS.c.workspace, SESSIONS.c.session_id)
    query = sa.select(SESSIONS.c.workspace, SESSIONS.c.session_id, SESSIONS.c.record)
    page = query.order_by(SESSIONS.c.workspace, SESSIONS.c.session_id).limit(AT_ONCE)
    last = ("", "")
    while rows := op.get_bind().execute(page.where(key > sa.tuple_(*last))).all():
        yield from ((row.workspace, row.session_id, row.record) for row in rows)
        last = (rows[-1].workspace, rows[-1].session_id)


def _told_by(record: dict[str, Any]) -> dict[str, Any]:
    """What the columns say is in the record; a mode that is left out is the usual one."""
    began = datetime.fromisoformat(record["create_time"]) - datetime.fromisoformat("1970-01-01T00:00:00Z")
    microseconds = (began.days * 86_400 + began.seconds) * 1_000_000 + began.microseconds
    return {"mode": record.get("mode", "agent"), "began": microseconds}
