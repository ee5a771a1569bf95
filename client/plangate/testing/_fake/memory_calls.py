"""What is remembered: listed, and forgotten."""

from __future__ import annotations

from plangate.testing._fake.messages import word
from plangate.testing._fake.refusals import Refused, missing
from plangate.testing._fake.sessions import SessionRecord
from plangate.testing._fake.state import State, Type
from plangate_proto.agent.v1 import tool_approval_service_pb2 as pb
from plangate_proto.agent.v1.tool_approval_service_pb2 import ResetKind


def list_remembered(state: State, request: pb.ListRememberedRequest) -> pb.ListRememberedResponse:
    reach = {"", request.session_id}
    found = [each for each in state.memory if not request.session_id or each.session_id in reach]
    return pb.ListRememberedResponse(remembered=found)


def forget_remembered(
    state: State, request: pb.ForgetRememberedRequest, person: str
) -> pb.ForgetRememberedResponse:
    if not request.remembered_id:
        raise missing("remembered_id")
    for kept in state.memory:
        if kept.remembered_id == request.remembered_id:
            state.memory.remove(kept)
            kind = Type.REVIEW_EVENT_TYPE_DECISION_FORGOTTEN
            state.tell_of_session(state.sessions.get(kept.session_id), kind, person, remembered=kept)
            return pb.ForgetRememberedResponse(remembered=kept)
    words = "remembered_id names no remembered decision of your workspace"
    facts = {"field": "remembered_id", "remembered_id": request.remembered_id}
    raise Refused("REMEMBERED_NOT_FOUND", words, **facts)


def reset_memory(state: State, request: pb.ResetMemoryRequest, person: str) -> pb.ResetMemoryResponse:
    """Forget what is remembered for a session that begins anew, or all; full access is dropped with it."""
    if not request.kind:
        raise missing("kind")
    own: SessionRecord | None = None
    sessions, gone = [*state.sessions.values()], [*state.memory]
    if request.kind == ResetKind.RESET_KIND_SESSION_RESTART:
        own = state.session(request.session_id)
        sessions, gone = [own], [each for each in gone if each.session_id == request.session_id]
    state.memory[:] = [each for each in state.memory if each not in gone]
    for session in sessions:
        for kind, message in session.drop_full_access():
            state.tell_of_session(session, kind, person, message)
    message = word(ResetKind, request.kind)
    state.tell_of_session(own, Type.REVIEW_EVENT_TYPE_MEMORY_RESET, person, message, cleared=len(gone))
    return pb.ResetMemoryResponse(cleared=len(gone))
