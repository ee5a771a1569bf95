"""The approval round trip: what an agent and a person do with every plan."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial

from bench import steps
from bench.contenders.floor import FLOOR
from bench.contenders.postgres import CROSSWISE, POSTGRES, TWO_NODES
from bench.contenders.sqlite import SQLITE
from bench.load import callers_of
from bench.parts import Goal, Measurement, Sampler
from bench.plan import create_request
from bench.wire import connected


def _open(address: str, *, crosswise: bool = False) -> AbstractAsyncContextManager[Sampler]:
    return _connect(address.split(","), crosswise)


@asynccontextmanager
async def _connect(addresses: list[str], crosswise: bool) -> AsyncIterator[Sampler]:
    async with AsyncExitStack() as stack:
        nodes = [await stack.enter_async_context(connected(node)) for node in addresses]
        people = nodes[::-1] if crosswise else nodes
        turns = itertools.cycle(zip(nodes, people, strict=True))

        async def round_trip() -> None:
            agent, person = next(turns)
            await steps.round_trip(agent, person, create_request())

        yield callers_of(round_trip)


ROUND_TRIP = Measurement(
    "Approval round trip",
    "CreatePlan; a new ReviewPlan stream shows the snapshot; SubmitReview approves; the stream carries the "
    "decision and ends.",
    {
        FLOOR: _open,
        SQLITE: _open,
        POSTGRES: _open,
        TWO_NODES: _open,
        CROSSWISE: partial(_open, crosswise=True),
    },
    goals=(
        Goal(SQLITE, FLOOR, 64, 0.60),
        Goal(POSTGRES, FLOOR, 64, 0.60),
        Goal(SQLITE, FLOOR, 1, 0.45),
        Goal(POSTGRES, FLOOR, 1, 0.45),
        Goal(TWO_NODES, POSTGRES, 64, 1.01),
    ),
)
