"""A reviewer who watches anywhere is there for agents everywhere."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from plangate_server.ports import EventFilter
from plangate_server.storage import watchers
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from tests.helpers.conditions import PATIENCE, eventually
from tests.helpers.domain import a_draft
from tests.helpers.nodes import PostgresNode, open_node, two_nodes
from tests.helpers.postgres import database_of
from tests.helpers.world import AGENT

Nodes = tuple[PostgresNode, PostgresNode]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A node that is slow to say again who watches there is not taken for one that is gone."""
    monkeypatch.setattr(watchers, "GONE_SECONDS", round(PATIENCE))


@pytest.fixture
async def nodes(tmp_path: Path) -> AsyncIterator[Nodes]:
    async with two_nodes(tmp_path) as opened:
        yield opened


def watching(node: PostgresNode, count: int) -> Callable[[], bool]:
    return lambda: node.feed.reviewers_watching("acme") == count


async def test_reviewers_of_all_nodes_count(nodes: Nodes) -> None:
    """Each node tells the number of all, and of none once they have gone."""
    here, elsewhere = nodes
    with elsewhere.feed.follow("acme", EventFilter(), reviewer=True):
        with here.feed.follow("acme", EventFilter(), reviewer=True):
            await eventually(watching(here, 2))
            await eventually(watching(elsewhere, 2))
        await eventually(watching(here, 1))
    await eventually(watching(here, 0))
    await eventually(watching(elsewhere, 0))


async def test_a_reviewer_elsewhere_will_do(nodes: Nodes) -> None:
    """A plan that demands a reviewer is taken when one watches on another node."""
    here, elsewhere = nodes
    with elsewhere.feed.follow("acme", EventFilter(), reviewer=True):
        await eventually(watching(here, 1))
        await create_plan(here.world, AGENT, CreatePlan(a_draft(), require_reviewer=True))


async def test_reviewers_of_a_node_that_stops_are_gone(tmp_path: Path) -> None:
    """Who watched there must watch elsewhere to count."""
    url = database_of(tmp_path)
    async with open_node(url) as here:
        async with open_node(url) as elsewhere:
            with elsewhere.feed.follow("acme", EventFilter(), reviewer=True):
                await eventually(watching(here, 1))
                elsewhere.end_streams()
        here.feed.reviewers_changed.set()
        await eventually(watching(here, 0))


async def test_a_node_that_is_silent_is_gone(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that died without a word stops counting after a while."""
    here, elsewhere = nodes
    with elsewhere.feed.follow("acme", EventFilter(), reviewer=True):
        await eventually(watching(here, 1))
        monkeypatch.setattr(watchers, "GONE_SECONDS", -60)
        here.feed.reviewers_changed.set()
        await eventually(watching(here, 0))
