"""Nothing of one workspace is ever seen, counted or touched from another."""

from pathlib import Path

import pytest

from plangate_server.domain.errors import ShuttingDown
from plangate_server.ports import (
    EventFilter,
    Lookup,
    PlanFilter,
    Reading,
    RequestKey,
    ReviewFilter,
    Writing,
)
from tests.helpers.backends import (
    ALL,
    Backend,
    events_in,
    every_backend,
    following,
    go_on,
    plan_in,
    save,
    take,
)
from tests.helpers.domain import (
    a_draft,
    a_proposal,
    a_todo,
    approval_request_id,
    commented,
    decided,
    plan_id,
    started,
)

pytestmark = every_backend


def looks_up_nothing(lookup: Lookup) -> None:
    assert lookup.plan(plan_id(1)) is None
    assert lookup.session("s") is None
    assert lookup.approval("s", "call-1") is None
    assert lookup.remembered("d" * 32) is None
    assert not lookup.memory("s")
    assert lookup.plan_under_review(approval_request_id(1)) is None
    assert lookup.plan_of_build("b" * 32) is None
    assert lookup.revision(plan_id(1), 1) is None
    assert lookup.comment("c" * 32) is None


def finds_nothing(reading: Reading) -> None:
    looks_up_nothing(reading)
    assert reading.plans(PlanFilter(), after="", limit=ALL) == []
    assert reading.revisions(plan_id(1), after=0, limit=ALL) == []
    assert reading.review(approval_request_id(1)) is None
    assert reading.reviews(ReviewFilter(), after="", limit=ALL) == []
    assert reading.reviews_of_plan(plan_id(1), after="", limit=ALL) == []
    assert reading.comments(plan_id(1)) == []
    assert reading.events(EventFilter(plan_id=plan_id(1)), after=0, limit=ALL) == []
    assert reading.links(after=0, limit=ALL) == []
    assert (reading.last_sequence(), reading.forgotten_sequence()) == (0, 0)


async def test_another_workspace_sees_nothing(backend: Backend, tmp_path: Path) -> None:
    """No way of looking shows a plan, a review, a revision, an event or a number of another workspace."""

    async with backend.open(tmp_path) as node:
        plan = await save(
            node.store, a_proposal(1, a_draft(todos=[a_todo("a")]), workspace="acme", session_id="s")
        )
        await go_on(node.store, plan, decided)
        plan = await go_on(node.store, plan, lambda stored: started(stored, "b" * 32))
        await go_on(node.store, plan, lambda stored: commented(stored, "c" * 32))
        await node.store.read("elsewhere", finds_nothing)
        await node.store.write("elsewhere", looks_up_nothing)


@pytest.mark.parametrize("other", ["", "ACME", "acme ", "acme/", "acm", "acme%", "ac_e", "é"])
async def test_similar_names_are_different_workspaces(backend: Backend, tmp_path: Path, other: str) -> None:
    """Names are compared letter by letter, without patterns, cases or trimming."""
    async with backend.open(tmp_path) as node:
        await save(node.store, a_proposal(1, workspace="acme"))
        assert await plan_in(node.store, other, plan_id(1)) is None
        assert await node.store.read(other, lambda reading: reading.last_sequence()) == 0


async def test_every_workspace_counts_from_one(backend: Backend, tmp_path: Path) -> None:
    """Events are numbered per workspace, whatever happens in the others in between."""
    async with backend.open(tmp_path) as node:
        one = await save(node.store, a_proposal(1, workspace="acme"))
        other = await save(node.store, a_proposal(2, workspace="elsewhere"))
        await go_on(node.store, one, decided)
        assert [event.sequence for event in await events_in(node.store, one)] == [1, 2, 3]
        assert [event.sequence for event in await events_in(node.store, other)] == [1, 2]


async def test_filters_stay_inside_the_workspace(backend: Backend, tmp_path: Path) -> None:
    """A filter that fits plans of two workspaces lists those of one."""
    async with backend.open(tmp_path) as node:
        mine = await save(node.store, a_proposal(1, workspace="acme", session_id="s"))
        await save(node.store, a_proposal(2, workspace="elsewhere", session_id="s"))
        listed = await node.store.read("acme", lambda r: r.plans(PlanFilter("s"), after="", limit=ALL))
        assert listed == [mine]


async def test_answers_stay_inside_the_workspace(backend: Backend, tmp_path: Path) -> None:
    """A request id of another workspace is unknown, also to a caller of the same name."""
    key = RequestKey("bot", "r-1", "fingerprint")

    def work(writing: Writing) -> None:
        change = a_proposal(1, workspace="acme")
        writing.save(change)
        writing.remember(key, change)

    async with backend.open(tmp_path) as node:
        await node.store.write("acme", work)
        assert await node.store.write("elsewhere", lambda writing: writing.recall(key)) is None


async def test_streams_stay_inside_the_workspace(backend: Backend, tmp_path: Path) -> None:
    """Following a plan under another workspace's name shows nothing of it."""
    async with backend.open(tmp_path) as node:
        with following(node, plan_id(1), "elsewhere") as stream:
            await save(node.store, a_proposal(1, workspace="acme"))
            node.end_streams()
            with pytest.raises(ShuttingDown):
                await take(stream, 1)
