"""ReviewPlan from a cursor: exactly what came after it, then what happens now."""

import pytest

from plangate_server.domain.errors import InvalidCursor, ShuttingDown
from plangate_server.domain.events import EventType
from plangate_server.domain.plan import Plan
from plangate_server.usecases.streams import CATCH_UP
from tests.helpers.world import Sandbox, events_of, next_of
from tests.unit.usecases.steps import decide, note, propose, reviewing, sequences, whole_review


@pytest.mark.parametrize("position", [0, 1, 2, 3, 4])
async def test_a_cursor_goes_on_with_exactly_what_came_later(
    sandbox: Sandbox, plan: Plan, position: int
) -> None:
    """Whichever event was seen last, this plan's or not, every later one is told once, and no snapshot."""
    await propose(sandbox)
    await decide(sandbox, plan)
    events = await whole_review(sandbox, plan, sandbox.cursor(position))
    assert sequences(events) == [number for number in (1, 2, 5) if number > position]
    assert EventType.SNAPSHOT not in [event.type for event in events]


async def test_a_resumed_stream_goes_on_live(sandbox: Sandbox, plan: Plan) -> None:
    """After what was missed comes what happens now."""
    async with reviewing(sandbox, plan, sandbox.cursor(1)) as stream:
        assert (await next_of(stream)).sequence == 2
        await decide(sandbox, plan)
        assert sequences(await events_of(stream)) == [3]


async def test_the_snapshot_is_a_place_to_resume_from(sandbox: Sandbox, plan: Plan) -> None:
    """A stream that was cut after its snapshot goes on without a gap and without a repetition."""
    async with reviewing(sandbox, plan) as stream:
        snapshot = await next_of(stream)
    await note(sandbox, plan)
    await decide(sandbox, plan)
    assert sequences(await whole_review(sandbox, plan, sandbox.cursor(snapshot.sequence))) == [3, 4]


async def test_resuming_after_the_decision_ends_at_once(sandbox: Sandbox, plan: Plan) -> None:
    """An agent that has seen the decision is told nothing more, and does not wait."""
    await decide(sandbox, plan)
    await propose(sandbox)
    for position in (3, 4, 5):
        assert await whole_review(sandbox, plan, sandbox.cursor(position)) == []


@pytest.mark.parametrize("missed", [CATCH_UP - 1, CATCH_UP, CATCH_UP + 1, 2 * CATCH_UP])
async def test_far_behind_is_no_reason_to_miss_anything(sandbox: Sandbox, plan: Plan, missed: int) -> None:
    """However many events were missed, each is told once and in order, and the stream then goes on."""
    await note(sandbox, plan, times=missed)
    async with reviewing(sandbox, plan, sandbox.cursor(2)) as stream:
        caught_up = [await next_of(stream) for _ in range(missed)]
        await decide(sandbox, plan)
        told = [*caught_up, *await events_of(stream)]
    assert sequences(told) == list(range(3, missed + 4))


async def test_what_falls_between_stream_and_catching_up_is_told_once(sandbox: Sandbox, plan: Plan) -> None:
    """An event committed after following began and before the missed ones were read is not told again."""
    world = sandbox.interrupted(lambda: note(sandbox, plan))
    async with reviewing(sandbox, plan, sandbox.cursor(1), world=world) as stream:
        assert [(await next_of(stream)).sequence for _ in range(2)] == [2, 3]
        await decide(sandbox, plan)
        assert sequences(await events_of(stream)) == [4]


@pytest.mark.parametrize("told", [0, 1])
async def test_a_stream_that_is_ended_says_where_to_go_on(sandbox: Sandbox, plan: Plan, told: int) -> None:
    """The error carries the cursor of the last event that was told; from there nothing is missing."""
    async with reviewing(sandbox, plan) as stream:
        await next_of(stream)
        for _ in range(told):
            await note(sandbox, plan)
        seen = [(await next_of(stream)).sequence for _ in range(told)]
        sandbox.hub.close()
        with pytest.raises(ShuttingDown) as ended:
            await next_of(stream)
    await decide(sandbox, plan)
    resumed = await whole_review(sandbox, plan, ended.value.metadata["cursor"])
    assert [*seen, *sequences(resumed)] == list(range(3, 4 + told))


@pytest.mark.parametrize("ahead", [1, 100, 2**62])
async def test_a_cursor_from_the_future_is_refused(sandbox: Sandbox, plan: Plan, ahead: int) -> None:
    """A cursor that this log has not reached, as after a restored backup, is an error and no silence."""
    with pytest.raises(InvalidCursor):
        await whole_review(sandbox, plan, sandbox.cursor(2 + ahead))


async def test_a_cursor_of_another_workspace_is_refused(sandbox: Sandbox, plan: Plan) -> None:
    """Cursors are good where they were given out."""
    with pytest.raises(InvalidCursor):
        await whole_review(sandbox, plan, sandbox.cursor(1, workspace="elsewhere"))


async def test_an_altered_cursor_is_refused(sandbox: Sandbox, plan: Plan) -> None:
    """A cursor that was not given out is refused before anything is told."""
    with pytest.raises(InvalidCursor):
        await whole_review(sandbox, plan, sandbox.cursor(1)[::-1])
