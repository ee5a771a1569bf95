"""RequestApproval: a tool call that a rule answers, and one that a person does."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from bench.contenders.floor import FLOOR
from bench.contenders.postgres import POSTGRES
from bench.contenders.sqlite import SQLITE
from bench.load import callers_of
from bench.parts import Measurement, Sampler
from bench.tool_calls import asking, by_person, by_rule, remember
from bench.wire import connected

CALLERS: Final = (1, 16, 64)
COMMAND: Final = "pytest -q tests/unit"


@asynccontextmanager
async def _with_rule(address: str) -> AsyncIterator[Sampler]:
    async with connected(address) as connection:
        await remember(connection, asking("remembered", COMMAND))
        yield callers_of(lambda: by_rule(connection, asking("remembered", COMMAND)))


@asynccontextmanager
async def _with_person(address: str) -> AsyncIterator[Sampler]:
    async with connected(address) as connection:
        free = deque(f"session-{number}" for number in range(max(CALLERS)))

        async def ask() -> None:
            session = free.popleft()
            await by_person(connection, asking(session, COMMAND))
            free.append(session)

        yield callers_of(ask)


BY_RULE = Measurement(
    "RequestApproval, answered by a rule",
    "One call about a command that a person said yes to for the session: stored, and answered without a "
    "prompt.",
    {FLOOR: _with_rule, SQLITE: _with_rule, POSTGRES: _with_rule},
    callers=CALLERS,
)
BY_PERSON = Measurement(
    "RequestApproval, answered by a person",
    "RequestApproval becomes active; a new WatchApprovals stream shows the prompt; ResolveApproval answers "
    "it; the first stream carries that and ends. Each caller has a session of its own.",
    {FLOOR: _with_person, SQLITE: _with_person, POSTGRES: _with_person},
    callers=CALLERS,
)
