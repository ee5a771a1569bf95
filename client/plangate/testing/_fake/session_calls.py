"""Sessions: what they may do, and where they stand."""

from __future__ import annotations

from plangate.testing._fake import queue
from plangate.testing._fake.messages import word
from plangate.testing._fake.refusals import missing
from plangate.testing._fake.rules import question_of, verdict
from plangate.testing._fake.sessions import SessionRecord, Told
from plangate.testing._fake.state import AUTHOR, State, Type
from plangate.testing._fake.work import correlation_id, plan_of
from plangate_proto.agent.v1 import agent_session_service_pb2 as pb


def get_session(state: State, request: pb.GetSessionRequest) -> pb.GetSessionResponse:
    return pb.GetSessionResponse(session=state.session(request.session_id).shown())


def list_sessions(state: State, request: pb.ListSessionsRequest) -> pb.ListSessionsResponse:
    found = (session.shown() for session in reversed(state.sessions.values()))
    wanted = request.modes or pb.SessionMode.values()
    return pb.ListSessionsResponse(sessions=[each for each in found if each.mode in wanted])


def set_mode(state: State, request: pb.SetModeRequest) -> pb.SetModeResponse:
    if not request.mode:
        raise missing("mode")
    is_new = request.session_id not in state.sessions
    session = state.begun_session(request.session_id)
    told = session.set_mode(request.mode)
    if is_new and not told:
        told = [(Type.REVIEW_EVENT_TYPE_SESSION_MODE_CHANGED, word(pb.SessionMode, session.session.mode))]
    _changed(state, session, told, AUTHOR)
    return pb.SetModeResponse(session=session.shown())


def confirm_full_access(
    state: State, request: pb.ConfirmFullAccessRequest, person: str
) -> pb.ConfirmFullAccessResponse:
    session = state.session(request.session_id)
    _changed(state, session, session.confirm(yes=request.confirm), person)
    return pb.ConfirmFullAccessResponse(session=session.shown())


def report_event(state: State, request: pb.ReportEventRequest) -> pb.ReportEventResponse:
    if not request.event:
        raise missing("event")
    state.session_or_none_yet(request.session_id).check_reportable(request.event)
    session = state.begun_session(request.session_id)
    _changed(state, session, session.report(request.event), AUTHOR)
    return pb.ReportEventResponse(session=session.shown())


def authorize_tool(state: State, request: pb.AuthorizeToolRequest) -> pb.AuthorizeToolResponse:
    for field in ("session_id", "tool_name"):
        if not getattr(request, field):
            raise missing(field)
    plan_uri = plan_of(state, request)
    session = state.session_or_none_yet(request.session_id)
    found = verdict(session.session.mode, state.memory, request.session_id, question_of(request))
    return pb.AuthorizeToolResponse(
        decision=found.result,
        rule=found.rule,
        reason=found.reason,
        correlation_id=correlation_id(request, plan_uri),
    )


def _changed(state: State, session: SessionRecord, told: Told, actor: str) -> None:
    """Tell of it, and look again at the calls that wait."""
    for kind, message in told:
        state.tell_of_session(session, kind, actor, message)
    if told:
        queue.leave(state, session, queue.settle(state, session))
