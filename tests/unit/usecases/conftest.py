"""A world for each test, with a store of its own."""

import pytest

from plangate_server.domain.plan import Plan
from tests.helpers.world import Sandbox, make_world
from tests.unit.usecases.steps import propose


@pytest.fixture
async def sandbox() -> Sandbox:
    return make_world()


@pytest.fixture
async def plan(sandbox: Sandbox) -> Plan:
    """A plan that waits for a decision; its events are 1 and 2."""
    return await propose(sandbox)
