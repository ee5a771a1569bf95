"""An answer belongs to the agent that asked: two agents with one token in one session."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator

import pytest

from plangate import errors
from plangate_proto.agent.v1.review_resource_pb2 import CommentState
from tests.contract.sdk.conftest import ServerSide, TestingSide
from tests.helpers.either_client import Awaited, first_of

A, B = "# Tidy the cellar\n\nall of it\n", "# Sell the house\n"


@pytest.fixture
async def agent_a(side: TestingSide | ServerSide) -> AsyncIterator[Awaited]:
    async with side.client(agent_id="a") as client:
        yield client


@pytest.fixture
async def agent_b(side: TestingSide | ServerSide) -> AsyncIterator[Awaited]:
    async with side.client(agent_id="b") as client:
        yield client


@pytest.fixture
def session() -> str:
    return uuid.uuid4().hex


async def test_each_agent_has_its_own_plan(
    agent_a: Awaited, agent_b: Awaited, another_person: Awaited, session: str
) -> None:
    """B's yes is no yes for A: whoever waits gets the answer to their own text."""
    first = await agent_a.create_plan(A, session_id=session)
    waiting = asyncio.create_task(agent_a.wait(first))
    second = await agent_b.create_plan(B, session_id=session)
    assert second.plan_uri != first.plan_uri
    await another_person.decide(second, "approve")
    assert (await agent_b.wait(second)).plan.plan == B
    assert not waiting.done()
    await another_person.decide(first, "reject", "not now")
    decision = await waiting
    assert (decision.outcome, decision.approved, decision.plan.plan) == ("REJECTED", False, A)


async def test_a_text_that_another_agent_replaced_is_not_approved(
    agent_a: Awaited, agent_b: Awaited, another_person: Awaited, session: str
) -> None:
    """Whoever waited for it is told so, before and after the other text is approved, and builds nothing."""
    plan = await agent_a.create_plan(A, session_id=session)
    waiting = asyncio.create_task(agent_a.wait(plan))
    newer = await agent_b.update_plan(plan, B)
    told = await waiting
    await another_person.decide(newer, "approve")
    for decision in (told, await agent_a.wait(plan), await agent_a.wait(plan.plan_uri)):
        assert (decision.superseded, decision.approved, decision.edited) == (True, False, False)
        assert decision.superseded_by == newer.review.approval_request_id
        assert decision.plan.plan in {A, ""}
        with pytest.raises(errors.ReviewSuperseded):
            await agent_a.build(decision)
    with pytest.raises(errors.StaleApproval):
        await agent_a.build(plan)
    assert (await agent_b.wait(newer)).approved


async def test_whoever_waits_for_anothers_plan_says_so(
    agent_a: Awaited, agent_b: Awaited, another_person: Awaited
) -> None:
    """Without it the wait is refused, with what to say; with it the answer is that to anybody's text."""
    plan = await agent_a.create_plan(A)
    for named in (plan, plan.plan_uri):
        for waits in (agent_b.wait, agent_b.events):
            with pytest.raises(errors.NotAuthor, match="any_author=True"):
                await waits(named)
    waiting = asyncio.create_task(agent_b.wait(plan.plan_uri, any_author=True))
    assert (await first_of(agent_b, "events", plan, any_author=True)).plan.plan == A
    await another_person.decide(plan, "approve")
    assert (await waiting).approved


async def test_a_persons_edit_is_a_yes_to_the_author(
    agent_a: Awaited, another_person: Awaited, session: str
) -> None:
    """Approved as edited, or edited first and approved then: the text is A's, as a person made it."""
    plan = await agent_a.create_plan(A, session_id=session)
    await another_person.decide(plan, "edit", edited="# Half the cellar")
    decision = await agent_a.wait(plan)
    assert (decision.approved, decision.edited, decision.plan.plan) == (True, True, "# Half the cellar")
    plan = await agent_a.update_plan(decision.plan, A)
    edited = await another_person.update_plan(plan, "# A quarter")
    await another_person.decide(edited, "approve")
    decision = await agent_a.wait(plan)
    assert (decision.approved, decision.plan.plan, decision.superseded) == (True, "# A quarter", False)
    assert (await agent_a.build(decision)).digest == edited.digest


async def test_an_agent_that_starts_again_is_the_same(
    side: TestingSide | ServerSide, another_person: Awaited, session: str
) -> None:
    """By the name that it has of itself: its plan is its own, and what it proposes the next revision."""
    async with side.client() as before:
        plan = await before.create_plan(A, session_id=session)
    async with side.client() as after:
        assert after.agent_id == before.agent_id != ""
        newer = await after.create_plan(A * 2, session_id=session)
        assert (newer.plan_uri, newer.revision) == (plan.plan_uri, 2)
        await another_person.decide(newer, "approve")
        assert (await after.wait(plan.plan_uri)).approved


async def test_comments_go_with_a_decision(
    agent_a: Awaited, agent_b: Awaited, another_person: Awaited
) -> None:
    """Those that are open: as they are, and as words behind the feedback, which is kept as it was said."""
    plan = await agent_a.create_plan(A)
    done = await another_person.comment(plan, "spelling", 1)
    await another_person.resolve_comment(done)
    await another_person.comment(plan, "why all?", 3)
    await another_person.decide(plan, "requestChanges", "smaller")
    decision = await agent_a.wait(plan)
    assert [(each.text, each.first_line, each.quoted_text) for each in decision.comments] == [
        ("why all?", 3, "all of it")
    ]
    assert (decision.words, decision.comments_left_out) == ("smaller", 0)
    assert decision.review.decisions[0].feedback_text == "smaller"
    assert decision.feedback.startswith("smaller\n\n1. Comment of ")
    assert decision.feedback.endswith(" on line 3:\n   > all of it\n   why all?")
    assert [each.text for each in await agent_b.comments(plan)] == ["spelling", "why all?"]
    still_open = await agent_b.comments(plan.plan_uri, CommentState.COMMENT_STATE_OPEN)
    assert [each.text for each in still_open] == ["why all?"]


async def test_a_draft_is_its_writers(agent_a: Awaited, agent_b: Awaited, session: str) -> None:
    """It becomes their next proposal; another agent has a plan of its own beside it."""
    async with await agent_a.draft_plan(session_id=session) as draft:
        await draft.write("# Tidy")
    mine = await agent_b.create_plan(B, session_id=session)
    whole = await agent_a.create_plan(A, session_id=session)
    assert whole.plan_uri == draft.facts.plan_uri != mine.plan_uri
