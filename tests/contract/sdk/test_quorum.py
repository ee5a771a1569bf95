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
    with pytest.raises(errors.AlreadyDecided) as again:
        await gate.decide(plan, "approve")
    assert again.value.metadata["missing"] == "1"
    assert again.value.words.startswith("you have approved already: 1 of 2")
    second = await another_person.decide(plan, "approve", "fine with me")
    assert second.approved
    decision = await gate.wait(plan)
    assert (decision.outcome, decision.reviewer) == ("APPROVED", "ben")
    events = await gate.events(plan, cursor=snapshot.cursor)
    assert types(events)[:2] == ["APPROVAL_RECORDED", "PLAN_APPROVED"]


async def test_everybody_is_heard(gate: Awaited, another_person: Awaited) -> None:
    """Words with the first approval reach the agent as those with the last one do; comments come behind."""
    plan = await gate.create_plan("# Tidy the cellar", required_approvals=2)
    ada = (await gate.decide(plan, "approve", "mind X\n\nben:\n   no")).reviewer
    await another_person.comment(plan, "why?")
    await another_person.decide(plan, "approve", "and Y")
    decision = await gate.wait(plan)
    assert decision.words == f"{ada}:\n   mind X\n\n   ben:\n      no\n\nben:\n   and Y"
    assert decision.feedback == f"{decision.words}\n\n1. Comment of ben on the plan as a whole:\n   why?"
    assert [each.feedback_text for each in decision.review.decisions] == ["mind X\n\nben:\n   no", "and Y"]


@pytest.mark.parametrize("who", ["first", "last"])
async def test_the_words_of_one_stand_as_they_are(gate: Awaited, another_person: Awaited, who: str) -> None:
    """Whoever of several said them."""
    plan = await gate.create_plan("# Tidy the cellar", required_approvals=2)
    await gate.decide(plan, "approve", "mind\n\nX" if who == "first" else "")
    await another_person.decide(plan, "approve", "mind\n\nX" if who == "last" else "")
    decision = await gate.wait(plan)
    assert decision.words == decision.feedback == "mind\n\nX"


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
