"""Two nodes on one PostgreSQL are one gate: one log, one decision, one effect, and no stream with a gap."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from plangate_server.domain.errors import AlreadyDecided, StoreUnavailable
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import Option
from plangate_server.ports import PlanFilter, RequestKey, Stream, Writing
from plangate_server.storage import postgres
from plangate_server.usecases.audit import verify_audit
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.read_plans import get_plan, list_plans
from plangate_server.usecases.submit_review import SubmitReview, submit_review
from tests.helpers.backends import following, take
from tests.helpers.conditions import PATIENCE
from tests.helpers.domain import a_draft, commented
from tests.helpers.domain import decided as a_decision
from tests.helpers.nodes import PostgresNode, open_node, two_nodes
from tests.helpers.postgres import running_server, shared_server
from tests.helpers.world import AGENT

Nodes = tuple[PostgresNode, PostgresNode]

ROUNDS = 25


@pytest.fixture
async def nodes(tmp_path: Path) -> AsyncIterator[Nodes]:
    async with two_nodes(tmp_path) as opened:
        yield opened


async def propose(node: PostgresNode, name: str = "A plan", session_id: str = "") -> Plan:
    return await create_plan(node.world, AGENT, CreatePlan(a_draft(name=name), session_id=session_id))


def approval(plan: Plan, word: str = "approve") -> SubmitReview:
    review = plan.review
    return SubmitReview(review.approval_request_id, word, review.revision, review.digest)


async def numbers_of(stream: Stream, count: int) -> list[int]:
    return [event.sequence for event in await take(stream, count)]


async def last_sequence(node: PostgresNode) -> int:
    return await node.store.read("acme", lambda reading: reading.last_sequence())


async def test_what_one_node_writes_the_other_tells(nodes: Nodes) -> None:
    """A stream on either node gets every event of both, in order, without a gap or a repeat."""
    with following(nodes[0], "") as one, following(nodes[1], "") as two:
        for turn in range(ROUNDS):
            await propose(nodes[turn % 2])
        expected = list(range(1, 2 * ROUNDS + 1))
        assert await numbers_of(one, 2 * ROUNDS) == expected
        assert await numbers_of(two, 2 * ROUNDS) == expected


async def test_a_write_is_seen_on_every_node_at_once(nodes: Nodes) -> None:
    """Whoever looks after the answer sees it, wherever they look."""
    for turn in range(ROUNDS):
        plan = await propose(nodes[turn % 2])
        assert await get_plan(nodes[1 - turn % 2].world, AGENT, plan.uri) == plan


async def test_a_decision_made_elsewhere_during_a_batch_stands(nodes: Nodes) -> None:
    """A batch that looks at a plan twice, before and after another node decides, overwrites nothing."""
    here, elsewhere = nodes
    plan = await propose(here)
    free, looked, decided = threading.Event(), threading.Event(), threading.Event()

    def hold_the_writer(writing: Writing) -> None:
        assert free.wait(PATIENCE)

    def comment(writing: Writing) -> None:
        found = writing.plan(plan.plan_id)
        assert found is not None
        looked.set()
        assert decided.wait(PATIENCE)
        writing.save(commented(found, comment_id="c" * 32))

    def reject(writing: Writing) -> None:
        found = writing.plan_under_review(plan.review.approval_request_id)
        assert found is not None
        writing.save(a_decision(found, Option.REJECT))

    held = asyncio.create_task(here.store.write("acme", hold_the_writer))
    batch = [asyncio.create_task(here.store.write("acme", work)) for work in (comment, reject)]
    await asyncio.sleep(0)  # the tasks begin, and their writes are queued
    free.set()
    assert await asyncio.to_thread(looked.wait, PATIENCE)
    await submit_review(elsewhere.world, AGENT, approval(plan))
    decided.set()
    await held
    results = await asyncio.gather(*batch, return_exceptions=True)
    assert [type(result) for result in results] == [type(None), AlreadyDecided]
    assert (await get_plan(here.world, AGENT, plan.uri)).state is PlanState.APPROVED


async def test_without_notifications_streams_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A node that hears nothing looks by itself."""
    monkeypatch.setattr(postgres, "_announcement", lambda _: "")
    async with two_nodes(tmp_path) as (writer, reader):
        with following(reader, "") as stream:
            for _ in range(3):
                await propose(writer)
            assert await numbers_of(stream, 6) == [1, 2, 3, 4, 5, 6]


