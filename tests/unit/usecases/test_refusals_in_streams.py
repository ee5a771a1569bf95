"""Refused decisions in streams: told to whoever asks for them, passed over by the others, in order."""

from contextlib import aclosing
from typing import Any

import pytest
from msgspec.structs import replace

from plangate_server.domain.errors import Refusal
from plangate_server.domain.events import EventType, RefusedDecision
from plangate_server.domain.plan import Plan
from plangate_server.domain.sessions import SessionMode
from plangate_server.ports import EventFilter
from plangate_server.usecases import streams
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.read_sessions import watch_session
from plangate_server.usecases.session_modes import change_mode, confirm
from plangate_server.usecases.streams import Moment
from plangate_server.usecases.submit_review import submit_review
from plangate_server.usecases.watch_reviews import watch_reviews
from tests.helpers.domain import a_draft
from tests.helpers.world import AGENT, PERSON, Sandbox, events_of
from tests.unit.usecases.steps import about, decide, reviewing, sequences, whole_review

REFUSED = frozenset({EventType.DECISION_REFUSED})


async def be_refused(sandbox: Sandbox, plan: Plan) -> None:
    with pytest.raises(Refusal):
        await submit_review(sandbox.world, PERSON, replace(about(plan), revision=2))


def told(moment: Moment) -> tuple[int, Any]:
    return moment.sequence, moment.event and moment.event.type


async def test_an_agent_is_not_told_of_refused_decisions(sandbox: Sandbox, plan: Plan) -> None:
    """Neither live nor when it resumes; the decision that counts comes through."""
    async with reviewing(sandbox, plan) as stream:
        await anext(stream)
        await be_refused(sandbox, plan)
        await decide(sandbox, plan)
        assert sequences(await events_of(stream)) == [4]
    assert sequences(await whole_review(sandbox, plan, sandbox.cursor(1)))[:2] == [2, 4]


async def test_a_refused_decision_moves_the_checkpoint_of_an_agent(
    sandbox: Sandbox, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing is told, the cursor goes on all the same."""
    async with reviewing(sandbox, plan) as stream:
        await anext(stream)
        await be_refused(sandbox, plan)
        monkeypatch.setattr(streams, "CHECKPOINT_SECONDS", 0.01)
        assert told(await anext(stream)) == (3, None)


@pytest.mark.parametrize("which", [EventFilter(only_plans=True), EventFilter(types=REFUSED)])
async def test_a_watch_tells_refused_decisions_if_it_asks_for_them(
    sandbox: Sandbox, plan: Plan, which: EventFilter
) -> None:
    """By their type, live as from a cursor, and in the order of the log; else only the cursor moves on."""
    async with aclosing(watch_reviews(sandbox.world, PERSON, which)) as live:
        assert told(await anext(live)) == (2, None)
        await be_refused(sandbox, plan)
        await decide(sandbox, plan)
        first = await anext(live)
    async with aclosing(watch_reviews(sandbox.world, PERSON, which, sandbox.cursor(2))) as resumed:
        assert await anext(resumed) == first
    assert told(first) == ((3, "decision_refused") if which.types else (4, "plan_approved"))


async def test_a_watch_of_a_session_tells_the_refused_decisions_in_it(sandbox: Sandbox, plan: Plan) -> None:
    """Those about its plans and its full access, and not those of others."""
    own = await create_plan(sandbox.world, AGENT, CreatePlan(a_draft(), session_id="s"))
    async with aclosing(watch_reviews(sandbox.world, PERSON, EventFilter("", "s", REFUSED))) as stream:
        await anext(stream)
        await be_refused(sandbox, plan)
        await be_refused(sandbox, own)
        with pytest.raises(Refusal):
            await confirm(sandbox.world, PERSON, "s", confirm=True, key=None)
        found = [(await anext(stream)).event for _ in range(2)]
    methods = [each.method for each in found if isinstance(each, RefusedDecision)]
    assert methods == ["SubmitReview", "ConfirmFullAccess"]


async def test_a_session_is_not_told_anew_when_a_decision_is_refused(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is what it was: only the cursor moves on."""
    await change_mode(sandbox.world, PERSON, "s", SessionMode.PLAN, None)
    async with aclosing(watch_session(sandbox.world, PERSON, "s")) as stream:
        await anext(stream)
        with pytest.raises(Refusal):
            await confirm(sandbox.world, PERSON, "s", confirm=True, key=None)
        monkeypatch.setattr(streams, "CHECKPOINT_SECONDS", 0.01)
        moment = await anext(stream)
        assert (moment.sequence, moment.view) == (2, None)
