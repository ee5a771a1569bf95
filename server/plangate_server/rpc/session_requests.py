"""From requests about sessions and tool calls to the domain."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Final, Literal, Protocol

from google.protobuf import json_format

from plangate_proto.agent.v1 import agent_session_service_pb2, tool_approval_service_pb2
from plangate_server.domain import limits
from plangate_server.domain.approvals import Approval, ApprovalDecision
from plangate_server.domain.calls import call_of as call_from
from plangate_server.domain.calls import check_names
from plangate_server.domain.errors import InvalidField, LimitExceeded, MissingField
from plangate_server.domain.identity import Principal
from plangate_server.domain.remembering import Remembered, Scope
from plangate_server.domain.tools import Call
from plangate_server.rpc.enums import members
from plangate_server.rpc.requests import ACCESSES, given, known, moment, span
from plangate_server.rpc.session_messages import (
    APPROVAL_STATE,
    DECISION,
    FSM_EVENT,
    MODE,
    RESET_KIND,
    SCOPE,
    TOOL_KIND,
)
from plangate_server.usecases.request_approval import RequestApproval
from plangate_server.usecases.resolve_approval import Remember
from plangate_server.usecases.work_of_call import Work

MODES: Final = members(MODE)
FSM_EVENTS: Final = members(FSM_EVENT)
TOOL_KINDS: Final = members(TOOL_KIND)
STATES: Final = members(APPROVAL_STATE)
DECISIONS: Final = members(DECISION)
SCOPES: Final = members(SCOPE)
RESET_KINDS: Final = members(RESET_KIND)

NOT_YET: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""When a call is asked for is the service's to say."""


class NamesWork(Protocol):
    plan_uri: str
    build_id: str
    todo_id: str


def work_of(request: NamesWork) -> Work:
    return Work(request.plan_uri, request.build_id, request.todo_id)


def call_of(request: agent_session_service_pb2.AuthorizeToolRequest, principal: Principal) -> Call:
    limits.check_bytes("command", request.command, "command_bytes", limits.COMMAND_BYTES)
    check_names("command", request.command)
    return call_from(
        request.tool_name,
        request.command,
        _arguments(request) if request.HasField("arguments") else "",
        kind=given(TOOL_KINDS, request.kind, "kind"),
        access=given(ACCESSES, request.access, "access"),
        agent_id=request.agent_id,
        role=principal.role,
        person=principal.person,
    )


def _arguments(request: agent_session_service_pb2.AuthorizeToolRequest) -> str:
    """As JSON."""
    size = request.arguments.ByteSize()
    if size > limits.COMMAND_BYTES:
        raise LimitExceeded("command_bytes", limits.COMMAND_BYTES, size, "arguments")
    try:
        arguments = json_format.MessageToDict(request.arguments)
    except ValueError:
        raise InvalidField("arguments", "hold a number that is none, which no JSON has") from None
    return json.dumps(arguments, ensure_ascii=False)


def approval_of(request: tool_approval_service_pb2.RequestApprovalRequest) -> RequestApproval:
    kind = given(TOOL_KINDS, request.kind, "kind")
    if kind is None:
        raise MissingField("kind", "say what kind of thing the tool does")
    approval = Approval(
        approval_id="",
        workspace="",
        session_id=request.session_id,
        call_id=request.call_id,
        kind=kind,
        tool=request.tool_name,
        command=request.command,
        request_time=NOT_YET,
        requested_by="",
        agent_id=request.agent_id,
        agents_signature=request.signature,
        prompt=request.prompt,
        metadata=dict(request.metadata),
        build_id=request.build_id,
        todo_id=request.todo_id,
    )
    expires = span("expires_after", request.expires_after) if request.HasField("expires_after") else None
    return RequestApproval(approval, work_of(request), expires)


def remember_of(request: tool_approval_service_pb2.ResolveApprovalRequest) -> Remember | None:
    if not request.HasField("remember"):
        return None
    remember = request.remember
    if not remember.scope:
        raise MissingField("remember.scope", "say how far it reaches")
    expires = remember.HasField("expires_after")
    return Remember(
        known(SCOPES, remember.scope, "remember.scope"),
        remember.pattern,
        span("remember.expires_after", remember.expires_after) if expires else None,
    )


def remembered_of(message: tool_approval_service_pb2.Remembered, path: str) -> Remembered:
    """What an export tells of a decision; its id was that of another time or gate."""
    for field in ("tool_name", "signature", "reviewer"):
        if not getattr(message, field).strip():
            raise MissingField(f"{path}.{field}", "an export tells it")
    for field in ("tool_name", "reviewer", "person", "session_id"):
        limits.check_id(f"{path}.{field}", getattr(message, field))
    limits.check_bytes(f"{path}.signature", message.signature, "command_bytes", limits.COMMAND_BYTES)
    scope = known(SCOPES, message.scope, f"{path}.scope")
    if bool(message.session_id) is not (scope is Scope.SESSION):
        raise InvalidField(f"{path}.session_id", "goes with the scope SESSION, and with no other one")
    decision = known(DECISIONS, message.decision, f"{path}.decision")
    if decision is ApprovalDecision.APPROVED_FOR_SESSION:
        raise InvalidField(f"{path}.decision", "is APPROVED or DENIED in an export: the scope says how far")
    return Remembered(
        "",
        known(TOOL_KINDS, message.kind, f"{path}.kind"),
        message.tool_name,
        message.signature,
        is_pattern=message.is_pattern,
        allows=decision is ApprovalDecision.APPROVED,
        scope=scope,
        reviewer=message.reviewer,
        create_time=_moment(message, "create_time", path),
        session_id=message.session_id,
        expire_time=_moment(message, "expire_time", path) if message.HasField("expire_time") else None,
        person=message.person,
        restored_by=_restorers(message, path),
    )


def _moment(
    message: tool_approval_service_pb2.Remembered, field: Literal["create_time", "expire_time"], path: str
) -> datetime:
    if not message.HasField(field):
        raise MissingField(f"{path}.{field}", "an export tells it")
    return moment(f"{path}.{field}", getattr(message, field))


def _restorers(message: tool_approval_service_pb2.Remembered, path: str) -> tuple[str, ...]:
    limits.check_count(f"{path}.restored_by", len(message.restored_by), "restored", limits.RESTORED)
    for place, person in enumerate(message.restored_by):
        if not person.strip():
            raise MissingField(f"{path}.restored_by[{place}]", "an export tells it")
        limits.check_id(f"{path}.restored_by[{place}]", person)
    return tuple(message.restored_by)
