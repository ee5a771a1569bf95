"""What is in somebody's hands is changed by them or by an admin: todos, builds, drafts, tool calls."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import BuildOutcome, Plan, PlanState
from plangate_proto.agent.v1.plan_service_pb2 import (
    FinishBuildRequest,
    ReviewPlanRequest,
    WithdrawPlanRequest,
)
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.agent.v1.tool_approval_service_pb2 import CancelApprovalRequest
from plangate_proto.aiserver.v1.plan_service_pb2 import TodoWriteRequest
from plangate_proto.aiserver.v1.todo_read_write_tools_pb2 import TodoItem as AiserverTodo
from plangate_proto.aiserver.v1.todo_read_write_tools_pb2 import TodoWriteParams
from tests.helpers.gate import Gate, connected, proposal
from tests.helpers.people import People, people_at
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of
from tests.helpers.tool_calls import call, tool
from tests.rpc.steps import COMPLETED, IN_PROGRESS, A, B, C, build, now, updated, with_todos, write
from tests.rpc.test_drafts_rpc import draft, part

OUTCOME = BuildOutcome.BUILD_OUTCOME_COMPLETED


@pytest.fixture
async def people(tmp_path: Path) -> AsyncIterator[People]:
    async with people_at(tmp_path / "plangate.db", tmp_path, "four_eyes: false\n") as people:
        yield people


@pytest.fixture
async def holder(people: People) -> Gate:
    return await people.agent("ada")


@pytest.fixture
async def other(people: People) -> Gate:
    """Another agent, with a token of its own."""
    return await people.agent("bob")


@pytest.fixture
async def plan(people: People, holder: Gate) -> Plan:
    """Approved, with three todos."""
    plan = await holder.propose(with_todos(session_id="s", agent_id="coder"))
    await (await people.reviewer("eve")).decide(plan, "approve")
    return plan


async def todo_write(gate: Gate, plan: Plan, todo_id: str, **fields: Any) -> Any:
    """The same in the words of aiserver.v1."""
    params = TodoWriteParams(todos=[AiserverTodo(id=todo_id, status="completed")], merge=True)
    return await gate.aiserver.TodoWrite(TodoWriteRequest(plan_uri=plan.plan_uri, params=params, **fields))


CHANGES: dict[str, Callable[[Gate, Plan, str], Awaitable[Any]]] = {
    "UpdatePlan": lambda gate, plan, agent_id: updated(gate, plan, "# Other", agent_id=agent_id),
    "a todo more": lambda gate, plan, agent_id: write(
        gate, plan, TodoItem(id="d", content="Rest"), agent_id=agent_id
    ),
    "another order": lambda gate, plan, agent_id: write(gate, plan, A, C, B, merge=False, agent_id=agent_id),
    "a todo less": lambda gate, plan, agent_id: write(gate, plan, A, B, merge=False, agent_id=agent_id),
    "other words": lambda gate, plan, agent_id: write(
        gate, plan, TodoItem(id="c", content="Air it well"), agent_id=agent_id
    ),
}
"""Changes of content that touch no todo that is held."""


@pytest.mark.parametrize("change", CHANGES)
async def test_a_stranger_does_not_end_the_builds_of_others(
    people: People, holder: Gate, other: Gate, plan: Plan, change: str
) -> None:
    """New content would: refused under any name while somebody builds, and the build goes on."""
    built = await build(holder, plan, todo_ids=["a"])
    before = await holder.get(plan.plan_uri)
    for agent_id in ("", "builder", "bob"):
        refusal = await refused(CHANGES[change](other, plan, agent_id))
        assert (refusal.status, refusal.reason) == ("PERMISSION_DENIED", "NOT_HOLDER")
        assert (refusal.metadata["holder"], refusal.metadata["build_id"]) == ("builder", built.build_id)
    assert await holder.get(plan.plan_uri) == before
    await holder.agent.FinishBuild(FinishBuildRequest(build_id=built.build_id, outcome=OUTCOME))
    await CHANGES[change](other, plan, "bob")


@pytest.mark.parametrize("who", ["creator", "author", "reviewer", "admin", "builder"])
async def test_whoever_answers_for_the_plan_or_the_build_may_change_the_content(
    people: People, holder: Gate, other: Gate, plan: Plan, who: str
) -> None:
    """Who asked for the plan, wrote its text or builds it, people and admins: the build ends with that."""
    reviewer, admin = await people.reviewer("eve"), await people.admin("eve")
    if who == "author":
        plan = await updated(other, plan, "# Theirs", agent_id="bob")
        await reviewer.decide(plan, "approve")
    builder = other if who == "builder" else await people.agent("kim")
    built = await build(builder, plan, todo_ids=["a"])
    gate, agent_id = {
        "creator": (holder, "another"),
        "author": (other, "another"),
        "reviewer": (reviewer, ""),
        "admin": (admin, "cleaner"),
        "builder": (other, "another"),
    }[who]
    assert (await updated(gate, plan, "# Other", agent_id=agent_id)).plan == "# Other"
    refusal = await refused(write(builder, plan, now("a", COMPLETED), build_id=built.build_id))
    assert refusal.reason == "BUILD_ENDED"


async def test_an_admin_under_a_name_frees_what_others_hold(people: People, holder: Gate, plan: Plan) -> None:
    """Also as an agent that is neither the holder nor without a name; of its own builds it says which."""
    admin = await people.admin("eve")
    await build(holder, plan, todo_ids=["a"])
    await write(admin, plan, now("a", COMPLETED), agent_id="cleaner")
    await todo_write(admin, plan, "b", agent_id="cleaner")
    await build(admin, plan, "bot", todo_ids=["c"])
    refusal = await refused(write(admin, plan, now("c", COMPLETED), agent_id="cleaner"))
    assert refusal.reason == "TODO_HELD"
    await write(admin, plan, now("c", COMPLETED), agent_id="bot")


NAMES = {
    "nothing": ({}, "NOT_HOLDER"),
    "the agent": ({"agent_id": "builder"}, "NOT_HOLDER"),
    "the build": ({"build_id": "BUILD"}, "NOT_HOLDER"),
    "agent and build": ({"agent_id": "builder", "build_id": "BUILD"}, "NOT_HOLDER"),
    "itself": ({"agent_id": "bob"}, "TODO_HELD"),
}


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("vocabulary", ["UpdateTodos", "TodoWrite"])
async def test_a_held_todo_is_not_moved_by_others(
    holder: Gate, other: Gate, plan: Plan, names: str, vocabulary: str
) -> None:
    """Whatever another token says that it acts for; and nothing of it is done, the lease included."""
    built = await build(holder, plan)
    fields, reason = NAMES[names]
    said: dict[str, Any] = {
        key: built.build_id if value == "BUILD" else value for key, value in fields.items()
    }
    before = await holder.get(plan.plan_uri)
    moving = (
        write(other, plan, now("a", COMPLETED), **said)
        if vocabulary == "UpdateTodos"
        else todo_write(other, plan, "a", **said)
    )
    refusal = await refused(moving)
    assert (refusal.reason, refusal.metadata["build_id"]) == (reason, built.build_id)
    if reason == "NOT_HOLDER":
        assert (refusal.status, refusal.metadata["holder"]) == ("PERMISSION_DENIED", "builder")
    assert await holder.get(plan.plan_uri) == before


@pytest.mark.parametrize("fields", [{}, {"agent_id": "builder"}, {"build_id": "BUILD"}])
async def test_the_holder_moves_its_todos(holder: Gate, plan: Plan, fields: dict[str, str]) -> None:
    """With the token that started the build; it need not name the build."""
    built = await build(holder, plan)
    said: dict[str, Any] = {
        key: built.build_id if value == "BUILD" else value for key, value in fields.items()
    }
    await write(holder, plan, now("a", IN_PROGRESS), **said)
    await todo_write(holder, plan, "a", **said)


async def test_two_agents_of_one_token_are_told_apart_by_name(holder: Gate, plan: Plan) -> None:
    """Whoever says that it is another agent does not move the todo of the first."""
    await build(holder, plan, "builder", todo_ids=["a"])
    refusal = await refused(write(holder, plan, now("a", COMPLETED), agent_id="tidier"))
    assert refusal.reason == "TODO_HELD"
    theirs = await build(holder, plan, "tidier", todo_ids=["c"])
    refusal = await refused(write(holder, plan, now("a", COMPLETED), build_id=theirs.build_id))
    assert refusal.reason == "TODO_HELD"


async def test_todos_that_nobody_holds_are_anybodys(holder: Gate, other: Gate, plan: Plan) -> None:
    """Before a build, beside it and after it."""
    await write(other, plan, now("c", IN_PROGRESS))
    built = await build(holder, plan, todo_ids=["a"])
    await write(other, plan, now("c", COMPLETED))
    await holder.agent.FinishBuild(FinishBuildRequest(build_id=built.build_id, outcome=OUTCOME))
    await write(other, plan, now("a", COMPLETED))


async def test_a_build_is_finished_by_who_started_it(holder: Gate, other: Gate, plan: Plan) -> None:
    """Another token is refused, and the build goes on."""
    built = await build(holder, plan)
    request = FinishBuildRequest(build_id=built.build_id, outcome=OUTCOME)
    refusal = await refused(other.agent.FinishBuild(request))
    assert (refusal.reason, refusal.metadata["field"]) == ("NOT_HOLDER", "build_id")
    assert (await holder.get(plan.plan_uri)).state == PlanState.PLAN_STATE_BUILDING
    await holder.agent.FinishBuild(request)


async def test_an_admin_may_move_and_finish_everything(people: People, holder: Gate, plan: Plan) -> None:
    """Somebody has to clear up after an agent that is gone."""
    admin = await people.admin("eve")
    built = await build(holder, plan)
    await write(admin, plan, now("a", COMPLETED))
    await write(admin, plan, now("b", COMPLETED), build_id=built.build_id)
    await admin.agent.FinishBuild(FinishBuildRequest(build_id=built.build_id, outcome=OUTCOME))


async def test_a_tool_call_names_no_build_of_others(holder: Gate, other: Gate, plan: Plan) -> None:
    """People would read that it belongs to the work they approved; asked for or only looked at."""
    built = await build(holder, plan)
    named = {"build_id": built.build_id, "todo_id": "a"}
    for attempt in (other.ask(call(**named)), other.sessions.AuthorizeTool(tool("bash", **named))):
        refusal = await refused(attempt)
        assert (refusal.reason, refusal.metadata["build_id"]) == ("NOT_HOLDER", built.build_id)
    assert not (await people_prompts(holder)).HasField("prompt")
    await holder.ask(call(**named))


async def people_prompts(gate: Gate) -> Any:
    """What a person sees in the session."""
    async with connected(gate.address) as admin:
        return await admin.prompts()


async def test_a_tool_call_is_taken_back_by_who_asked(people: People, holder: Gate, other: Gate) -> None:
    """Another token is refused, and the call waits on; an admin may."""
    await holder.ask(call())
    request = CancelApprovalRequest(session_id="s", call_id="c1")
    refusal = await refused(other.approvals.CancelApproval(request))
    assert (refusal.reason, refusal.metadata["field"], refusal.metadata["holder"]) == (
        "NOT_HOLDER",
        "call_id",
        "builder",
    )
    assert (await people_prompts(holder)).prompt.call_id == "c1"
    await holder.approvals.CancelApproval(request)
    await holder.ask(call(call_id="c2"))
    admin = await people.admin("eve")
    await admin.approvals.CancelApproval(CancelApprovalRequest(session_id="s", call_id="c2"))


async def test_one_answer_is_for_one_agent(people: People, holder: Gate, other: Gate) -> None:
    """Nobody joins the call of another, not under the same token either; who asked joins it again."""
    await holder.ask(call())
    assert (await refused(other.ask(call()))).reason == "CALL_ID_REUSED"
    assert (await refused(holder.ask(call(agent_id="tidier")))).reason == "CALL_ID_REUSED"
    second = await people.of("ada", "agent", "second")
    assert (await refused(second.ask(call()))).reason == "CALL_ID_REUSED"
    await holder.ask(call())


async def test_a_draft_is_its_agents(people: People, holder: Gate, other: Gate) -> None:
    """Another token, or another name, does not go on with it, change it, submit it or take it back."""
    begun = await draft(holder, part("# Mi", session_id="s", agent_id="coder"))
    uri = begun.plan_uri
    for gate, agent_id in ((other, "coder"), (other, ""), (holder, "tidier")):
        for attempt in (
            draft(gate, part("# Theirs", plan_uri=uri, agent_id=agent_id)),
            draft(gate, part("# Theirs", plan_uri=uri, agent_id=agent_id, submit=True)),
            updated(gate, begun, "# Theirs", agent_id=agent_id, expected_revision=0),
            gate.agent.WithdrawPlan(WithdrawPlanRequest(plan_uri=uri, agent_id=agent_id)),
        ):
            refusal = await refused(attempt)
            assert (refusal.reason, refusal.metadata["plan_uri"]) == ("NOT_HOLDER", uri)
        waiting = gate.agent.ReviewPlan(ReviewPlanRequest(plan_uri=uri, agent_id=agent_id or "nobody"))
        assert (await refused(next_of(waiting))).reason == "NOT_AUTHOR"
    assert await holder.get(uri) == begun
    admin = await people.admin("eve")
    await admin.agent.WithdrawPlan(WithdrawPlanRequest(plan_uri=uri, agent_id="cleaner"))


async def test_what_another_writes_into_a_draft_is_its_own_text(people: People, holder: Gate) -> None:
    """An agent of the same token without a name may go on with it, an admin, too: it is theirs then."""
    admin = await people.admin("eve")
    for gate, agent_id in ((holder, ""), (admin, "bot")):
        begun = await draft(holder, part("# Mi", session_id=agent_id or "s", agent_id="coder"))
        more = part("# Theirs", plan_uri=begun.plan_uri, agent_id=agent_id)
        assert (await draft(gate, more)).plan == "# Theirs"
        last = part("# Theirs", plan_uri=begun.plan_uri, agent_id=agent_id, submit=True)
        plan = await draft(gate, last)
        assert plan.review.agent_id == agent_id
        stream = holder.agent.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri, agent_id="coder"))
        assert (await refused(next_of(stream))).reason == "NOT_AUTHOR"


async def test_what_another_writes_into_a_draft_stays_its_own_when_it_is_waited_for(holder: Gate) -> None:
    """Whoever began it does not submit it by waiting, and is told that the text is not theirs."""
    begun = await draft(holder, part("# Mi", agent_id="coder"))
    await draft(holder, part("# Theirs", plan_uri=begun.plan_uri))
    stream = holder.agent.ReviewPlan(ReviewPlanRequest(plan_uri=begun.plan_uri, agent_id="coder"))
    assert (await refused(next_of(stream))).reason == "NOT_AUTHOR"
    assert (await holder.get(begun.plan_uri)).state == PlanState.PLAN_STATE_DRAFT
    named = ReviewPlanRequest(plan_uri=begun.plan_uri)
    shown = (await next_of(holder.agent.ReviewPlan(named))).event.plan
    assert (shown.plan, shown.state) == ("# Theirs", PlanState.PLAN_STATE_IN_REVIEW)


async def test_plans_in_review_can_be_taken_back_by_any_agent(holder: Gate, other: Gate) -> None:
    """They are open to all agents of the workspace, as changes of them are."""
    plan = await holder.propose(proposal("# Mine", agent_id="coder"))
    await other.agent.WithdrawPlan(WithdrawPlanRequest(plan_uri=plan.plan_uri))
    assert (await holder.get(plan.plan_uri)).state == PlanState.PLAN_STATE_WITHDRAWN
