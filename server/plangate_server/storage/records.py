"""Domain objects as bytes. A plan's record leaves its revision out: revisions are stored once."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from plangate_server.domain.builds import Build
from plangate_server.domain.comments import Comment
from plangate_server.domain.events import CARRY_PLAN, Change, Event
from plangate_server.domain.plan import Approved, Plan, PlanState, Revision
from plangate_server.domain.review import Review, ReviewOptions
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
    approved: Approved | None = None
    builds: tuple[Build, ...] = ()
    options: ReviewOptions = ReviewOptions()


class _EventBody(msgspec.Struct, frozen=True, omit_defaults=True):
    plan: _PlanRecord
    message: str = ""
    todo_ids: tuple[str, ...] = ()
    comment: Comment | None = None
    build: Build | None = None
    draft: Revision | None = None
    """What a draft said then: of drafts, only the newest is stored as a revision."""


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a request left behind: enough to answer it again."""

    plan_id: str
    revision: int
    plan: _PlanRecord
    builds: tuple[Build, ...] = ()
    comments: tuple[Comment, ...] = ()
    before: _PlanRecord | None = None
    before_revision: int = 0


_encoder: Final = msgspec.json.Encoder()
_plan: Final = msgspec.json.Decoder(_PlanRecord)
_revision: Final = msgspec.json.Decoder(Revision)
_review: Final = msgspec.json.Decoder(Review)
_comment: Final = msgspec.json.Decoder(Comment)
_event_body: Final = msgspec.json.Decoder(_EventBody)
_answer: Final = msgspec.json.Decoder(Answer)
_fields_of: Final = attrgetter(*_PlanRecord.__struct_fields__)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def encode(record: Revision | Review | Build | Comment) -> bytes:
    return _encoder.encode(record)


def encode_plan(plan: Plan) -> bytes:
    return _encoder.encode(_record(plan))


def decode_plan(plan_id: str, workspace: str, revision: Revision, record: bytes) -> Plan:
    return _plan_from(plan_id, workspace, revision, _plan.decode(record))


def decode_revision(record: bytes) -> Revision:
    return _revision.decode(record)


def decode_review(record: bytes) -> Review:
    return _review.decode(record)


def decode_comment(record: bytes) -> Comment:
    return _comment.decode(record)


def encode_body(event: Event) -> bytes:
    """What an event says at length. Of the progress of todos, only what the event tells of."""
    plan = event.plan
    if event.type not in CARRY_PLAN:
        plan = replace(plan, progress={id: plan.progress[id] for id in event.todo_ids})
    draft = plan.revision if plan.revision.number == 0 else None
    return _encoder.encode(
        _EventBody(_record(plan), event.message, event.todo_ids, event.comment, event.build, draft)
    )


def decode_event(body: bytes, plan_id: str, workspace: str, revision: Revision, **columns: Any) -> Event:
    """An event from its body, its plan's identity, and what stands in columns of its own."""
    decoded = _event_body.decode(body)
    return Event(
        plan=_plan_from(plan_id, workspace, decoded.draft or revision, decoded.plan),
        message=decoded.message,
        todo_ids=decoded.todo_ids,
        comment=decoded.comment,
        build=decoded.build,
        **columns,
    )


def encode_answer(change: Change) -> bytes:
    plan, before = change.plan, change.before
    return _encoder.encode(
        Answer(
            plan.plan_id,
            plan.revision.number,
            _record(plan),
            change.builds,
            change.comments,
            _record(before) if before else None,
            before.revision.number if before else 0,
        )
    )


def decode_answer(answer: bytes) -> Answer:
    return _answer.decode(answer)


def change_from(answer: Answer, workspace: str, revision: Revision, earlier: Revision | None) -> Change:
    plan = _plan_from(answer.plan_id, workspace, revision, answer.plan)
    before = None
    if answer.before and earlier:
        before = _plan_from(answer.plan_id, workspace, earlier, answer.before)
    return Change(plan, (), builds=answer.builds, comments=answer.comments, before=before)


def microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)


def from_microseconds(number: int) -> datetime:
    return _EPOCH + timedelta(microseconds=number)


def _record(plan: Plan) -> _PlanRecord:
    return _PlanRecord(*_fields_of(plan))


def _plan_from(plan_id: str, workspace: str, revision: Revision, record: _PlanRecord) -> Plan:
    fields = zip(_PlanRecord.__struct_fields__, _fields_of(record), strict=True)
    return Plan(plan_id=plan_id, workspace=workspace, revision=revision, **dict(fields))
