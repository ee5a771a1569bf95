"""What is open is told a few at a time, and still as it is at one moment: the one of the marker."""

import pytest
from msgspec.structs import replace

from plangate_server.domain.events import Event, EventType
from plangate_server.domain.identity import Principal
from plangate_server.ports import EventFilter
from plangate_server.usecases import watch_reviews as module
from plangate_server.usecases.streams import Moment
from plangate_server.usecases.watch_reviews import watch_reviews
from plangate_server.usecases.withdraw_plan import withdraw_plan
from tests.helpers.domain import a_proposal
from tests.helpers.world import AGENT, PERSON, Sandbox

PLANS = 5


async def taken(sandbox: Sandbox, withdraw_after: int, number: int) -> list[Moment]:
    """The moments up to the marker, where a plan is withdrawn after so many of them were told."""
    stream = watch_reviews(sandbox.world, PERSON, EventFilter(only_plans=True), snapshot=True)
    moments: list[Moment] = []
    async for moment in stream:
        moments.append(moment)
        if len(moments) == withdraw_after:
            await withdraw(sandbox, AGENT, number)
        if moment.event is None:
            break
    await stream.aclose()
    return moments


async def withdraw(sandbox: Sandbox, who: Principal, number: int) -> None:
    uri = a_proposal(number).plan.uri
    await withdraw_plan(sandbox.world, who, uri, reason="", agent_id="", key=None)


@pytest.fixture
async def slices(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """Five open plans, told two at a time."""
    monkeypatch.setattr(module, "SLICE", 2)
    for number in range(1, PLANS + 1):
        change = a_proposal(number)
        await sandbox.store.write("acme", lambda writing, change=change: writing.save(change))  # type: ignore[misc]
    return sandbox


def told(moments: list[Moment]) -> list[tuple[EventType, int]]:
    numbers = {a_proposal(number).plan.plan_id: number for number in range(1, PLANS + 1)}
    events = [each.event for each in moments if isinstance(each.event, Event)]
    return [(event.type, numbers[event.plan_id]) for event in events]


async def test_all_that_is_open_is_told(slices: Sandbox) -> None:
    """Each plan once, and then the marker with the newest place in the log."""
    moments = await taken(slices, 0, 0)
    assert told(moments) == [(EventType.SNAPSHOT, number) for number in range(1, PLANS + 1)]
    assert moments[-1] == Moment(await slices.last_sequence())


async def test_what_changes_after_it_was_told_is_told_before_the_marker(slices: Sandbox) -> None:
    """A plan of a slice that is gone by ends as an event, in its place in the log."""
    moments = await taken(slices, 2, 1)
    assert told(moments)[-1] == (EventType.PLAN_WITHDRAWN, 1)
    assert moments[-1] == Moment(await slices.last_sequence())
    assert replace(moments[-2], event=None) == Moment(await slices.last_sequence())


async def test_what_changes_before_it_is_told_is_not_told_as_open(slices: Sandbox) -> None:
    """A plan of a later slice that has ended meanwhile is none that is open; its end is told."""
    moments = await taken(slices, 1, PLANS)
    assert (EventType.SNAPSHOT, PLANS) not in told(moments)
    assert told(moments)[-1] == (EventType.PLAN_WITHDRAWN, PLANS)
