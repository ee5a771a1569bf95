"""The tables. What is asked for is a column; the rest of a record is JSON beside it."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
)

metadata = MetaData()

SCHEMA_VERSION = 1

# One row that names this log, so that its cursors are told from those of another database.
logs = Table("logs", metadata, Column("log_id", String, primary_key=True))

plans = Table(
    "plans",
    metadata,
    Column("plan_id", String, primary_key=True),
    Column("workspace", String, nullable=False),
    Column("session_id", String, nullable=False),
    Column("created_by", String, nullable=False),
    Column("state", String, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Index("plans_by_workspace", "workspace", "plan_id"),
    Index("plans_by_state", "workspace", "state", "plan_id"),
    Index("plans_by_session", "workspace", "session_id", "plan_id"),
)

revisions = Table(
    "revisions",
    metadata,
    Column("plan_id", String, nullable=False),
    Column("number", Integer, nullable=False),
    Column("record", LargeBinary, nullable=False),
    PrimaryKeyConstraint("plan_id", "number"),
)

reviews = Table(
    "reviews",
    metadata,
    Column("approval_request_id", String, primary_key=True),
    Column("workspace", String, nullable=False),
    Column("plan_id", String, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("workspace", String, nullable=False),
    Column("sequence", Integer, nullable=False),
    Column("plan_id", String, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("type", String, nullable=False),
    Column("time", String, nullable=False),
    Column("actor", String, nullable=False),
    Column("message", Text, nullable=False),
    Column("plan_record", LargeBinary, nullable=False),
    PrimaryKeyConstraint("workspace", "sequence"),
    Index("events_by_plan", "plan_id", "sequence"),
)

# Answers given under a request_id, so that a repeated request gets the same one.
requests = Table(
    "requests",
    metadata,
    Column("workspace", String, nullable=False),
    Column("principal", String, nullable=False),
    Column("request_id", String, nullable=False),
    Column("fingerprint", String, nullable=False),
    Column("plan_id", String, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("plan_record", LargeBinary, nullable=False),
    PrimaryKeyConstraint("workspace", "principal", "request_id"),
)
