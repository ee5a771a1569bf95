"""A world for each test, with a store of its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from plangate_server.domain.plan import Plan
from tests.helpers.world import Sandbox, open_world
from tests.unit.usecases.steps import propose


@pytest.fixture
async def sandbox(tmp_path: Path) -> AsyncIterator[Sandbox]:
    async with open_world(tmp_path) as opened:
        yield opened


@pytest.fixture
async def plan(sandbox: Sandbox) -> Plan:
    """A plan that waits for a decision; its events are 1 and 2."""
    return await propose(sandbox)
