"""The plan, build and todo that a tool call says it belongs to: they must be what it says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection

from plangate.testing._fake.build_calls import todo_not_found
from plangate.testing._fake.records import PREFIX, Record
from plangate.testing._fake.refusals import invalid
from plangate.testing._fake.state import State
from plangate_proto.agent.v1.agent_session_service_pb2 import AuthorizeToolRequest
from plangate_proto.agent.v1.tool_approval_service_pb2 import RequestApprovalRequest

Naming = AuthorizeToolRequest | RequestApprovalRequest


def plan_of(state: State, request: Naming) -> str:
    """The plan_uri of the plan that a call is for; empty if it names none."""
    if request.build_id:
        record = state.record_of_build(request.build_id)
        uri = record.plan.plan_uri
        if request.plan_uri not in {"", uri}:
            raise invalid("build_id", f"is of another plan than plan_uri: of {uri}")
        _check_todo(record, request.todo_id, record.builds[request.build_id].todo_ids)
        return uri
    if request.plan_uri:
        record = state.record(request.plan_uri)
        _check_todo(record, request.todo_id, [todo.id for todo in record.plan.todos])
    elif request.todo_id:
        raise invalid("todo_id", "needs the plan_uri or the build_id that it is of")
    return request.plan_uri


def correlation_id(request: Naming, plan_uri: str) -> str:
    """The same for every call that is made for the same todo of the same build of the same plan."""
    work = [request.session_id, plan_uri.removeprefix(PREFIX), request.build_id, request.todo_id]
    text = json.dumps(work, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _check_todo(record: Record, todo_id: str, known: Collection[str]) -> None:
    if todo_id and todo_id not in known:
        raise todo_not_found("todo_id", record, todo_id)
