"""ReadTodos, UpdateTodos, TodoRead and TodoWrite."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain.events import Change
from plangate_server.domain.identity import Principal
from plangate_server.domain.plan import ENDED, Plan, PlanState, plan_id_of
from plangate_server.domain.todo_lists import TodoWrite, write_todos
from plangate_server.domain.todos import Todo, TodoStatus
from plangate_server.ports import RequestKey, World, Writing
from plangate_server.usecases.create_plan import check_alone, check_asker, in_review
from plangate_server.usecases.lookup import the_plan, the_plan_of_build
from plangate_server.usecases.once import write_once
from plangate_server.usecases.ownership import proposer_of
from plangate_server.usecases.read_plans import get_plan


async def read_todos(
    world: World,
    principal: Principal,
    plan_uri: str,
    statuses: Collection[TodoStatus] = (),
    ids: Collection[str] = (),
) -> tuple[Plan, list[Todo]]:
    """The plan, and those of its todos that pass both filters; an empty one lets everything through."""
    plan = await get_plan(world, principal, plan_uri)
    todos = [
        todo
        for todo in plan.revision.content.todos
        if (not statuses or plan.progress[todo.id].status in statuses) and (not ids or todo.id in ids)
    ]
    return plan, todos


class Written(Struct, frozen=True):
    before: Plan
    plan: Plan
    lease_expire_time: datetime | None


async def update_todos(
    world: World, principal: Principal, plan_uri: str, write: TodoWrite, key: RequestKey | None
) -> Written:
    """The plan after the write, and until when its build holds its todos."""
    plan_id_of(plan_uri)
    check_asker("", write.hand.agent_id)
    review_id, now = world.ids.new(), world.clock.now()

    def record(writing: Writing) -> Change:
        plan = the_plan(writing, plan_uri)
        if write.hand.build_id:
            the_plan_of_build(writing, write.hand.build_id, plan_uri)
        owned = replace(write, proposer=proposer_of(principal, write.hand.agent_id, plan))
        change = write_todos(plan, owned, review_id, now, world.limits)
        if plan.state in ENDED and change.plan.state is PlanState.IN_REVIEW:
            check_alone(world, writing, plan.session_id, plan)
        return in_review(world, principal, change, by_person=owned.proposer is None)

    change = await write_once(world, principal, key, record)
    lease = next((b.lease_expire_time for b in change.builds if b.build_id == write.hand.build_id), None)
    return Written(change.before or change.plan, change.plan, lease)
