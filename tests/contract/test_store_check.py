"""Whether the database can be used: asked without a trace, answered truly."""

from pathlib import Path

import pytest

from plangate_server.domain.errors import StoreUnavailable
from tests.helpers.backends import Backend, every_backend, save, whole_log
from tests.helpers.domain import a_proposal
from tests.helpers.nodes import open_node
from tests.helpers.postgres import running_server


@every_backend
async def test_a_database_that_answers(backend: Backend, tmp_path: Path) -> None:
    """Before and after writes there is nothing to say, and nothing is left behind by asking."""
    async with backend.open(tmp_path) as node:
        await node.store.check()
        await save(node.store, a_proposal(1))
        before = await node.store.read("acme", whole_log)
        await node.store.check()
        assert await node.store.read("acme", whole_log) == before


@pytest.mark.postgres
async def test_a_database_that_was_stopped() -> None:
    """PostgreSQL is away, and back again."""
    with running_server() as server:
        server.create_database("gate")
        async with open_node(server.url("gate")) as node:
            await node.store.check()
            server.stop()
            for _ in range(2):
                with pytest.raises(StoreUnavailable):
                    await node.store.check()
            server.start()
            await node.store.check()
