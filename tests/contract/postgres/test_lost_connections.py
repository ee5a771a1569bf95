"""A database that went away and came back is used again, whoever notices first."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from plangate_server.domain.plan import Plan
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.read_plans import get_plan
from plangate_server.usecases.submit_review import SubmitReview, submit_review
from tests.helpers.domain import a_draft
from tests.helpers.nodes import PostgresNode, open_node
from tests.helpers.postgres import database_of
from tests.helpers.world import AGENT

CUT = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


def cut_all_connections(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(CUT)


async def write(node: PostgresNode, _: Plan) -> None:
    await create_plan(node.world, AGENT, CreatePlan(a_draft()))


async def look_up_in_a_write(node: PostgresNode, _: Plan) -> None:
    await create_plan(node.world, AGENT, CreatePlan(a_draft(), session_id="s-1"))


async def decide(node: PostgresNode, plan: Plan) -> None:
    review = plan.review
    command = SubmitReview(review.approval_request_id, "approve", review.revision, review.digest)
    await submit_review(node.world, AGENT, command)


async def forget(node: PostgresNode, _: Plan) -> None:
    moment = datetime.fromtimestamp(0, UTC)
    await node.store.forget(events_before=moment, requests_before=moment)


async def read(node: PostgresNode, plan: Plan) -> None:
    await get_plan(node.world, AGENT, plan.uri)


@pytest.mark.parametrize("notice", [write, look_up_in_a_write, decide, forget, read])
async def test_a_lost_connection_is_replaced(
    tmp_path: Path, notice: Callable[[PostgresNode, Plan], Awaitable[None]]
) -> None:
    """The first call after the loss goes through, and so does everything after it."""
    url = database_of(tmp_path)
    async with open_node(url) as node:
        plan = await create_plan(node.world, AGENT, CreatePlan(a_draft()))
        cut_all_connections(url)
        await notice(node, plan)
        for again in (write, look_up_in_a_write, forget, read):
            await again(node, plan)
