"""agent.v1.SessionService."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from plangate_proto.agent.v1 import agent_session_service_pb2 as pb
from plangate_proto.agent.v1.agent_session_service_pb2_grpc import SessionServiceServicer
from plangate_server.ports import SessionFilter, World
from plangate_server.rpc import requests, session_requests
from plangate_server.rpc.principal import calling
from plangate_server.rpc.running import Context
from plangate_server.rpc.session_messages import RESULT, session_message
from plangate_server.rpc.streaming import Encoder
from plangate_server.rpc.times import timestamp
from plangate_server.usecases.authorize_tool import authorize_tool
from plangate_server.usecases.read_sessions import SessionView, get_session, list_sessions, watch_session
from plangate_server.usecases.session_modes import change_mode, confirm, report_event
from plangate_server.usecases.sharing import Shared


class SessionServicer(SessionServiceServicer):
    def __init__(self, world: World, encoder: Encoder) -> None:
        self._world = world
        self._views: Shared[SessionView] = Shared()

    async def GetSession(self, request: pb.GetSessionRequest, context: Context) -> pb.GetSessionResponse:
        view = await get_session(self._world, calling(), request.session_id)
        return pb.GetSessionResponse(session=_message(view))

    async def ListSessions(
        self, request: pb.ListSessionsRequest, context: Context
    ) -> pb.ListSessionsResponse:
        which = SessionFilter(requests.all_known(session_requests.MODES, request.modes, "modes"))
        page, token = await list_sessions(
            self._world, calling(), which, request.page_size, request.page_token
        )
        return pb.ListSessionsResponse(sessions=map(_message, page), next_page_token=token)

    async def WatchSession(
        self, request: pb.WatchSessionRequest, context: Context
    ) -> AsyncGenerator[pb.WatchSessionResponse]:
        moments = watch_session(self._world, calling(), request.session_id, request.cursor, self._views)
        async with aclosing(moments):
            async for moment in moments:
                yield pb.WatchSessionResponse(
                    cursor=self._world.store.cursors.encode(calling().workspace, moment.sequence),
                    session=_message(moment.view) if moment.view else None,
                    event_time=timestamp(moment.time),
                    actor=moment.actor,
                    checkpoint=moment.view is None,
                )

    async def SetMode(self, request: pb.SetModeRequest, context: Context) -> pb.SetModeResponse:
        mode = requests.given(session_requests.MODES, request.mode, "mode")
        key = requests.request_key("agent.v1.SetMode", calling(), request)
        view = await change_mode(self._world, calling(), request.session_id, mode, key)
        return pb.SetModeResponse(session=_message(view))

    async def ConfirmFullAccess(
        self, request: pb.ConfirmFullAccessRequest, context: Context
    ) -> pb.ConfirmFullAccessResponse:
        key = requests.request_key("agent.v1.ConfirmFullAccess", calling(), request)
        view = await confirm(self._world, calling(), request.session_id, confirm=request.confirm, key=key)
        return pb.ConfirmFullAccessResponse(session=_message(view))

    async def AuthorizeTool(
        self, request: pb.AuthorizeToolRequest, context: Context
    ) -> pb.AuthorizeToolResponse:
        call = session_requests.call_of(request, calling())
        work = session_requests.work_of(request)
        authorized = await authorize_tool(self._world, calling(), request.session_id, call, work)
        verdict = authorized.verdict
        return pb.AuthorizeToolResponse(
            decision=RESULT[verdict.result],
            rule=verdict.rule,
            reason=verdict.reason,
            correlation_id=authorized.correlation_id,
        )

    async def ReportEvent(self, request: pb.ReportEventRequest, context: Context) -> pb.ReportEventResponse:
        event = requests.given(session_requests.FSM_EVENTS, request.event, "event")
        key = requests.request_key("agent.v1.ReportEvent", calling(), request)
        view = await report_event(self._world, calling(), request.session_id, event, key)
        return pb.ReportEventResponse(session=_message(view))


def _message(view: SessionView) -> pb.Session:
    return session_message(view.session, view.last_decision)
