"""What agents and people do with a tool call, call by call."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import uuid4

from bench.measurements import methods
from bench.wire import Connection
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    ApprovalDecision,
    ApprovalState,
    RequestApprovalRequest,
    RequestApprovalResponse,
    ResolveApprovalRequest,
    ToolKind,
    WatchApprovalsRequest,
    WatchApprovalsResponse,
)


def asking(session_id: str, command: str) -> RequestApprovalRequest:
    """The agent wants to run a command."""
    return RequestApprovalRequest(
        session_id=session_id,
        call_id=str(uuid4()),
        kind=ToolKind.TOOL_KIND_TERMINAL,
        tool_name="bash",
        command=command,
        agent_id="bench",
    )


async def by_rule(connection: Connection, request: RequestApprovalRequest) -> None:
    """The agent asks, and a rule answers at once."""
    message = request.SerializeToString()
    seen = [answer.state async for answer in _standings(connection, message)]
    if seen != [ApprovalState.APPROVAL_STATE_DECIDED]:
        raise RuntimeError(f"it was to be decided at once: {seen}")


async def by_person(
    connection: Connection,
    request: RequestApprovalRequest,
    decision: ApprovalDecision.ValueType = ApprovalDecision.APPROVAL_DECISION_APPROVED,
) -> None:
    """The agent asks and waits; the person looks at the prompt and says yes."""
    seen: list[ApprovalState.ValueType] = []
    async for answer in _standings(connection, request.SerializeToString()):
        if not seen:
            await _answer(connection, request, decision)
        seen.append(answer.state)
    if seen != [ApprovalState.APPROVAL_STATE_ACTIVE, ApprovalState.APPROVAL_STATE_DECIDED]:
        raise RuntimeError(f"the stream of a call carried {seen}")


async def remember(connection: Connection, request: RequestApprovalRequest) -> None:
    """The person says yes for the rest of the session."""
    await by_person(connection, request, ApprovalDecision.APPROVAL_DECISION_APPROVED_FOR_SESSION)


async def _answer(
    connection: Connection, request: RequestApprovalRequest, decision: ApprovalDecision.ValueType
) -> None:
    watch = WatchApprovalsRequest(session_id=request.session_id).SerializeToString()
    prompts = connection.call(methods.WATCH_APPROVALS, watch)
    prompt = WatchApprovalsResponse.FromString(await anext(prompts)).prompt
    connection.cancel(prompts)
    answer = ResolveApprovalRequest(
        session_id=request.session_id,
        call_id=request.call_id,
        authority_token=prompt.authority_token,
        decision=decision,
        request_id=str(uuid4()),
    )
    await connection.unary(methods.RESOLVE_APPROVAL, answer.SerializeToString())


async def _standings(connection: Connection, message: bytes) -> AsyncIterator[RequestApprovalResponse]:
    async for answer in connection.call(methods.REQUEST_APPROVAL, message):
        yield RequestApprovalResponse.FromString(answer)
