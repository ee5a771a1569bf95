"""Domain objects as bytes. A plan's record leaves its revision out: revisions are stored once."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from plangate_server.domain.approvals import Approval
from plangate_server.domain.builds import Build
from plangate_server.domain.comments import Comment
from plangate_server.domain.credentials import Credential
from plangate_server.domain.events import (
    Change,
    DecidedText,
    Event,
    LogEvent,
    RefusedDecision,
    SessionChange,
    SessionEvent,
)
from plangate_server.domain.identity import Author
from plangate_server.domain.plan import Approved, Plan, PlanState, Revision
from plangate_server.domain.remembering import Remembered
from plangate_server.domain.restoring import LeftOut
from plangate_server.domain.review import Review, ReviewOptions
from plangate_server.domain.sessions import Session
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
    person: str = ""
    author: Author | None = None
    has_comments: bool = True


class _EventBody(msgspec.Struct, frozen=True, omit_defaults=True):
    plan: _PlanRecord
    message: str = ""
    todo_ids: tuple[str, ...] = ()
    comment: Comment | None = None
    build: Build | None = None
    draft: Revision | None = None
    """What a draft said then: of drafts, only the newest is stored as a revision."""
    session: Session | None = None
    request_id: str = ""


class _SessionEventBody(msgspec.Struct, frozen=True, omit_defaults=True):
    session: Session | None = None
    approval: Approval | None = None
    remembered: Remembered | None = None
    cleared: int = 0
    message: str = ""
    request_id: str = ""
    cause: DecidedText | None = None


class _RefusedBody(msgspec.Struct, frozen=True, omit_defaults=True):
    person: str
    method: str
    reason: str
    selected_option: str = ""
    approval_request_id: str = ""
    call_id: str = ""
    request_id: str = ""


class Answer(msgspec.Struct, frozen=True, omit_defaults=True, tag="plan"):
    """What a request left behind: enough to answer it again."""

    plan_id: str
    revision: int
    plan: _PlanRecord
    builds: tuple[Build, ...] = ()
    comments: tuple[Comment, ...] = ()
    before: _PlanRecord | None = None
    before_revision: int = 0


class SessionAnswer(msgspec.Struct, frozen=True, omit_defaults=True, tag="session"):
    sessions: tuple[Session, ...] = ()
    approvals: tuple[Approval, ...] = ()
    remembered: tuple[Remembered, ...] = ()
    forgotten: tuple[Remembered, ...] = ()
    credentials: tuple[Credential, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


_encoder: Final = msgspec.json.Encoder()
_plan: Final = msgspec.json.Decoder(_PlanRecord)
_revision: Final = msgspec.json.Decoder(Revision)
_review: Final = msgspec.json.Decoder(Review)
_comment: Final = msgspec.json.Decoder(Comment)
_event_body: Final = msgspec.json.Decoder(_EventBody)
_session_event_body: Final = msgspec.json.Decoder(_SessionEventBody)
_refused_body: Final = msgspec.json.Decoder(_RefusedBody)
_answer: Final = msgspec.json.Decoder(Answer | SessionAnswer)
_session: Final = msgspec.json.Decoder(Session)
_build: Final = msgspec.json.Decoder(Build)
_approval: Final = msgspec.json.Decoder(Approval)
_remembered: Final = msgspec.json.Decoder(Remembered)
_credential: Final = msgspec.json.Decoder(Credential)
_fields_of: Final = attrgetter(*_PlanRecord.__struct_fields__)
_fields_of_refused: Final = attrgetter(*_RefusedBody.__struct_fields__)
PACKED_BYTES: Final = 4096
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def encode(
    record: Revision | Review | Build | Comment | Session | Approval | Remembered | Credential,
) -> bytes:
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


def decode_build(record: bytes) -> Build:
    return _build.decode(record)


def decode_session(record: bytes) -> Session:
    return _session.decode(record)


def decode_approval(record: bytes) -> Approval:
    return _approval.decode(record)


def decode_remembered(record: bytes) -> Remembered:
    return _remembered.decode(record)


def decode_credential(record: bytes) -> Credential:
    return _credential.decode(record)


def encode_body(event: LogEvent) -> bytes:
    """What an event says at length."""
    if isinstance(event, SessionEvent):
        return _encode_session_body(event)
    if isinstance(event, RefusedDecision):
        return _encoder.encode(_RefusedBody(*_fields_of_refused(event)))
    plan = event.plan
    draft = plan.revision if plan.revision.number == 0 else None
    message = "" if event.message == _repeated(event.comment, event.build) else event.message
    said = (message, event.todo_ids, event.comment, event.build, draft, event.session)
    return _encoder.encode(_EventBody(_record(plan), *said, event.request_id))


def _repeated(comment: Comment | None, build: Build | None) -> str:
    """What most events of a comment or a build say as their message."""
    return comment.text if comment else build.summary if build else ""


def _encode_session_body(event: SessionEvent) -> bytes:
    # Who reads the log must not be able to answer a prompt.
    approval = replace(event.approval, authority_token="") if event.approval else None
    said = (event.session, approval, event.remembered, event.cleared, event.message)
    return _encoder.encode(_SessionEventBody(*said, event.request_id, event.cause))


def decode_event(body: bytes, plan_id: str, workspace: str, revision: Revision, **columns: Any) -> Event:
    """An event from its body, its plan's identity, and what stands in columns of its own."""
    decoded = _event_body.decode(body)
    return Event(
        plan=_plan_from(plan_id, workspace, decoded.draft or revision, decoded.plan),
        message=decoded.message or _repeated(decoded.comment, decoded.build),
        todo_ids=decoded.todo_ids,
        comment=decoded.comment,
        build=decoded.build,
        session=decoded.session,
        request_id=decoded.request_id,
        **columns,
    )


def decode_session_event(body: bytes, workspace: str, **columns: Any) -> SessionEvent:
    decoded = _session_event_body.decode(body)
    said = {name: getattr(decoded, name) for name in _SessionEventBody.__struct_fields__}
    return SessionEvent(workspace=workspace, **said, **columns)


def decode_refused(body: bytes, **columns: Any) -> RefusedDecision:
    return RefusedDecision(**msgspec.structs.asdict(_refused_body.decode(body)), **columns)


def encode_answer(change: Change | SessionChange) -> bytes:
    """Packed if it is long: it tells of every todo, up to three times, and most are never asked for again."""
    answer = _encode_answer(change)
    return answer if len(answer) < PACKED_BYTES else zlib.compress(answer, level=1)


def _encode_answer(change: Change | SessionChange) -> bytes:
    if isinstance(change, SessionChange):
        kept = (change.sessions, change.approvals, change.remembered, change.forgotten, change.credentials)
        return _encoder.encode(SessionAnswer(*kept, change.left_out))
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


def decode_answer(answer: bytes) -> Answer | SessionChange:
    # What is not packed begins with a brace; releases up to 0.1.0 packed nothing.
    decoded = _answer.decode(answer if answer[:1] == b"{" else zlib.decompress(answer))
    if isinstance(decoded, Answer):
        return decoded
    kept = (
        *(decoded.approvals, decoded.remembered, decoded.forgotten),
        *(decoded.credentials, decoded.left_out),
    )
    return SessionChange(decoded.sessions, (), *kept)


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
