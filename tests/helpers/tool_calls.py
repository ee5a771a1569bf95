"""Tool calls and answers as tests send them, and the words in which tests read what comes back."""

from __future__ import annotations

from typing import Any

from google.protobuf.duration_pb2 import Duration

from plangate_proto.agent.v1.agent_session_service_pb2 import (
    AuthorizationResult,
    AuthorizeToolRequest,
    AuthorizeToolResponse,
    FsmEvent,
    FullAccessState,
    Session,
    SessionMode,
)
from plangate_proto.agent.v1.review_resource_pb2 import DecisionSource
from plangate_proto.agent.v1.session_state_pb2 import FsmState
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    Approval,
    ApprovalDecision,
    ApprovalPrompt,
    ApprovalState,
    Remember,
    RememberScope,
    RequestApprovalRequest,
    RequestApprovalResponse,
    ResetKind,
    ResolveApprovalRequest,
    ToolKind,
)

EDIT, TERMINAL, MCP = ToolKind.TOOL_KIND_EDIT, ToolKind.TOOL_KIND_TERMINAL, ToolKind.TOOL_KIND_MCP
AGENT, PLAN, FULL_ACCESS = (
    SessionMode.SESSION_MODE_AGENT,
    SessionMode.SESSION_MODE_PLAN,
    SessionMode.SESSION_MODE_FULL_ACCESS,
)
RESTART, OTHER_WORKSPACE = ResetKind.RESET_KIND_SESSION_RESTART, ResetKind.RESET_KIND_WORKSPACE_CHANGE

YES, FOR_SESSION, NO = "APPROVED", "APPROVED_FOR_SESSION", "DENIED"

PATCH = """\
--- a/cellar.txt
+++ b/cellar.txt
@@ -1 +1 @@
-dusty
+clean
"""


def call(command: str = "make test", call_id: str = "c1", **fields: Any) -> RequestApprovalRequest:
    """A call for a command of the session "s"; ``fields`` say otherwise, or more."""
    given = {"session_id": "s", "agent_id": "builder", "kind": TERMINAL, "tool_name": "bash", **fields}
    return RequestApprovalRequest(call_id=call_id, command=command, **given)


def patch(call_id: str = "c1", text: str = PATCH, **fields: Any) -> RequestApprovalRequest:
    return call(text, call_id, **{"kind": EDIT, "tool_name": "apply_patch", **fields})


def mcp(call_id: str = "c1", arguments: str = '{"to": "ada"}', **fields: Any) -> RequestApprovalRequest:
    return call(arguments, call_id, **{"kind": MCP, "tool_name": "mcp__post__send", **fields})


def resolution(prompt: ApprovalPrompt, option: str, **fields: Any) -> ResolveApprovalRequest:
    """What a person sends who sees the prompt."""
    given = {"authority_token": prompt.authority_token, **fields}
    return ResolveApprovalRequest(
        session_id=prompt.session_id,
        call_id=prompt.call_id,
        decision=ApprovalDecision.Value(f"APPROVAL_DECISION_{option}"),
        **given,
    )


def remember(pattern: str = "", scope: str = "SESSION", seconds: float | None = None) -> Remember:
    kept = Remember(scope=RememberScope.Value(f"REMEMBER_SCOPE_{scope}"), pattern=pattern)
    if seconds is not None:
        kept.expires_after.CopyFrom(span(seconds))
    return kept


def span(seconds: float) -> Duration:
    return Duration(seconds=int(seconds), nanos=round(seconds % 1 * 1e9))


def tool(tool_name: str = "bash", **fields: Any) -> AuthorizeToolRequest:
    return AuthorizeToolRequest(**{"session_id": "s", "tool_name": tool_name, **fields})


def states(*names: str) -> list[ApprovalState.ValueType]:
    return [ApprovalState.Value(f"APPROVAL_STATE_{name}") for name in names]


def event(name: str) -> FsmEvent.ValueType:
    return FsmEvent.Value(f"FSM_EVENT_{name}")


def state_of(told: Approval | RequestApprovalResponse) -> str:
    return ApprovalState.Name(told.state).removeprefix("APPROVAL_STATE_")


def standing(told: RequestApprovalResponse) -> tuple[str, int]:
    return state_of(told), told.position


def decision_of(told: Approval | RequestApprovalResponse) -> str:
    return ApprovalDecision.Name(told.decision).removeprefix("APPROVAL_DECISION_")


def source_of(told: Approval | RequestApprovalResponse) -> str:
    return DecisionSource.Name(told.source).removeprefix("DECISION_SOURCE_")


def outcome(told: Approval | RequestApprovalResponse) -> tuple[str, str, str, str]:
    """What became of a call, by whom or what."""
    return state_of(told), decision_of(told), source_of(told), told.rule or told.reviewer


def mode_of(session: Session) -> str:
    return SessionMode.Name(session.mode).removeprefix("SESSION_MODE_")


def full_access_of(session: Session) -> str:
    return FullAccessState.Name(session.full_access_state).removeprefix("FULL_ACCESS_STATE_")


def fsm_of(session: Session) -> str:
    return FsmState.Name(session.fsm_state).removeprefix("FSM_STATE_")


def verdict(told: AuthorizeToolResponse) -> tuple[str, str]:
    """What was said, and by which rule."""
    return AuthorizationResult.Name(told.decision).removeprefix("AUTHORIZATION_RESULT_"), told.rule
