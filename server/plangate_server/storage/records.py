"""Plans and revisions as bytes. A plan's record leaves its revision out: revisions are stored once."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec

from plangate_server.domain.plan import Plan, PlanState, Revision
from plangate_server.domain.review import Review
from plangate_server.domain.todos import TodoProgress


class _PlanRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    state: PlanState
    review: Review
    progress: Mapping[str, TodoProgress]
    created_by: str
    create_time: datetime
    update_time: datetime
    session_id: str = ""
    tool_call_id: str = ""
    edited_by: tuple[str, ...] = ()
    referenced_by: tuple[str, ...] = ()
    built_by: Mapping[str, tuple[str, ...]] = {}


_encoder = msgspec.json.Encoder()
_plan_decoder = msgspec.json.Decoder(_PlanRecord)
_revision_decoder = msgspec.json.Decoder(Revision)
_FIELDS = _PlanRecord.__struct_fields__


def encode_plan(plan: Plan) -> bytes:
    return _encoder.encode(_PlanRecord(**{name: getattr(plan, name) for name in _FIELDS}))


def decode_plan(plan_id: str, workspace: str, revision: Revision, record: bytes) -> Plan:
    decoded = _plan_decoder.decode(record)
    fields = {name: getattr(decoded, name) for name in _FIELDS}
    return Plan(plan_id=plan_id, workspace=workspace, revision=revision, **fields)


def encode_revision(revision: Revision) -> bytes:
    return _encoder.encode(revision)


def decode_revision(record: bytes) -> Revision:
    return _revision_decoder.decode(record)
