"""An agent that asks for tool calls and goes on with something else: the calls wait."""

from __future__ import annotations

import uuid
from typing import Any

from plangate import Client
from plangate._calls import tools
from plangate_proto.agent.v1.tool_approval_service_pb2 import RequestApprovalResponse


def new_session() -> str:
    """A session that no other test has."""
    return f"session-{uuid.uuid4().hex}"


def ask_for(
    client: Client, session_id: str, command: str = "make test", tool_name: str = "bash", **options: Any
) -> str:
    """Ask for a call, and leave when the gate has it; gives its call_id."""
    call_id = options.pop("call_id", f"call-{uuid.uuid4().hex}")
    asking = tools.request_approval(session_id, tool_name, command, call_id=call_id, **options)
    standing: RequestApprovalResponse = next(client._follow(asking.stream))
    assert standing.state
    return str(call_id)
