"""Drafts, on a real gate and on the fake one alike."""

from __future__ import annotations

import asyncio
import uuid

import pytest

from plangate import errors
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from tests.contract.sdk.steps import state
from tests.helpers.conditions import GLANCE, PATIENCE
from tests.helpers.either_client import Awaited, first_few_of
from tests.helpers.streams import types


async def left(gate: Awaited, **options: str) -> Plan:
    """A draft that nobody submitted."""
    async with await gate.draft_plan(**options) as draft:
        await draft.write("# Tidy")
    plan: Plan = await gate.get_plan(draft.facts.plan_uri)
    return plan


async def test_a_draft_is_written_and_submitted(gate: Awaited) -> None:
    """The pieces are one plan, and one that people are asked about once it is whole."""
    session = uuid.uuid4().hex
    async with await gate.draft_plan(name="Cellar", session_id=session, agent_id="a") as draft:
        await draft.write("# Tidy ")
        await draft.write("the cellar\n")
        plan = await draft.submit(todos=["sweep"], required_approvals=2)
    assert (state(plan), plan.revision, plan.created_by) == ("IN_REVIEW", 1, "a")
    assert (plan.name, plan.plan, plan.todos[0].id) == ("Cellar", "# Tidy the cellar\n", "todo-1")
    assert plan.review.required_approvals == 2
    assert len(await gate.list_plans(session_id=session)) == 1


async def test_a_draft_of_one_piece(gate: Awaited) -> None:
    """What was never written before is a plan at once; it must be sound."""
    async with await gate.draft_plan() as draft:
        with pytest.raises(errors.MissingField) as caught:
            await draft.submit()
        assert caught.value.field == "args.plan"


async def test_what_is_not_submitted_stays_a_draft(gate: Awaited) -> None:
    """Nobody is asked about it, and nobody decides about it."""
    session = uuid.uuid4().hex
    plan = await left(gate, session_id=session)
    assert (state(plan), plan.revision, plan.plan) == ("DRAFT", 0, "# Tidy")
    assert await gate.reviews(session_id=session) == []
    with pytest.raises(errors.NotApproved):
        await gate.build(plan.plan_uri)
    await gate.withdraw(plan)
    assert (await gate.wait(plan)).outcome == "WITHDRAWN"


async def test_whoever_waits_for_a_draft_submits_it(gate: Awaited) -> None:
    """As it stands."""
    plan = await left(gate)
    waiting = asyncio.ensure_future(gate.wait(plan))
    async with asyncio.timeout(PATIENCE):
        while state(plan) == "DRAFT":
            await asyncio.sleep(GLANCE)
            plan = await gate.get_plan(plan)
    assert (state(plan), plan.revision, plan.name) == ("IN_REVIEW", 1, "Tidy")
    await gate.decide(plan, "approve")
    assert (await waiting).outcome == "APPROVED"
    events = await gate.events(plan)
    assert types(events) == ["SNAPSHOT"]


async def test_an_update_of_a_draft_submits_it_as_changed(gate: Awaited) -> None:
    """At its first revision, and it can be decided like any other plan."""
    plan = await left(gate)
    now = await gate.update_plan(plan, old_str="# Tidy", new_str="# Tidy the cellar")
    assert (now.plan_uri, now.revision, now.plan) == (plan.plan_uri, 1, "# Tidy the cellar")
    assert state(now) == "IN_REVIEW"
    await gate.decide(now, "approve")
    assert (await gate.wait(now)).approved


async def test_a_proposal_takes_the_place_of_its_sessions_draft(gate: Awaited) -> None:
    """It is the same plan, at its first revision."""
    session = uuid.uuid4().hex
    plan = await left(gate, session_id=session)
    proposed = await gate.create_plan("# Tidy the cellar", session_id=session)
    assert (proposed.plan_uri, proposed.revision) == (plan.plan_uri, 1)
    assert state(proposed) == "IN_REVIEW"


async def test_the_events_of_a_draft(gate: Awaited) -> None:
    """Each piece is told, with all that is written so far; then that it is a plan."""
    session = uuid.uuid4().hex
    (mark,) = await first_few_of(gate, 1, "watch", session_id=session)
    async with await gate.draft_plan(session_id=session) as draft:
        await draft.write("# Tidy ")
        await draft.write("the cellar")
        await draft.submit()
    events = await first_few_of(gate, 4, "watch", session_id=session, cursor=mark.cursor)
    assert [(kind, event.plan.plan) for kind, event in zip(types(events), events, strict=True)] == [
        ("DRAFT_UPDATED", "# Tidy "),
        ("DRAFT_UPDATED", "# Tidy the cellar"),
        ("PLAN_CREATED", "# Tidy the cellar"),
        ("PLAN_APPROVAL_REQUIRED", ""),
    ]
