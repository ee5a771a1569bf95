"""A plan as the model writes it: watchers see it grow, and what breaks off is not lost."""

from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Any

import pytest

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.plan_service_pb2 import (
    DraftPlanRequest,
    DraftPlanResponse,
    UpdatePlanRequest,
    UpdateTodosRequest,
    WithdrawPlanRequest,
)
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOptions, ReviewStatus
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus, UpdateTodosArgs
from tests.helpers.gate import Gate, connected
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of, rest_of, types
from tests.helpers.tokens import local_token
from tests.rpc.steps import told, until, updated, waiting, watching

STATES = (Path(__file__).parents[2] / "docs" / "states.md").read_text(encoding="utf-8")


def part(text: str, **fields: Any) -> DraftPlanRequest:
    return DraftPlanRequest(args=CreatePlanArgs(plan=text), **fields)


async def draft(gate: Gate, *parts: DraftPlanRequest) -> Plan:
    async def send() -> AsyncIterator[DraftPlanRequest]:
        for message in parts:
            yield message

    response: DraftPlanResponse = await gate.agent.DraftPlan(send())
    return response.plan


async def test_watchers_see_a_draft_grow(gate: Gate) -> None:
    """Each message is an event with the plan so far, and the last one puts it in review."""
    watch, _ = await watching(gate)
    plan = await draft(
        gate,
        part("# Ti", session_id="s", agent_id="agent-1"),
        part("# Tidy the"),
        part("# Tidy the cellar", submit=True),
    )
    events = await until(watch, "PLAN_APPROVAL_REQUIRED")
    watch.cancel()
    assert types(events)[0] == "DRAFT_UPDATED"
    assert types(events)[-2:] == ["PLAN_CREATED", "PLAN_APPROVAL_REQUIRED"]
    texts = [event.plan.plan for event in events if types([event]) == ["DRAFT_UPDATED"]]
    assert texts[:2] == ["# Ti", "# Tidy the"]
    assert {(event.plan_uri, event.session_id) for event in events} == {(plan.plan_uri, "s")}
    assert (plan.plan, plan.revision, plan.state) == (
        "# Tidy the cellar",
        1,
        PlanState.PLAN_STATE_IN_REVIEW,
    )
    assert plan.created_by == "agent-1"


async def test_a_stream_that_ends_early_leaves_a_draft(gate: Gate) -> None:
    """Without submit the answer is a draft that nobody is asked about."""
    plan = await draft(gate, part("# Ti"), part("# Tidy"))
    assert (plan.state, plan.plan) == (PlanState.PLAN_STATE_DRAFT, "# Tidy")
    assert plan.review.status == ReviewStatus.REVIEW_STATUS_NONE
    assert await gate.plans() == [plan]


async def test_a_broken_stream_is_continued_by_another(gate: Gate) -> None:
    """What was written before the break is there, and the next call goes on and submits it."""
    watch, _ = await watching(gate)
    broken: Any = gate.agent.DraftPlan()
    await broken.write(part("# Tidy the"))
    uri = (await until(watch, "DRAFT_UPDATED"))[-1].plan_uri
    broken.cancel()
    watch.cancel()
    left = await gate.get(uri)
    assert (left.plan, left.state) == ("# Tidy the", PlanState.PLAN_STATE_DRAFT)
    plan = await draft(gate, part("# Tidy the cell", plan_uri=uri), part("# Tidy the cellar", submit=True))
    assert (plan.plan_uri, plan.plan, plan.revision) == (uri, "# Tidy the cellar", 1)
    assert plan.state == PlanState.PLAN_STATE_IN_REVIEW


async def test_a_submitted_draft_is_a_plan_like_any_other(gate: Gate) -> None:
    """Its review can be decided, its content revised, and its digest is that of the same plan proposed."""
    plan = await draft(gate, part("# Tidy the cellar", submit=True))
    same = await gate.propose()
    assert plan.digest == same.digest
    new = await updated(gate, plan, "# Second")
    assert (await gate.decide(new, "approve")).result.WhichOneof("result") == "accepted"


