"""What can be read of plans, and watched, on a real gate and on the fake one alike."""

from __future__ import annotations

import asyncio
import uuid

from plangate_proto.agent.v1.create_plan_tool_pb2 import Phase
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanProgress
from plangate_proto.agent.v1.review_event_pb2 import ReviewEventType
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOutcome, ReviewStatus
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from tests.contract.sdk.steps import ids, state
from tests.helpers.conditions import PATIENCE
from tests.helpers.either_client import Awaited, first_few_of, first_of
from tests.helpers.streams import types


async def test_the_revisions_of_a_plan(gate: Awaited) -> None:
    """Oldest first, each with its author, its digest and what became of its review."""
    plan = await gate.create_plan("# One", agent_id="a")
    newer = await gate.update_plan(plan, "# Two", agent_id="b")
    await gate.decide(newer, "edit", edited="# Three")
    edited = await gate.get_plan(plan)
    found = await gate.revisions(plan)
    assert [(each.revision, each.digest) for each in found] == [
        (1, plan.digest),
        (2, newer.digest),
        (3, edited.digest),
    ]
    assert [each.author for each in found[:2]] == ["a", "b"]
    assert found[2].author == edited.review.decisions[0].reviewer
    assert [ReviewOutcome.Name(each.review.outcome).removeprefix("REVIEW_OUTCOME_") for each in found] == [
        "SUPERSEDED",
        "MODIFIED",
        "UNSPECIFIED",
    ]


async def test_an_older_revision(gate: Awaited) -> None:
    """It has the text of then, and the state of now."""
    plan = await gate.create_plan("# One")
    newer = await gate.update_plan(plan, "# Two")
    await gate.decide(newer, "approve")
    older = await gate.get_plan(plan, revision=1)
    assert (older.plan, older.revision, older.digest) == ("# One", 1, plan.digest)
    assert (state(older), older.review.revision) == ("APPROVED", 2)


async def test_what_changed(gate: Awaited) -> None:
    """The lines of the text, the todos, and which other fields."""
    todos = [TodoItem(id="a", content="one"), TodoItem(id="b", content="two")]
    plan = await gate.create_plan("# Tidy\n\nall\n", todos=todos)
    changed = [TodoItem(id="b", content="two, slowly"), TodoItem(id="c", content="three")]
    await gate.update_plan(plan, old_str="all", new_str="half", todos=changed, overview="Less.")
    found = await gate.diff(plan)
    assert (found.from_revision, found.to_revision) == (1, 2)
    assert found.unified_diff.splitlines()[:2] == ["--- revision 1", "+++ revision 2"]
    assert "-all\n+half\n" in found.unified_diff
    assert [(change.before.id, change.after.id) for change in found.todo_changes] == [
        ("b", "b"),
        ("", "c"),
        ("a", ""),
    ]
    assert list(found.changed_fields) == ["overview"]
    same = await gate.diff(plan, 2, 2)
    assert (same.unified_diff, list(same.todo_changes)) == ("", [])


async def test_the_details_of_a_review(gate: Awaited) -> None:
    """The plan, what can be chosen, and the revisions before; once it is decided, nothing can be."""
    plan = await gate.create_plan("# One", overview="Make room.", todos=["sweep"])
    newer = await gate.update_plan(plan, "# Two")
    found = await gate.review(plan)
    assert (found.item.plan.digest, found.item.review.revision) == (newer.digest, 2)
    assert (found.item.summary.goal, found.item.summary.subtasks_count) == ("Make room.", 1)
    assert [choice.value for choice in found.item.choices] == [
        "approve",
        "rejectAndTellWhatToDoDifferently",
        "requestChanges",
        "edit",
    ]
    assert [each.revision for each in found.revisions] == [1, 2]
    await gate.decide(newer, "approve")
    assert list((await gate.review(plan)).item.choices) == []


async def test_reviews_that_are_over(gate: Awaited) -> None:
    """Each is listed with the revision that it was about."""
    session = uuid.uuid4().hex
    plan = await gate.create_plan("# One", session_id=session)
    await gate.decide(await gate.update_plan(plan, "# Two"), "approve")
    done = await gate.reviews(ReviewStatus.REVIEW_STATUS_DONE, session_id=session)
    assert [(item.plan.plan, item.review.revision) for item in done] == [("# One", 1), ("# Two", 2)]


