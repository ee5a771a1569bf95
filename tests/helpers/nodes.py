"""Two nodes of one gate: stores and hubs of their own over one PostgreSQL database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from plangate_server.ports import Store, World
from plangate_server.storage.hub import Hub
from plangate_server.storage.postgres import open_postgres
from plangate_server.system import SystemClock, TimeOrderedIds
from tests.helpers.postgres import database_of
from tests.helpers.world import NO_POLICY, NOBODY


@dataclass(frozen=True, slots=True)
class PostgresNode:
    store: Store
    feed: Hub
    world: World

    def end_streams(self) -> None:
        self.feed.close()


@asynccontextmanager
async def open_node(url: str) -> AsyncIterator[PostgresNode]:
    hub = Hub()
    async with open_postgres(url, hub) as store:
        yield PostgresNode(store, hub, World(store, hub, SystemClock(), TimeOrderedIds(), NO_POLICY, NOBODY))


@asynccontextmanager
async def two_nodes(folder: Path) -> AsyncIterator[tuple[PostgresNode, PostgresNode]]:
    """Both start at once, as after a power cut."""
    url = database_of(folder)
    async with AsyncExitStack() as stack:
        opening = [stack.enter_async_context(open_node(url)) for _ in range(2)]
        one, other = await asyncio.gather(*opening)
        yield one, other
