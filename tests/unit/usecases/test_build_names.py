"""A write that names a build of another plan is told so, and nothing of it is done."""

import pytest

from plangate_server.domain.building import BuildOrder
from plangate_server.domain.errors import BuildNotFound, InvalidField
from plangate_server.domain.plan import Plan
from plangate_server.domain.todo_lists import TodoWrite
from plangate_server.domain.todos import TodoEdit, TodoStatus
from plangate_server.usecases.build_todos import build_todos
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.ownership import hand_of
from plangate_server.usecases.read_plans import get_plan
from plangate_server.usecases.submit_review import submit_review
from plangate_server.usecases.todo_tools import update_todos
from tests.helpers.domain import a_draft, a_todo
from tests.helpers.world import AGENT, PERSON, Sandbox
from tests.unit.usecases.steps import about


async def approved(sandbox: Sandbox) -> Plan:
    plan = await create_plan(sandbox.world, AGENT, CreatePlan(a_draft(todos=[a_todo("a")])))
    return await submit_review(sandbox.world, PERSON, about(plan))


@pytest.mark.parametrize("status", [TodoStatus.COMPLETED, None])
async def test_a_live_build_of_another_plan_is_named(sandbox: Sandbox, status: TodoStatus | None) -> None:
    """Whether it would move a todo or change its words; both plans stay as they are."""
    plan, other = await approved(sandbox), await approved(sandbox)
    started = await build_todos(sandbox.world, AGENT, other.uri, BuildOrder("coder"), None)
    edit = TodoEdit("a", "" if status else "Other", status)
    hand = hand_of(AGENT, build_id=started.build.build_id)
    write = TodoWrite((edit,), merge=True, actor="coder", hand=hand)
    with pytest.raises(InvalidField) as refused:
        await update_todos(sandbox.world, AGENT, plan.uri, write, None)
    assert refused.value.field == "build_id"
    assert other.uri in str(refused.value)
    assert await get_plan(sandbox.world, AGENT, plan.uri) == plan
    assert await get_plan(sandbox.world, AGENT, other.uri) == started.plan


async def test_a_build_that_never_was_is_not_found(sandbox: Sandbox) -> None:
    """And not said to have ended."""
    plan = await approved(sandbox)
    hand = hand_of(AGENT, build_id="b" * 32)
    write = TodoWrite((TodoEdit("a", "Other"),), merge=True, actor="coder", hand=hand)
    with pytest.raises(BuildNotFound):
        await update_todos(sandbox.world, AGENT, plan.uri, write, None)
