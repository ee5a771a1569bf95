"""Comments, on a real gate and on the fake one alike."""

from __future__ import annotations

import uuid

import pytest

from plangate import errors
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.review_resource_pb2 import Comment, CommentState
from tests.helpers.either_client import Awaited, first_of
from tests.helpers.streams import types

TEXT = "# Tidy the cellar\n\nsort the boxes\nsweep the floor\n"


def standing(comment: Comment) -> tuple[str, str, int, int]:
    state = CommentState.Name(comment.state).removeprefix("COMMENT_STATE_")
    return comment.text, state, comment.first_line, comment.last_line


async def test_comments_stand_with_the_review(gate: Awaited) -> None:
    """On lines of a revision, or on all of it, until they are resolved."""
    plan = await gate.create_plan(TEXT)
    lines = await gate.comment(plan, "which?", 3, 4)
    assert standing(lines) == ("which?", "OPEN", 3, 4)
    assert standing(await gate.comment(plan, "one", 3)) == ("one", "OPEN", 3, 3)
    assert standing(await gate.comment(plan, "all")) == ("all", "OPEN", 0, 0)
    assert [each.text for each in (await gate.review(plan)).comments] == ["which?", "one", "all"]
    resolved = await gate.resolve_comment(lines)
    assert standing(resolved) == ("which?", "RESOLVED", 3, 4)
    assert resolved.resolved_by == lines.author
    assert await gate.resolve_comment(lines.comment_id) == resolved


async def test_comments_are_carried_to_the_next_revision(gate: Awaited) -> None:
    """To the same lines where these still are, else to the whole; resolved ones stay where they were."""
    plan = await gate.create_plan(TEXT)
    await gate.comment(plan, "which?", 3)
    await gate.comment(plan, "how?", 4)
    await gate.resolve_comment(await gate.comment(plan, "fine", 4))
    newer = await gate.update_plan(plan, "# Tidy the cellar\n\nbe quiet\nsort the boxes\nwash the floor\n")
    await gate.comment(newer, "new", 1)
    assert [standing(each) for each in (await gate.review(plan)).comments] == [
        ("which?", "CARRIED", 4, 4),
        ("how?", "CARRIED", 0, 0),
        ("fine", "RESOLVED", 4, 4),
        ("new", "OPEN", 1, 1),
    ]


@pytest.mark.parametrize(
    ("said", "error", "field"),
    [
        ((" ", 1, 1), errors.MissingField, "text"),
        (("hm", 5, 0), errors.InvalidField, "first_line"),
        (("hm", 2, 1), errors.InvalidField, "last_line"),
        (("hm", 0, 1), errors.InvalidField, "last_line"),
        (("hm", 1, 5), errors.InvalidField, "last_line"),
    ],
)
async def test_a_comment_that_makes_no_sense(
    gate: Awaited, said: tuple[str, int, int], error: type[errors.PlangateError], field: str
) -> None:
    """It is refused, and the refusal names the field."""
    plan = await gate.create_plan(TEXT)
    with pytest.raises(error) as caught:
        await gate.comment(plan, *said)
    assert caught.value.field == field


async def test_a_comment_that_is_not_there(gate: Awaited) -> None:
    """Nobody resolves it, and nobody comments on a revision that is not there."""
    with pytest.raises(errors.CommentNotFound):
        await gate.resolve_comment(uuid.uuid4().hex)
    plan = await gate.create_plan(TEXT)
    plan.revision = 2
    with pytest.raises(errors.RevisionNotFound):
        await gate.comment(plan, "hm")


async def test_all_comments_are_listed(gate: Awaited) -> None:
    """Also where a review has no room for them; on the newest text, or on an earlier one."""
    plan = await gate.create_plan(TEXT)
    for number in range(10):
        await gate.comment(plan, f"{number}" + "x" * 60_000, 3)
    shown = await gate.review(plan)
    assert (len(shown.comments) + shown.comments_not_shown, shown.comments_not_shown > 0) == (10, True)
    assert [each.text[0] for each in await gate.comments(plan)] == list("0123456789")
    await gate.update_plan(plan, "# Tidy the cellar\n\nbe quiet\nsort the boxes\n")
    assert {each.first_line for each in await gate.comments(plan)} == {4}
    assert {each.first_line for each in await gate.comments(plan, revision=1)} == {3}


async def test_comments_are_told(gate: Awaited) -> None:
    """By events, to whoever waits."""
    plan = await gate.create_plan(TEXT)
    snapshot: ReviewEvent = await first_of(gate, "events", plan)
    made = await gate.comment(plan, "which?", 3)
    await gate.resolve_comment(made)
    await gate.decide(plan, "approve")
    events = await gate.events(plan, cursor=snapshot.cursor)
    assert types(events) == ["COMMENT_ADDED", "COMMENT_RESOLVED", "PLAN_APPROVED"]
    assert [event.comment.comment_id for event in events] == [made.comment_id, made.comment_id, ""]
    assert events[0].message == "which?"
