"""Lists: exactly the plans and events that were asked for, in order, and every one on some page."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest

from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import Option
from plangate_server.ports import EventFilter, PlanFilter, Reading, Store, Writing
from tests.helpers.backends import ALL, Backend, every_backend, go_on, save
from tests.helpers.domain import a_note, a_proposal, decided, plan_id

pytestmark = every_backend

SESSIONS = ("", "s-1", "s-2")
AUTHORS = ("bot", "bot-2")
OPTIONS = (None, Option.APPROVE, Option.REJECT)


async def one_of_each(store: Store) -> list[Plan]:
    """A plan of every session, author and state, in an order that is not that of their ids."""
    kinds = list(enumerate(product(SESSIONS, AUTHORS, OPTIONS), start=1))

    def work(writing: Writing) -> list[Plan]:
        plans = []
        for number, (session, author, option) in reversed(kinds):
            change = a_proposal(number, author=author, session_id=session)
            writing.save(change)
            if option is not None:
                change = decided(change.plan, option)
                writing.save(change)
            plans.append(change.plan)
        return plans[::-1]

    return await store.write("acme", work)


async def listed(store: Store, which: PlanFilter) -> Sequence[Plan]:
    return await store.read("acme", lambda reading: reading.plans(which, after="", limit=ALL))


async def numbers_after(store: Store, after: int, limit: int) -> list[int]:
    """The numbers of the first plan's events, after one of them."""
    which = EventFilter(plan_id=plan_id(1))
    events = await store.read("acme", lambda r: r.events(which, after=after, limit=limit))
    return [event.sequence for event in events]


def fits(plan: Plan, which: PlanFilter) -> bool:
    return (
        which.session_id in ("", plan.session_id)
        and which.created_by in ("", plan.created_by)
        and (not which.states or plan.state in which.states)
    )


async def test_filters_are_exact(backend: Backend, tmp_path: Path) -> None:
    """Every combination of filters gives the plans for which all parts hold, and no others."""
    some_states = [(), (PlanState.IN_REVIEW,), (PlanState.APPROVED, PlanState.REJECTED), (PlanState.DRAFT,)]
    async with backend.open(tmp_path) as node:
        plans = await one_of_each(node.store)
        for session, author, states in product((*SESSIONS, "s"), (*AUTHORS, "", "bo%"), some_states):
            which = PlanFilter(session, author, states)
            assert await listed(node.store, which) == [plan for plan in plans if fits(plan, which)]


async def test_plans_come_in_the_order_of_their_ids(backend: Backend, tmp_path: Path) -> None:
    """The order of a list is that of the ids, not that of writing or of changes."""
    async with backend.open(tmp_path) as node:
        await one_of_each(node.store)
        found = await listed(node.store, PlanFilter())
        assert [plan.plan_id for plan in found] == [plan_id(n) for n in range(1, 19)]


@pytest.mark.parametrize("size", [1, 5, 6, 18, 19])
@pytest.mark.parametrize("which", [PlanFilter(), PlanFilter("s-1"), PlanFilter(states=(PlanState.APPROVED,))])
async def test_pages_cover_everything_once(
    backend: Backend, tmp_path: Path, size: int, which: PlanFilter
) -> None:
    """Pages of any size, one after the other, give what one long list gives."""

    def turn_pages(reading: Reading) -> list[Plan]:
        found: list[Plan] = []
        while page := reading.plans(which, after=found[-1].plan_id if found else "", limit=size):
            assert len(page) <= size
            found += page
            assert len(found) <= 18, "the pages go round in circles"
        return found

    async with backend.open(tmp_path) as node:
        plans = await one_of_each(node.store)
        assert await node.store.read("acme", turn_pages) == [plan for plan in plans if fits(plan, which)]


async def test_a_page_begins_after_an_id_that_is_not_there(backend: Backend, tmp_path: Path) -> None:
    """The id that a page begins after need not be one of the list."""
    async with backend.open(tmp_path) as node:
        plans = [await save(node.store, a_proposal(n)) for n in (1, 2, 3)]
        between = f"{int(plan_id(1), 16) + 1:032x}"
        found = await node.store.read("acme", lambda r: r.plans(PlanFilter(), after=between, limit=ALL))
        assert found == plans[1:]


async def test_a_plan_moves_to_the_list_of_its_new_state(backend: Backend, tmp_path: Path) -> None:
    """A plan that was decided is no longer listed as waiting."""
    waiting = PlanFilter(states=(PlanState.IN_REVIEW,))
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        await go_on(node.store, plan, decided)
        assert await listed(node.store, waiting) == []


async def test_events_are_paged_by_their_numbers(backend: Backend, tmp_path: Path) -> None:
    """Events of one plan come in order, after a number, as many as asked for, without those of others."""
    async with backend.open(tmp_path) as node:
        one = await save(node.store, a_proposal(1))
        await save(node.store, a_proposal(2))
        await go_on(node.store, one, lambda plan: a_note(plan, times=3))
        for after, limit, expected in [
            (0, ALL, [1, 2, 5, 6, 7]),
            (0, 2, [1, 2]),
            (2, 2, [5, 6]),
            (3, 1, [5]),
            (6, ALL, [7]),
            (7, ALL, []),
            (99, ALL, []),
        ]:
            assert await numbers_after(node.store, after, limit) == expected
