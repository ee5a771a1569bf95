"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

OPEN = sa.text("due IS NOT NULL")


def upgrade() -> None:
    op.create_table(
        "builds",
        sa.Column("build_id", sa.String(), nullable=False),
        sa.Column("workspace", sa.String(), nullable=False),
        sa.Column("plan_id", sa.String(), nullable=False),
        sa.Column("due", sa.BigInteger(), nullable=True),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("build_id"),
    )
    op.create_index("builds_by_plan", "builds", ["plan_id", "build_id"])
    op.create_index("builds_due", "builds", ["due"], sqlite_where=OPEN, postgresql_where=OPEN)
    op.create_table(
        "comments",
        sa.Column("comment_id", sa.String(), nullable=False),
        sa.Column("workspace", sa.String(), nullable=False),
        sa.Column("plan_id", sa.String(), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("comment_id"),
    )
    op.create_index("comments_by_plan", "comments", ["plan_id", "comment_id"])
    op.create_table(
        "events",
        sa.Column("workspace", sa.String(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("plan_id", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("time", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("body_hash", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "sequence"),
    )
    op.create_index("events_by_plan", "events", ["plan_id", "sequence"])
    op.create_index("events_by_session", "events", ["workspace", "session_id", "sequence"])
    op.create_index("events_by_type", "events", ["workspace", "type", "sequence"])
    op.create_table(
        "logs", sa.Column("log_id", sa.String(), nullable=False), sa.PrimaryKeyConstraint("log_id")
    )
    op.create_table(
        "plans",
        sa.Column("plan_id", sa.String(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("workspace", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("plan_id"),
    )
    op.create_index("plans_by_agent", "plans", ["workspace", "created_by", "plan_id"])
    op.create_index("plans_by_session", "plans", ["workspace", "session_id", "plan_id"])
    op.create_index("plans_by_state", "plans", ["workspace", "state", "plan_id"])
    op.create_index("plans_by_workspace", "plans", ["workspace", "plan_id"])
    op.create_table(
        "requests",
        sa.Column("workspace", sa.String(), nullable=False),
        sa.Column("principal", sa.String(), nullable=False),
        sa.Column("request_id", sa.String(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("time", sa.BigInteger(), nullable=False),
        sa.Column("answer", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "principal", "request_id"),
    )
    op.create_index("requests_by_time", "requests", ["time"])
    op.create_table(
        "reviews",
        sa.Column("approval_request_id", sa.String(), nullable=False),
        sa.Column("workspace", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("plan_id", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("due", sa.BigInteger(), nullable=True),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("approval_request_id"),
    )
    op.create_index("reviews_by_plan", "reviews", ["plan_id", "approval_request_id"])
    op.create_index("reviews_by_session", "reviews", ["workspace", "session_id", "approval_request_id"])
    op.create_index("reviews_by_status", "reviews", ["workspace", "status", "approval_request_id"])
    op.create_index("reviews_due", "reviews", ["due"], sqlite_where=OPEN, postgresql_where=OPEN)
    op.create_table(
        "revisions",
        sa.Column("plan_id", sa.String(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("plan_id", "number"),
    )
    op.create_table(
        "watchers",
        sa.Column("node", sa.String(), nullable=False),
        sa.Column("workspace", sa.String(), nullable=False),
        sa.Column("reviewers", sa.BigInteger(), nullable=False),
        sa.Column("seen", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("node", "workspace"),
    )
    op.create_table(
        "workspaces",
        sa.Column("workspace", sa.String(), nullable=False),
        sa.Column("last_sequence", sa.BigInteger(), nullable=False),
        sa.Column("last_hash", sa.String(), nullable=False),
        sa.Column("forgotten_sequence", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("workspace"),
    )
