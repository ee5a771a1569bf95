"""How much the comments on a plan are: known without reading them, and kept to by all who write at once."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from plangate_server.domain import limits
from plangate_server.domain.comments import Comment, CommentState, Taken, check_room
from plangate_server.domain.errors import LimitExceeded
from plangate_server.domain.events import Change
from plangate_server.domain.plan import Plan
from plangate_server.ports import Writing
from plangate_server.storage import records
from tests.helpers.backends import Backend, at_once, every_backend, every_database, go_on, save
from tests.helpers.domain import NOW, a_proposal


def a_comment(plan: Plan, number: int, text: str = "Wü?") -> Comment:
    return Comment(f"{number:032x}", plan.plan_id, 1, 1, 1, text, "ada", NOW, quoted_text="# Cache")


def stored(*comments: Comment) -> Taken:
    return Taken(len(comments), sum(len(records.encode(each)) for each in comments))


def taken(plan: Plan) -> Callable[[Writing], Taken]:
    return lambda writing: writing.comments_taken(plan.plan_id)


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A comment that is read fails."""
    monkeypatch.setattr(records, "decode_comment", None)


@every_backend
@pytest.mark.usefixtures("unread")
async def test_what_is_taken(backend: Backend, tmp_path: Path) -> None:
    """By the comments on this plan; one that was changed counts once, and as it is now."""
    async with backend.open(tmp_path) as node:
        plan, other = [await save(node.store, a_proposal(number)) for number in (1, 2)]
        assert await node.store.write("acme", taken(plan)) == Taken()
        first, second = (a_comment(plan, number) for number in (1, 2))
        await go_on(node.store, plan, lambda plan: Change(plan, (), comments=(first, second)))
        elsewhere = a_comment(other, 3)
        await go_on(node.store, other, lambda plan: Change(plan, (), comments=(elsewhere,)))
        assert await node.store.write("acme", taken(plan)) == stored(first, second)
        assert await node.store.write("beta", taken(plan)) == Taken()
        resolved = replace(first, state=CommentState.RESOLVED, resolved_by="bob")
        third = a_comment(plan, 4)

        def within(writing: Writing) -> Taken:
            there = writing.plan(plan.plan_id)
            assert there
            writing.save(Change(there, (), comments=(resolved, third)))
            return writing.comments_taken(plan.plan_id)

        every = stored(resolved, second, third)
        assert await node.store.write("acme", within) == every
        assert await node.store.write("acme", taken(plan)) == every


@every_database
@pytest.mark.usefixtures("unread")
async def test_a_full_plan(backend: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many who comment at once so many get in as there is room for; a refusal keeps nothing of what was
    looked at.
    """
    monkeypatch.setattr(limits, "COMMENTS", 3)
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))

        def adding(number: int) -> Callable[[Writing], None]:
            def work(writing: Writing) -> None:
                there = writing.plan(plan.plan_id)
                assert there
                check_room(writing.comments_taken(plan.plan_id), a_comment(plan, number))
                writing.save(Change(there, (), comments=(a_comment(plan, number),)))

            return work

        outcomes = await at_once(node.store, [("acme", adding(number)) for number in range(8)])
        refused = [each for each in outcomes if isinstance(each, LimitExceeded)]
        assert (outcomes.count(None), len(refused)) == (3, 5)
        frames = {frame.name for each in refused for frame in traceback.extract_tb(each.__traceback__)}
        assert "check_room" not in frames