async def test_submitting_one_message_is_enough(gate: Gate) -> None:
    """A plan that comes whole in the first message is stored with its review options."""
    options = ReviewOptions(required_approvals=2)
    plan = await draft(gate, part("# Whole", submit=True, review=options))
    assert (plan.state, plan.review.required_approvals) == (PlanState.PLAN_STATE_IN_REVIEW, 2)


async def test_a_retried_submission_is_one_plan(gate: Gate) -> None:
    """The same submission of the same draft under the same id gives the first answer."""
    uri = (await draft(gate, part("# Tidy"))).plan_uri
    submission = part("# Tidy all", plan_uri=uri, submit=True, request_id="r1")
    first = await draft(gate, submission)
    assert await draft(gate, submission) == first
    assert (await told(gate, first)).count("PLAN_CREATED") == 1


async def test_waiting_for_a_draft_submits_it(gate: Gate) -> None:
    """ReviewPlan of a draft opens its review with what is written so far."""
    plan = await draft(gate, part("# Tidy the cellar"))
    stream = waiting(gate, plan)
    shown = (await next_of(stream)).event.plan
    stream.cancel()
    assert (shown.state, shown.revision) == (PlanState.PLAN_STATE_IN_REVIEW, 1)
    assert shown.review.status == ReviewStatus.REVIEW_STATUS_REQUESTED
    assert await gate.get(plan.plan_uri) == shown


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (CreatePlanArgs(plan=" "), "MISSING_FIELD"),
        (
            CreatePlanArgs(plan="# P", todos=[TodoItem(id="a", content="A", dependencies=["b"])]),
            "UNKNOWN_DEPENDENCY",
        ),
        (CreatePlanArgs(plan="x" * (1024 * 1024 + 1)), "LIMIT_EXCEEDED"),
    ],
)
async def test_what_is_not_sound_is_not_submitted(gate: Gate, args: CreatePlanArgs, reason: str) -> None:
    """A plan that CreatePlan would refuse is refused at submission with the same reason."""
    refusal = await refused(draft(gate, part("# P"), DraftPlanRequest(args=args, submit=True)))
    assert refusal.reason == reason
    assert refusal.metadata["field"].startswith("args.")
    assert [plan.state for plan in await gate.plans()] == [PlanState.PLAN_STATE_DRAFT]


async def test_a_draft_that_nobody_could_be_shown_is_refused(gate: Gate) -> None:
    """A draft keeps to the size of a plan, so that every watcher can take its events."""
    refusal = await refused(draft(gate, part("x" * (1024 * 1024 + 1))))
    assert (refusal.reason, refusal.metadata["limit"]) == ("LIMIT_EXCEEDED", "plan_bytes")
    assert refusal.metadata["field"] == "args.plan"
    todos = [TodoItem(id="a", content="x" * 1024 * 1024)]
    large = DraftPlanRequest(args=CreatePlanArgs(plan="# P", todos=todos))
    assert (await refused(draft(gate, large))).metadata["field"] == "args.todos[0].content"
    assert await gate.plans() == []


async def test_only_a_draft_is_continued(gate: Gate) -> None:
    """A plan that is in review, or not there, or no message at all, is refused."""
    plan = await gate.propose()
    refusal = await refused(draft(gate, part("# More", plan_uri=plan.plan_uri)))
    assert (refusal.status, refusal.reason) == ("FAILED_PRECONDITION", "WRONG_STATE")
    missing = part("# More", plan_uri=f"plangate://plans/{0:032x}")
    assert (await refused(draft(gate, missing))).reason == "PLAN_NOT_FOUND"
    assert (await refused(draft(gate))).reason == "MISSING_FIELD"
    assert await gate.plans() == [plan]


