"""The tables. What is asked for is a column; the rest of a record is JSON beside it.

Times are whole microseconds since 1970, in UTC.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    text,
)

metadata = MetaData()

# Only what is still open has a time by which it must be done.
OPEN = text("due IS NOT NULL")
# Most sessions have no call that waits, and no full access.
WAITING = text("waiting > 0")
POWERFUL = text("full_access > 0")

# One row that names this log, so that its cursors are told from those of another database.
logs = Table("logs", metadata, Column("log_id", String, primary_key=True))

# The end of each workspace's log. Whoever appends locks the row: numbers follow the order of commits.
workspaces = Table(
    "workspaces",
    metadata,
    Column("workspace", String, primary_key=True),
    Column("last_sequence", BigInteger, nullable=False),
    Column("last_hash", String, nullable=False),
    Column("forgotten_sequence", BigInteger, nullable=False),
)

plans = Table(
    "plans",
    metadata,
    Column("plan_id", String, primary_key=True),
    Column("version", BigInteger, nullable=False),
    Column("workspace", String, nullable=False),
    Column("session_id", String, nullable=False),
    Column("created_by", String, nullable=False),
    Column("state", String, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Index("plans_by_workspace", "workspace", "plan_id"),
    Index("plans_by_state", "workspace", "state", "plan_id"),
    Index("plans_by_session", "workspace", "session_id", "plan_id"),
    Index("plans_by_agent", "workspace", "created_by", "plan_id"),
)

revisions = Table(
    "revisions",
    metadata,
    Column("plan_id", String, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("record", LargeBinary, nullable=False),
    PrimaryKeyConstraint("plan_id", "number"),
)

reviews = Table(
    "reviews",
    metadata,
    Column("approval_request_id", String, primary_key=True),
    Column("workspace", String, nullable=False),
    Column("session_id", String, nullable=False),
    Column("plan_id", String, nullable=False),
    Column("status", String, nullable=False),
    Column("due", BigInteger),
    Column("record", LargeBinary, nullable=False),
    Index("reviews_by_status", "workspace", "status", "approval_request_id"),
    Index("reviews_by_session", "workspace", "session_id", "approval_request_id"),
    Index("reviews_by_plan", "plan_id", "approval_request_id"),
    Index("reviews_due", "due", sqlite_where=OPEN, postgresql_where=OPEN),
)

builds = Table(
    "builds",
    metadata,
    Column("build_id", String, primary_key=True),
    Column("workspace", String, nullable=False),
    Column("plan_id", String, nullable=False),
    Column("due", BigInteger),
    Column("record", LargeBinary, nullable=False),
    Index("builds_by_plan", "plan_id", "build_id"),
    Index("builds_due", "due", sqlite_where=OPEN, postgresql_where=OPEN),
)

comments = Table(
    "comments",
    metadata,
    Column("comment_id", String, primary_key=True),
    Column("workspace", String, nullable=False),
    Column("plan_id", String, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Index("comments_by_plan", "plan_id", "comment_id"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("workspace", String, nullable=False),
    Column("session_id", String, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("waiting", BigInteger, nullable=False),
    Column("full_access", BigInteger, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Column("mode", String, nullable=False),
    Column("began", BigInteger, nullable=False),
    PrimaryKeyConstraint("workspace", "session_id"),
    Index("sessions_by_time", "workspace", "began", "session_id"),
    Index("sessions_by_mode", "workspace", "mode", "began", "session_id"),
    Index("sessions_waiting", "workspace", "session_id", sqlite_where=WAITING, postgresql_where=WAITING),
    Index(
        "sessions_full_access", "workspace", "session_id", sqlite_where=POWERFUL, postgresql_where=POWERFUL
    ),
)

approvals = Table(
    "approvals",
    metadata,
    Column("workspace", String, nullable=False),
    Column("session_id", String, nullable=False),
    Column("call_id", String, nullable=False),
    Column("approval_id", String, nullable=False),
    Column("state", String, nullable=False),
    Column("due", BigInteger),
    Column("record", LargeBinary, nullable=False),
    PrimaryKeyConstraint("workspace", "session_id", "call_id"),
    Index("approvals_by_workspace", "workspace", "approval_id"),
    Index("approvals_by_state", "workspace", "state", "approval_id"),
    Index("approvals_by_session", "workspace", "session_id", "approval_id"),
    Index("approvals_due", "due", sqlite_where=OPEN, postgresql_where=OPEN),
)

# An empty session_id reaches the whole workspace.
remembered = Table(
    "remembered",
    metadata,
    Column("remembered_id", String, primary_key=True),
    Column("workspace", String, nullable=False),
    Column("session_id", String, nullable=False),
    Column("due", BigInteger),
    Column("record", LargeBinary, nullable=False),
    Index("remembered_by_workspace", "workspace", "remembered_id"),
    Index("remembered_by_session", "workspace", "session_id", "remembered_id"),
    Index("remembered_due", "due", sqlite_where=OPEN, postgresql_where=OPEN),
)

credentials = Table(
    "credentials",
    metadata,
    Column("credential_id", String, primary_key=True),
    Column("workspace", String, nullable=False),
    Column("certificate", String, nullable=False),
    Column("due", BigInteger),
    Column("revoked", BigInteger),
    Column("record", LargeBinary, nullable=False),
    Index("credentials_by_certificate", "certificate"),
    Index("credentials_by_workspace", "workspace", "credential_id"),
)

events = Table(
    "events",
    metadata,
    Column("workspace", String, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("plan_id", String, nullable=False),
    Column("session_id", String, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("digest", String, nullable=False),
    Column("type", String, nullable=False),
    Column("time", BigInteger, nullable=False),
    Column("actor", String, nullable=False),
    Column("body", LargeBinary),
    Column("body_hash", String, nullable=False),
    Column("hash", String, nullable=False),
    PrimaryKeyConstraint("workspace", "sequence"),
    Index("events_by_plan", "plan_id", "sequence"),
    Index("events_by_session", "workspace", "session_id", "sequence"),
    Index("events_by_type", "workspace", "type", "sequence"),
)

# How many reviewers watch a workspace on each node, and when the node last said so, in seconds since 1970.
watchers = Table(
    "watchers",
    metadata,
    Column("node", String, nullable=False),
    Column("workspace", String, nullable=False),
    Column("reviewers", BigInteger, nullable=False),
    Column("seen", BigInteger, nullable=False),
    PrimaryKeyConstraint("node", "workspace"),
)

# Answers given under a request_id, so that a repeated request gets the same one.
requests = Table(
    "requests",
    metadata,
    Column("workspace", String, nullable=False),
    Column("principal", String, nullable=False),
    Column("request_id", String, nullable=False),
    Column("fingerprint", String, nullable=False),
    Column("time", BigInteger, nullable=False),
    Column("answer", LargeBinary, nullable=False),
    PrimaryKeyConstraint("workspace", "principal", "request_id"),
    Index("requests_by_time", "time"),
)
