"""AuthorizeTool: what an agent asks before every tool call."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from bench.contenders.floor import FLOOR
from bench.contenders.postgres import POSTGRES
from bench.contenders.sqlite import SQLITE
from bench.load import callers_of
from bench.measurements import methods
from bench.parts import Goal, Measurement, Sampler
from bench.tool_calls import asking, remember
from bench.wire import connected
from plangate_proto.agent.v1.agent_session_service_pb2 import (
    AuthorizationResult,
    AuthorizeToolRequest,
    AuthorizeToolResponse,
    ToolAccess,
)

SESSION: Final = "bench"
COMMAND: Final = "pytest -q tests/unit"


@asynccontextmanager
async def _open(address: str) -> AsyncIterator[Sampler]:
    async with connected(address) as connection:
        await remember(connection, asking(SESSION, COMMAND))
        request = AuthorizeToolRequest(
            session_id=SESSION,
            tool_name="bash",
            access=ToolAccess.TOOL_ACCESS_EXECUTE,
            command=COMMAND,
            agent_id="bench",
        ).SerializeToString()

        async def authorize() -> None:
            answer = AuthorizeToolResponse.FromString(await connection.unary(methods.AUTHORIZE_TOOL, request))
            if answer.decision != AuthorizationResult.AUTHORIZATION_RESULT_ALLOW:
                raise RuntimeError(f"it was to be allowed: {answer}")

        yield callers_of(authorize)


AUTHORIZE_TOOL = Measurement(
    "AuthorizeTool",
    "One call about a command that a person said yes to for the session; all callers are in that session.",
    {FLOOR: _open, SQLITE: _open, POSTGRES: _open},
    goals=(Goal(SQLITE, FLOOR, 64, 0.70), Goal(POSTGRES, FLOOR, 64, 0.70)),
)
