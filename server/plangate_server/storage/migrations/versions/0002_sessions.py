"""Sessions, tool calls and remembered decisions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

OPEN = sa.text("due IS NOT NULL")
WAITING = sa.text("waiting > 0")
POWERFUL = sa.text("full_access > 0")


def upgrade() -> None:
    op.create_table(
        "sessions",
        sa.Column("workspace", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("waiting", sa.BigInteger(), nullable=False),
        sa.Column("full_access", sa.BigInteger(), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "session_id"),
    )
    _create_partial_index("sessions_full_access", "sessions", ["workspace", "session_id"], POWERFUL)
    _create_partial_index("sessions_waiting", "sessions", ["workspace", "session_id"], WAITING)
    op.create_table(
        "approvals",
        sa.Column("workspace", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("call_id", sa.String(), nullable=False),
        sa.Column("approval_id", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("due", sa.BigInteger(), nullable=True),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "session_id", "call_id"),
    )
    op.create_index("approvals_by_session", "approvals", ["workspace", "session_id", "approval_id"])
    op.create_index("approvals_by_state", "approvals", ["workspace", "state", "approval_id"])
    op.create_index("approvals_by_workspace", "approvals", ["workspace", "approval_id"])
    _create_partial_index("approvals_due", "approvals", ["due"], OPEN)
    op.create_table(
        "remembered",
        sa.Column("remembered_id", sa.String(), nullable=False),
        sa.Column("workspace", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("due", sa.BigInteger(), nullable=True),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("remembered_id"),
    )
    op.create_index("remembered_by_session", "remembered", ["workspace", "session_id", "remembered_id"])
    op.create_index("remembered_by_workspace", "remembered", ["workspace", "remembered_id"])
    _create_partial_index("remembered_due", "remembered", ["due"], OPEN)


def _create_partial_index(name: str, table: str, columns: list[str], where: sa.TextClause) -> None:
    op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)
