"""UpdateTodos: what an agent says again and again while it builds."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from uuid import uuid4

from bench import steps
from bench.contenders.floor import FLOOR
from bench.contenders.postgres import POSTGRES
from bench.contenders.sqlite import SQLITE
from bench.load import callers_of
from bench.measurements import methods
from bench.parts import Goal, Measurement, Sampler
from bench.plan import create_request
from bench.wire import Connection, connected
from plangate_proto.agent.v1.plan_service_pb2 import UpdateTodosRequest
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus, UpdateTodosArgs

CALLERS: Final = (1, 16, 64)
STATUSES: Final = (TodoStatus.TODO_STATUS_IN_PROGRESS, TodoStatus.TODO_STATUS_PENDING)
"""They take turns, so that every call changes something."""


class _Plan:
    """An approved plan that one caller at a time works on."""

    def __init__(self, uri: str) -> None:
        self._uri = uri
        self._statuses = itertools.cycle(STATUSES)

    def request(self) -> bytes:
        todo = TodoItem(id="step-1", status=next(self._statuses))
        return UpdateTodosRequest(
            args=UpdateTodosArgs(todos=[todo], merge=True),
            plan_uri=self._uri,
            agent_id="bench",
            request_id=str(uuid4()),
        ).SerializeToString()


@asynccontextmanager
async def _open(address: str) -> AsyncIterator[Sampler]:
    async with connected(address) as connection:
        free = deque(await asyncio.gather(*(_approved(connection) for _ in range(max(CALLERS)))))

        async def update() -> None:
            plan = free.popleft()
            await connection.unary(methods.UPDATE_TODOS, plan.request())
            free.append(plan)

        yield callers_of(update)


async def _approved(connection: Connection) -> _Plan:
    return _Plan((await steps.round_trip(connection, connection, create_request())).plan_uri)


TODO_UPDATES = Measurement(
    "Todo updates",
    "UpdateTodos sets the status of one todo of an approved plan; each caller has a plan of its own, each "
    "call a request_id.",
    {FLOOR: _open, SQLITE: _open, POSTGRES: _open},
    callers=CALLERS,
    goals=(Goal(SQLITE, FLOOR, 64, 0.70), Goal(POSTGRES, FLOOR, 64, 0.70)),
)