async def test_a_draft_that_was_taken_back_is_not_waited_for(gate: Gate) -> None:
    """Nobody will ever decide about it, so a stream of it does not stay open."""
    plan = await draft(gate, part("# Tidy"))
    await gate.agent.WithdrawPlan(WithdrawPlanRequest(plan_uri=plan.plan_uri))
    events = [response.event for response in await rest_of(waiting(gate, plan))]
    assert (types(events), events[0].plan.state) == (["SNAPSHOT"], PlanState.PLAN_STATE_WITHDRAWN)


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "all of it": ({"args": CreatePlanArgs(plan="# Tidy the cellar")}, "# Tidy the cellar"),
    "a part of it": ({"old_str": "# Tidy", "new_str": "# Tidy the attic"}, "# Tidy the attic"),
    "nothing but a todo": ({"args": CreatePlanArgs(todos=[TodoItem(content="sort")])}, "# Tidy"),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_an_update_submits_a_draft_as_changed(gate: Gate, change: str) -> None:
    """It is the first revision, in review; under the same request_id, the first answer comes again."""
    fields, text = CHANGES[change]
    plan = await draft(gate, part("# Tidy", agent_id="agent-1"))
    request = UpdatePlanRequest(plan_uri=plan.plan_uri, agent_id="agent-1", request_id="r1", **fields)
    now = (await gate.agent.UpdatePlan(request)).plan
    assert (now.plan, now.revision, now.state) == (text, 1, PlanState.PLAN_STATE_IN_REVIEW)
    assert (now.plan_uri, now.created_by) == (plan.plan_uri, "agent-1")
    assert (await gate.agent.UpdatePlan(request)).plan == now == await gate.get(plan.plan_uri)
    assert (await told(gate, plan))[-2:] == ["PLAN_CREATED", "PLAN_APPROVAL_REQUIRED"]
    assert (await gate.decide(now, "approve")).result.WhichOneof("result") == "accepted"


async def test_an_update_that_is_not_sound_leaves_the_draft(gate: Gate) -> None:
    """What is refused changes nothing: a text that is not there, another revision, another agent."""
    plan = await draft(gate, part("# Tidy", agent_id="agent-1"))
    for reason, fields in {
        "TEXT_NOT_FOUND": {"agent_id": "agent-1", "old_str": "attic", "new_str": "cellar"},
        "STALE_REVISION": {"agent_id": "agent-1", "old_str": "Tidy", "new_str": "x", "expected_revision": 1},
        "NOT_HOLDER": {"agent_id": "agent-2", "old_str": "Tidy", "new_str": "x"},
    }.items():
        async with connected(gate.address, token=local_token("agent")) as agent:
            request = UpdatePlanRequest(plan_uri=plan.plan_uri, **fields)  # type: ignore[arg-type]
            caller = agent if reason == "NOT_HOLDER" else gate
            assert (await refused(caller.agent.UpdatePlan(request))).reason == reason
    assert await gate.get(plan.plan_uri) == plan


async def test_a_draft_can_do_what_the_table_of_states_says(gate: Gate) -> None:
    """A new revision and withdrawal, but no progress: docs/states.md promises that, and nothing more."""
    [row] = [line for line in STATES.splitlines() if line.startswith("| DRAFT |")]
    revision, progress, withdrawal = (cell.strip() == "yes" for cell in row.split("|")[2:5])
    plans = [await draft(gate, part(f"# Tidy {number}")) for number in range(3)]
    calls: list[tuple[bool, Awaitable[Any]]] = [
        (revision, gate.agent.UpdatePlan(UpdatePlanRequest(plan_uri=plans[0].plan_uri, old_str="Tidy"))),
        (progress, gate.agent.UpdateTodos(_done(plans[1]))),
        (withdrawal, gate.agent.WithdrawPlan(WithdrawPlanRequest(plan_uri=plans[2].plan_uri))),
    ]
    for allowed, call in calls:
        if allowed:
            await call
        else:
            assert (await refused(call)).reason == "WRONG_STATE"


def _done(plan: Plan) -> UpdateTodosRequest:
    todo = TodoItem(id="a", content="A", status=TodoStatus.TODO_STATUS_COMPLETED)
    return UpdateTodosRequest(plan_uri=plan.plan_uri, args=UpdateTodosArgs(todos=[todo], merge=True))
