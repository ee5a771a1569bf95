"""A request that is repeated under its id is done once, and answered as it was the first time."""

import asyncio
from pathlib import Path

import pytest

from plangate_server.domain.errors import Reason, RequestIdReused
from plangate_server.domain.events import Change
from plangate_server.domain.plan import Plan
from plangate_server.ports import PlanFilter, RequestKey, Store, World, Writing
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from tests.helpers.backends import ALL, Backend, Node, every_backend, every_database, go_on
from tests.helpers.domain import a_draft, a_plan, a_proposal, decided
from tests.helpers.world import AGENT, NO_POLICY, NOBODY, CountingIds, ManualClock

KEY = RequestKey("bot", "r-1", "same")


async def do(store: Store, key: RequestKey, number: int) -> Plan:
    """Propose a plan under a request id, without looking whether it was done before."""

    def work(writing: Writing) -> Plan:
        change = a_proposal(number)
        writing.save(change)
        writing.remember(key, change)
        return change.plan

    return await store.write("acme", work)


async def recall(store: Store, key: RequestKey) -> Plan | None:
    answer = await store.write("acme", lambda writing: writing.recall(key))
    return answer.plan if isinstance(answer, Change) else None


def a_world(node: Node) -> World:
    return World(node.store, node.feed, ManualClock(), CountingIds(), NO_POLICY, NOBODY)


@every_backend
async def test_an_unknown_request_has_no_answer(backend: Backend, tmp_path: Path) -> None:
    """Nothing is recalled that was not remembered."""
    async with backend.open(tmp_path) as node:
        assert await recall(node.store, KEY) is None


@every_backend
async def test_a_known_request_has_its_first_answer(backend: Backend, tmp_path: Path) -> None:
    """The same key gives the plan as the request left it."""
    async with backend.open(tmp_path) as node:
        assert await do(node.store, KEY, 1) == await recall(node.store, KEY)


@every_database
async def test_an_answer_outlives_the_store(backend: Backend, tmp_path: Path) -> None:
    """Whoever asks again after a restart gets the answer that was given before it."""
    async with backend.open(tmp_path) as node:
        answer = await do(node.store, KEY, 1)
    async with backend.open(tmp_path) as node:
        assert await recall(node.store, KEY) == answer


@every_backend
async def test_an_answer_does_not_change_with_the_plan(backend: Backend, tmp_path: Path) -> None:
    """What happens to the plan later does not show in what the request is answered."""
    async with backend.open(tmp_path) as node:
        answer = await do(node.store, KEY, 1)
        await go_on(node.store, answer, decided)
        assert await recall(node.store, KEY) == answer == a_plan(1)


@every_backend
async def test_an_id_is_not_used_for_two_requests(backend: Backend, tmp_path: Path) -> None:
    """The same id with another fingerprint is refused, and the first answer stays."""
    async with backend.open(tmp_path) as node:
        answer = await do(node.store, KEY, 1)
        with pytest.raises(RequestIdReused) as refused:
            await recall(node.store, RequestKey("bot", "r-1", "other"))
        assert refused.value.reason is Reason.REQUEST_ID_REUSED
        assert refused.value.metadata == {"request_id": "r-1"}
        assert await recall(node.store, KEY) == answer


@every_backend
@pytest.mark.parametrize("other", [RequestKey("bob", "r-1", "same"), RequestKey("bot", "r-2", "same")])
async def test_requests_are_told_apart(backend: Backend, tmp_path: Path, other: RequestKey) -> None:
    """Another caller's id, or another id of the same caller, has an answer of its own."""
    async with backend.open(tmp_path) as node:
        first = await do(node.store, KEY, 1)
        assert await recall(node.store, other) is None
        second = await do(node.store, other, 2)
        assert (await recall(node.store, KEY), await recall(node.store, other)) == (first, second)


@every_backend
async def test_one_request_fifty_times_at_once_is_done_once(backend: Backend, tmp_path: Path) -> None:
    """A client that retries wildly makes one plan, and every answer is the same."""
    command = CreatePlan(a_draft(), key=KEY)
    async with backend.open(tmp_path) as node:
        world = a_world(node)
        answers = await asyncio.gather(*(create_plan(world, AGENT, command) for _ in range(50)))
        stored = await node.store.read("acme", lambda r: r.plans(PlanFilter(), after="", limit=ALL))
        assert await node.store.read("acme", lambda reading: reading.last_sequence()) == 2
    assert len(stored) == 1
    assert answers == [*stored] * 50


@every_backend
async def test_of_two_requests_with_one_id_one_is_refused(backend: Backend, tmp_path: Path) -> None:
    """Sent at once, one of the two is done and the other refused; none is mistaken for the other."""
    commands = [CreatePlan(a_draft(name=name), key=RequestKey("bot", "r-1", name)) for name in ("One", "Two")]
    async with backend.open(tmp_path) as node:
        world = a_world(node)
        answers = await asyncio.gather(
            *(create_plan(world, AGENT, command) for command in commands), return_exceptions=True
        )
        stored = await node.store.read("acme", lambda r: r.plans(PlanFilter(), after="", limit=ALL))
    assert len(stored) == 1
    assert stored[0] in answers
    assert [type(answer) for answer in answers if answer != stored[0]] == [RequestIdReused]
