"""What was written is kept, whole, for as long as the database is."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from plangate_server.domain.errors import InvalidCursor
from plangate_server.domain.events import Change, Event, EventType
from plangate_server.domain.plan import Plan, PlanState, Revision
from plangate_server.ports import Reading
from tests.helpers.backends import (
    Backend,
    events_in,
    every_backend,
    every_database,
    first_steps,
    go_on,
    plan_in,
    save,
)
from tests.helpers.conditions import PATIENCE
from tests.helpers.domain import LATER, a_note, a_plan, a_proposal, approval_request_id, decided, plan_id
from tests.helpers.examples import plans
from tests.helpers.profiles import examples


def next_revision(plan: Plan) -> Change:
    """The plan with new words, about which people are asked anew."""
    content = replace(plan.revision.content, plan="# Other words")
    revision = replace(plan.revision, number=plan.revision.number + 1, content=content, digest="f" * 64)
    review = replace(plan.review, approval_request_id="a" * 32, revision=revision.number, digest="f" * 64)
    after = replace(plan, revision=revision, review=review)
    return Change(after, (Event(EventType.PLAN_APPROVAL_REQUIRED, LATER, "builder-bot", after),))


def reading_revision(number: int, of: int = 1) -> Callable[[Reading], Revision | None]:
    return lambda reading: reading.revision(plan_id(of), number)


def reading_review(asked: str) -> Callable[[Reading], Plan | None]:
    return lambda reading: reading.plan_under_review(asked)


@every_backend
@examples(5)
@given(some=st.lists(plans(), min_size=5, max_size=12))
async def test_a_plan_comes_back_as_it_was(
    backend: Backend, some: list[Plan], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Plan, revision, review and events are equal to what was saved, whatever texts and times they hold."""
    async with backend.open(tmp_path_factory.mktemp("store")) as node:
        for number, made in enumerate(some, start=1):
            review = replace(made.review, approval_request_id=approval_request_id(number))
            plan = replace(made, plan_id=plan_id(number), review=review)
            event = Event(EventType.PLAN_CREATED, plan.update_time, plan.created_by, plan, plan.session_id)
            await save(node.store, Change(plan, (event,)))
            assert await plan_in(node.store, plan.workspace, plan.plan_id) == plan
            assert await events_in(node.store, plan) == [replace(event, sequence=number)]
            revision = await node.store.read(plan.workspace, reading_revision(1, of=number))
            assert revision == plan.revision


@every_database
async def test_what_was_written_outlives_the_store(backend: Backend, tmp_path: Path) -> None:
    """After closing and opening again, plans, reviews, events and their numbers are there."""
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        plan = await go_on(node.store, plan, decided)
        before = await events_in(node.store, plan)
    async with backend.open(tmp_path) as node:
        assert await plan_in(node.store, "acme", plan.plan_id) == plan
        assert await events_in(node.store, plan) == before
        assert await node.store.read("acme", reading_review(approval_request_id(1))) == plan
        later = await save(node.store, a_proposal(2))
        assert [event.sequence for event in await events_in(node.store, later)] == [4, 5]


@every_database
async def test_closing_finishes_what_was_submitted(backend: Backend, tmp_path: Path) -> None:
    """A write that was handed in before the store closes is done and answered."""
    async with backend.open(tmp_path) as node:
        writes = [asyncio.create_task(save(node.store, a_proposal(n))) for n in range(1, 301)]
        await first_steps()
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*writes)
    async with backend.open(tmp_path) as node:
        assert await node.store.read("acme", lambda reading: reading.last_sequence()) == 600


@every_backend
async def test_older_revisions_stay(backend: Backend, tmp_path: Path) -> None:
    """A plan shows its head, its earlier revisions can be read, and each event shows the one of its time."""
    async with backend.open(tmp_path) as node:
        old = await save(node.store, a_proposal(1))
        new = await go_on(node.store, old, next_revision)
        assert await plan_in(node.store, "acme", old.plan_id) == new
        events = await events_in(node.store, old)
        assert [event.plan.revision for event in events] == [old.revision, old.revision, new.revision]
        for number, expected in ((1, old.revision), (2, new.revision), (3, None), (0, None)):
            assert await node.store.read("acme", reading_revision(number)) == expected


@every_backend
async def test_every_review_leads_to_the_plan_as_it_is(backend: Backend, tmp_path: Path) -> None:
    """Also the id of an earlier review finds the plan, at its head."""
    async with backend.open(tmp_path) as node:
        old = await save(node.store, a_proposal(1))
        new = await go_on(node.store, old, next_revision)
        for asked in (old.review.approval_request_id, new.review.approval_request_id):
            assert await node.store.read("acme", reading_review(asked)) == new


@every_backend
async def test_a_change_may_have_nothing_to_tell(backend: Backend, tmp_path: Path) -> None:
    """A change without events is stored like any other, and takes no number."""
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, Change(a_plan(1), ()))
        assert await plan_in(node.store, "acme", plan.plan_id) == plan
        assert await node.store.read("acme", lambda reading: reading.last_sequence()) == 0


@every_backend
async def test_each_event_keeps_its_own_plan(backend: Backend, tmp_path: Path) -> None:
    """A change of several steps is told by events that each show the plan after their step."""
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        first, second = a_note(plan, state=PlanState.BUILDING), a_note(plan, state=PlanState.COMPLETED)
        await go_on(node.store, plan, lambda _: Change(second.plan, (*first.events, *second.events)))
        *_, one, other = await events_in(node.store, plan)
        shown = [note.events[0].in_short.plan for note in (first, second)]
        assert [one.plan, other.plan] == shown


@every_database
async def test_cursors_belong_to_the_database(backend: Backend, tmp_path: Path) -> None:
    """A cursor is understood after a restart, and not by another database."""
    async with backend.open(tmp_path / "one") as node:
        cursor = node.store.cursors.encode("acme", 7)
    async with backend.open(tmp_path / "one") as node:
        assert node.store.cursors.decode("acme", cursor) == 7
    async with backend.open(tmp_path / "other") as node:
        with pytest.raises(InvalidCursor):
            node.store.cursors.decode("acme", cursor)