async def test_writers_on_both_nodes_make_one_log(nodes: Nodes) -> None:
    """Under writers on both nodes at once, numbers are unique and without a gap, and the chain holds."""
    with following(nodes[0], "") as one, following(nodes[1], "") as two:
        await asyncio.gather(*(propose(node) for node in nodes * 100))
        expected = list(range(1, 401))
        assert await numbers_of(one, 400) == await numbers_of(two, 400) == expected
    assert await last_sequence(nodes[0]) == 400
    verdict = await verify_audit(nodes[1].world, AGENT, 0, "")
    assert (verdict.valid, verdict.checked) == (True, 400)


async def test_one_request_on_both_nodes_has_one_effect(nodes: Nodes) -> None:
    """A client that retries on another node while the first is at work gets one plan and equal answers."""
    for turn in range(ROUNDS):
        key = RequestKey(AGENT.name, f"r-{turn}", "same")
        command = CreatePlan(a_draft(), key=key)
        answers = await asyncio.gather(*(create_plan(node.world, AGENT, command) for node in nodes))
        assert answers[0] == answers[1]
    plans, _ = await list_plans(nodes[0].world, AGENT, PlanFilter(), 1000, "")
    assert len(plans) == ROUNDS


async def test_a_session_gets_one_plan_from_both_nodes(nodes: Nodes) -> None:
    """Of two proposals at once in a session without a plan, one makes it and the other revises it."""
    for turn in range(ROUNDS):
        session = f"s-{turn}"
        answers = await asyncio.gather(
            *(propose(node, f"Plan {number}", session) for number, node in enumerate(nodes))
        )
        assert answers[0].plan_id == answers[1].plan_id
        assert sorted(plan.revision.number for plan in answers) == [1, 2]
    plans, _ = await list_plans(nodes[0].world, AGENT, PlanFilter(), 1000, "")
    assert len(plans) == ROUNDS


async def test_a_cursor_is_good_on_every_node(nodes: Nodes) -> None:
    """Nodes that started at once agree on the name of their log."""
    cursor = nodes[0].store.cursors.encode("acme", 7)
    assert nodes[1].store.cursors.decode("acme", cursor) == 7


async def test_nodes_that_start_at_once_migrate_once() -> None:
    """An empty database is brought to the schema by one of them, and the others find it done."""
    server = shared_server()
    server.create_database("empty")
    url = server.url("empty")

    async def start_and_propose() -> tuple[str, Plan]:
        async with open_node(url) as node:
            return node.store.cursors.log_id, await propose(node)

    started = await asyncio.gather(*(start_and_propose() for _ in range(4)))
    assert len({log_id for log_id, _ in started}) == 1
    async with open_node(url) as node:
        assert await last_sequence(node) == 8


async def test_a_database_that_was_away_is_waited_for() -> None:
    """Meanwhile calls say that it is away; afterwards everything goes on, and no stream has a gap."""
    with running_server() as server:
        server.create_database("gate")
        async with open_node(server.url("gate")) as writer, open_node(server.url("gate")) as reader:
            with following(reader, "") as stream:
                plan = await propose(writer)
                await asyncio.to_thread(server.stop)
                for node in (writer, reader):
                    with pytest.raises(StoreUnavailable):
                        await propose(node)
                    with pytest.raises(StoreUnavailable):
                        await get_plan(node.world, AGENT, plan.uri)
                await asyncio.to_thread(server.start)
                for node in (writer, reader):
                    assert await get_plan(node.world, AGENT, plan.uri) == plan
                    await propose(node)
                async with asyncio.timeout(PATIENCE):
                    assert await numbers_of(stream, 6) == [1, 2, 3, 4, 5, 6]