async def test_phases(gate: Awaited) -> None:
    """Their todos are todos of the plan; a new list of todos keeps of them what is still there."""
    phases = [
        Phase(name="first", todos=[TodoItem(content="sort")]),
        Phase(name="then", todos=[TodoItem(id="sweep", content="sweep", dependencies=["todo-2"])]),
    ]
    plan = await gate.create_plan("# Tidy", todos=["look"], phases=phases)
    assert ids(plan.todos) == ["todo-1", "todo-2", "sweep"]
    assert _phases(plan) == [("first", ["todo-2"]), ("then", ["sweep"])]
    assert plan.digest != (await gate.create_plan("# Tidy", todos=list(plan.todos))).digest
    newer = await gate.update_plan(plan, todos=[TodoItem(id="sweep", content="sweep twice")])
    assert _phases(newer) == [("first", []), ("then", ["sweep"])]
    newest = await gate.update_plan(newer, phases=[Phase(name="only", todos=[TodoItem(content="rest")])])
    assert _phases(newest) == [("only", ["todo-1"])]
    assert ids(newest.todos) == ["todo-1"]
    await gate.update_todos(newest, [TodoItem(id="todo-1", content="rest well")])
    head = await gate.get_plan(newest)
    assert [todo.content for todo in head.phases[0].todos] == ["rest well"]


def _phases(plan: Plan) -> list[tuple[str, list[str]]]:
    return [(phase.name, ids(list(phase.todos))) for phase in plan.phases]


async def test_how_far_the_work_has_come(gate: Awaited) -> None:
    """It is pending until somebody builds, and complete when no todo is left."""
    plan = await gate.create_plan("# Tidy", todos=["sweep"])
    assert plan.progress == PlanProgress.PLAN_PROGRESS_PENDING
    await gate.decide(plan, "approve")
    build = await gate.build(plan)
    assert (await gate.get_plan(plan)).progress == PlanProgress.PLAN_PROGRESS_IN_PROGRESS
    await build.done("todo-1")
    assert (await gate.get_plan(plan)).progress == PlanProgress.PLAN_PROGRESS_COMPLETE


async def test_what_happens_is_watched(gate: Awaited) -> None:
    """What is open, a mark behind it, then what happens, in one session or of some types; for ever."""
    session = uuid.uuid4().hex
    plan = await gate.create_plan("# Tidy", session_id=session)
    opened = await first_few_of(gate, 2, "watch", session_id=session)
    assert types(opened) == ["SNAPSHOT", "CHECKPOINT"]
    assert (opened[0].plan.plan_uri, opened[0].cursor) == (plan.plan_uri, "")
    await gate.update_plan(plan, "# Tidy the cellar")
    after = await first_few_of(gate, 2, "watch", session_id=session, cursor=opened[1].cursor)
    assert types(after) == ["PLAN_UPDATED", "PLAN_APPROVAL_REQUIRED"]
    asked = ReviewEventType.REVIEW_EVENT_TYPE_PLAN_APPROVAL_REQUIRED
    watching = asyncio.create_task(
        first_of(
            gate, "watch", asked, session_id=session, cursor=after[1].cursor, such=lambda e: e.type == asked
        )
    )
    newest = await gate.update_plan(await gate.get_plan(plan), "# Tidy the attic")
    async with asyncio.timeout(PATIENCE):
        told = await watching
    assert (told.approval_request_id, told.plan_summary.goal) == (
        newest.review.approval_request_id,
        "Tidy",
    )


async def test_tool_calls_are_watched_by_type(gate: Awaited) -> None:
    """Whoever asks for events of sessions gets them."""
    session = uuid.uuid4().hex
    moved = ReviewEventType.REVIEW_EVENT_TYPE_SESSION_MODE_CHANGED
    mark = (await first_few_of(gate, 1, "watch", moved, session_id=session))[0]
    await gate.set_mode(session, "plan")
    (told,) = await first_few_of(gate, 1, "watch", moved, session_id=session, cursor=mark.cursor)
    assert (types([told]), told.message) == (["SESSION_MODE_CHANGED"], "PLAN")
