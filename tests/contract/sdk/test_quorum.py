"""Several approvals, on a real gate and on the fake one alike."""

from __future__ import annotations

import pytest

from plangate import errors
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from tests.contract.sdk.steps import state
from tests.helpers.either_client import Awaited, first_of
from tests.helpers.streams import types


async def test_two_must_agree(gate: Awaited, another_person: Awaited) -> None:
    """The first yes is recorded, the second approves; the same person counts once."""
    plan = await gate.create_plan("# Tidy the cellar", required_approvals=2)
    snapshot: ReviewEvent = await first_of(gate, "events", plan)
    first = await gate.decide(plan, "approve", "fine")
    assert (first.approved, len(first.review.decisions)) == (False, 1)
    assert state(await gate.get_plan(plan)) == "IN_REVIEW"
    with pytest.raises(errors.NotApproved):
        await gate.build(plan)
    with pytest.raises(errors.AlreadyDecided):
        await gate.decide(plan, "approve")
    second = await another_person.decide(plan, "approve", "fine with me")
    assert second.approved
    decision = await gate.wait(plan)
    assert (decision.outcome, decision.feedback, decision.reviewer) == ("APPROVED", "fine with me", "ben")
    events = await gate.events(plan, cursor=snapshot.cursor)
    assert types(events)[:2] == ["APPROVAL_RECORDED", "PLAN_APPROVED"]


@pytest.mark.parametrize(
    ("option", "outcome"), [("reject", "REJECTED"), ("requestChanges", "CHANGES_REQUESTED")]
)
async def test_one_no_is_enough(gate: Awaited, another_person: Awaited, option: str, outcome: str) -> None:
    """Whatever others said before."""
    plan = await gate.create_plan("# Tidy the cellar", required_approvals=2)
    await gate.decide(plan, "approve")
    await another_person.decide(plan, option, "not so")
    assert (await gate.wait(plan)).outcome == outcome


async def test_one_cannot_edit_what_several_must_approve(gate: Awaited) -> None:
    """They ask for changes instead."""
    plan = await gate.create_plan("# Tidy the cellar", required_approvals=2)
    with pytest.raises(errors.InvalidField):
        await gate.decide(plan, "edit", edited="# Mine")
    assert state(await gate.get_plan(plan)) == "IN_REVIEW"


async def test_every_revision_needs_as_many(gate: Awaited) -> None:
    """Unless its agent says otherwise; more than a hundred, or fewer than none, make no sense."""
    plan = await gate.create_plan("# Tidy the cellar", required_approvals=2)
    await gate.decide(plan, "approve")
    newer = await gate.update_plan(plan, "# Tidy the attic")
    assert (newer.review.required_approvals, len(newer.review.decisions)) == (2, 0)
    newest = await gate.update_plan(newer, "# Tidy the roof", required_approvals=1)
    assert newest.review.required_approvals == 1
    for number in (-1, 101):
        with pytest.raises(errors.InvalidField) as caught:
            await gate.create_plan("# Tidy the cellar", required_approvals=number)
        assert caught.value.field == "review.required_approvals"
    with pytest.raises(errors.MissingField):
        await gate.update_todos(newest, [TodoItem(id="new")])
    with pytest.raises(errors.TextNotFound):
        await gate.update_plan(newest, old_str="cellar", new_str="roof", required_approvals=3)
    again = await gate.update_plan(newest, "# Tidy the garden")
    assert again.review.required_approvals == 1
