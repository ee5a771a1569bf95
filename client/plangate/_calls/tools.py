"""Tool calls and sessions: may I, and who says so."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final, Literal

from google.protobuf.struct_pb2 import Struct

from plangate._calls.kinds import Method, Pages, Stream, Unary, Until, by_page_token, new_id
from plangate._calls.words import number_of, span, uri_of
from plangate._tokens import AGENT
from plangate._values import ApprovalOutcome, Authorization
from plangate_proto.agent.v1.agent_session_service_pb2 import (
    AuthorizeToolRequest,
    AuthorizeToolResponse,
    FsmEvent,
    GetSessionRequest,
    GetSessionResponse,
    ListSessionsRequest,
    ListSessionsResponse,
    ReportEventRequest,
    ReportEventResponse,
    Session,
    SessionMode,
    SetModeRequest,
    SetModeResponse,
    ToolAccess,
    WatchSessionRequest,
    WatchSessionResponse,
)
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    Approval,
    ApprovalState,
    CancelApprovalRequest,
    CancelApprovalResponse,
    RequestApprovalRequest,
    RequestApprovalResponse,
    ToolKind,
)

SESSIONS: Final = "/agent.v1.SessionService/"
APPROVALS: Final = "/agent.v1.ApprovalService/"
AUTHORIZE: Final = Method(f"{SESSIONS}AuthorizeTool", AGENT, AuthorizeToolResponse, by_agent=True)
GET: Final = Method(f"{SESSIONS}GetSession", AGENT, GetSessionResponse)
LIST: Final = Method(f"{SESSIONS}ListSessions", AGENT, ListSessionsResponse)
WATCH: Final = Method(f"{SESSIONS}WatchSession", AGENT, WatchSessionResponse)
SET_MODE: Final = Method(f"{SESSIONS}SetMode", AGENT, SetModeResponse)
REPORT: Final = Method(f"{SESSIONS}ReportEvent", AGENT, ReportEventResponse)
REQUEST: Final = Method(f"{APPROVALS}RequestApproval", AGENT, RequestApprovalResponse, by_agent=True)
CANCEL: Final = Method(f"{APPROVALS}CancelApproval", AGENT, CancelApprovalResponse)

WAITING: Final = frozenset({ApprovalState.APPROVAL_STATE_QUEUED, ApprovalState.APPROVAL_STATE_ACTIVE})

Access = Literal["read", "write", "execute"]
Kind = Literal["edit", "terminal", "mcp"]
Mode = Literal["agent", "plan", "full_access"]


def authorize_tool(
    session_id: str,
    tool_name: str,
    *,
    access: Access | None = None,
    kind: Kind | None = None,
    command: str = "",
    arguments: Mapping[str, Any] | None = None,
    plan: Plan | str = "",
    build_id: str = "",
    todo_id: str = "",
    agent_id: str = "",
) -> Unary[Authorization]:
    """Whether a tool may be used now: allowed, denied, or to be asked for with ``request_approval``.

    Without ``kind``, the gate sees which one it is; what is remembered for one kind answers no other.
    """
    request = AuthorizeToolRequest(
        session_id=session_id,
        tool_name=tool_name,
        access=number_of(ToolAccess, "TOOL_ACCESS_", access or "unspecified"),
        kind=number_of(ToolKind, "TOOL_KIND_", kind or "unspecified"),
        command=command,
        plan_uri=uri_of(plan),
        build_id=build_id,
        todo_id=todo_id,
        agent_id=agent_id,
    )
    if arguments is not None:
        request.arguments.CopyFrom(Struct())
        request.arguments.update(arguments)
    return Unary(AUTHORIZE, request, Authorization)


def request_approval(
    session_id: str,
    tool_name: str,
    command: str,
    *,
    kind: Kind = "terminal",
    call_id: str = "",
    prompt: str = "",
    agent_id: str = "",
    plan: Plan | str = "",
    build_id: str = "",
    todo_id: str = "",
    metadata: Mapping[str, str] | None = None,
    expires_after: timedelta | None = None,
    timeout: float | None = None,
) -> Until[RequestApprovalResponse, ApprovalOutcome]:
    """Ask people for a tool call, and wait for the answer, also over restarts of the gate.

    ``call_id`` names the call in its session: asked again under the same one, it is the same call. Left
    out, it is a new one. With ``timeout``, in seconds, it raises TimedOut; the call goes on waiting.
    """
    request = RequestApprovalRequest(
        session_id=session_id,
        agent_id=agent_id,
        call_id=call_id or new_id(),
        kind=number_of(ToolKind, "TOOL_KIND_", kind),
        tool_name=tool_name,
        command=command,
        prompt=prompt,
        metadata=metadata,
        plan_uri=uri_of(plan),
        build_id=build_id,
        todo_id=todo_id,
        expires_after=span(expires_after),
    )
    # Without a cursor: asking again joins the call that waits, and tells where it stands.
    stream = Stream(REQUEST, request, _itself, lambda _: "", _is_over, timeout)
    return Until(stream, _Asking(request.call_id))


def cancel_approval(session_id: str, call_id: str) -> Unary[Approval]:
    """Take a tool call back that waits for an answer."""
    request = CancelApprovalRequest(session_id=session_id, call_id=call_id, request_id=new_id())
    return Unary(CANCEL, request, lambda response: response.approval)


def session(session_id: str) -> Unary[Session]:
    """A session as it is now."""
    return Unary(GET, GetSessionRequest(session_id=session_id), _session_of)


def sessions(*modes: Mode) -> Pages[Session]:
    """Every session in one of the modes, or in any; those that began last first."""
    numbers = [number_of(SessionMode, "SESSION_MODE_", mode) for mode in modes]
    request = ListSessionsRequest(modes=numbers)
    return Pages(LIST, request, lambda page: page.sessions, by_page_token(request))


def watch_session(session_id: str, *, cursor: str = "") -> Stream[WatchSessionResponse]:
    """A session as it is, and then after every change; between them, checkpoints without a session."""
    request = WatchSessionRequest(session_id=session_id, cursor=cursor)
    return Stream(WATCH, request, lambda response: response, lambda response: response.cursor)


def set_mode(session_id: str, mode: Mode) -> Unary[Session]:
    """Set what a session may do in general. An agent can make it stricter, never looser."""
    number = number_of(SessionMode, "SESSION_MODE_", mode)
    request = SetModeRequest(session_id=session_id, mode=number, request_id=new_id())
    return Unary(SET_MODE, request, _session_of)


def report_event(session_id: str, event: str) -> Unary[Session]:
    """Tell what only the agent knows: receive_message, is_atomic_true, is_atomic_false,
    route_to_architect or reset.
    """
    number = number_of(FsmEvent, "FSM_EVENT_", event)
    request = ReportEventRequest(session_id=session_id, event=number, request_id=new_id())
    return Unary(REPORT, request, _session_of)


class _Asking:
    def __init__(self, call_id: str) -> None:
        self._call_id = call_id
        self._last = RequestApprovalResponse()

    def note(self, event: RequestApprovalResponse) -> None:
        self._last = event

    def result(self) -> ApprovalOutcome:
        return ApprovalOutcome(self._call_id, self._last)


def _is_over(response: RequestApprovalResponse) -> bool:
    return response.state not in WAITING


def _itself(response: RequestApprovalResponse) -> RequestApprovalResponse:
    return response


def _session_of(response: GetSessionResponse | SetModeResponse | ReportEventResponse) -> Session:
    return response.session
