"""An IDE in front of a gate, as a WebSocket client; and the agent on the other side."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from google.protobuf.duration_pb2 import Duration
from websockets.asyncio.client import ClientConnection, connect

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import BuildOutcome, Plan, TodoHint
from plangate_proto.agent.v1.plan_service_pb2 import (
    BuildTodosRequest,
    CreatePlanRequest,
    FinishBuildRequest,
    UpdateTodosRequest,
)
from plangate_proto.agent.v1.todo_tools_pb2 import TODO_STATUS_COMPLETED, TodoItem, UpdateTodosArgs
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate
from tests.helpers.tokens import local_token

PATIENT: Any = {"open_timeout": PATIENCE, "close_timeout": PATIENCE, "ping_interval": None}
"""For a client that waits as long as a test does."""
FORM = CreatePlanRequest(
    args=CreatePlanArgs(
        name="Login form",
        overview="Create a login form",
        plan="# Login form\n\nWith validation.",
        todos=[TodoItem(id="form", content="write the form"), TodoItem(id="tests", content="test it")],
    ),
    session_id="s",
    todo_hints={"form": TodoHint(agent="coder", estimated_time=Duration(seconds=300))},
)


@asynccontextmanager
async def ide(web: str, path: str = "/ws/s", token: str | None = None, **headers: str) -> AsyncIterator[Ide]:
    """Connected to a web port; with an empty token, without any."""
    token = local_token("reviewer") if token is None else token
    shown = {"Authorization": f"Bearer {token}"} if token else {}
    async with connect(
        f"ws://{web}{path}", additional_headers={**shown, **headers}, proxy=None, **PATIENT
    ) as socket:
        yield Ide(socket)


class Ide:
    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def says(self, message: Any) -> None:
        await self.socket.send(message if isinstance(message, str | bytes) else json.dumps(message))

    async def hears(self, *types: str) -> Any:
        """The next message of one of the types."""
        while True:
            async with asyncio.timeout(PATIENCE):
                message = json.loads(await self.socket.recv())
            if not types or message["type"] in types:
                return message

    async def closed(self) -> tuple[int | None, str | None]:
        """With what the gate closes the socket, whatever it says before."""
        async with asyncio.timeout(PATIENCE):
            await self.socket.wait_closed()
        return self.socket.close_code, self.socket.close_reason


def decision(asked: Any, choice: str, feedback: str | None = None) -> dict[str, Any]:
    said = {"type": "plan_decision", "approval_request_id": asked["approval_request_id"], "decision": choice}
    return said if feedback is None else {**said, "feedback": feedback}


async def build(gate: Gate, plan: Plan, outcome: BuildOutcome.ValueType) -> None:
    """What the agent does with an approved plan."""
    built = await gate.agent.BuildTodos(BuildTodosRequest(plan_uri=plan.plan_uri, agent_id="coder"))
    done = [TodoItem(id=todo.id, status=TODO_STATUS_COMPLETED) for todo in plan.todos]
    if outcome == BuildOutcome.BUILD_OUTCOME_COMPLETED:
        args = UpdateTodosArgs(todos=done, merge=True)
        await gate.agent.UpdateTodos(
            UpdateTodosRequest(plan_uri=plan.plan_uri, args=args, build_id=built.build_id)
        )
    await gate.agent.FinishBuild(FinishBuildRequest(build_id=built.build_id, outcome=outcome))
