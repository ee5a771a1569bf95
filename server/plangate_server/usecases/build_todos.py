"""BuildTodos and FinishBuild."""

from __future__ import annotations

from datetime import timedelta

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain.building import BuildOrder, finish_build, start_build
from plangate_server.domain.builds import Build, BuildOutcome, prompt, waves
from plangate_server.domain.errors import MissingField
from plangate_server.domain.events import Change
from plangate_server.domain.identity import Principal
from plangate_server.domain.plan import Plan, plan_id_of
from plangate_server.domain.todos import Todo, TodoStatus
from plangate_server.ports import RequestKey, World, Writing
from plangate_server.usecases.lookup import the_plan, the_plan_of_build
from plangate_server.usecases.once import write_once
from plangate_server.usecases.ownership import hand_of


class Started(Struct, frozen=True):
    """Todos in the hands of an agent."""

    plan: Plan
    build: Build

    @property
    def todos(self) -> list[Todo]:
        by_id = {todo.id: todo for todo in self.plan.revision.content.todos}
        return [by_id[id] for id in self.build.todo_ids]

    @property
    def waves(self) -> list[list[str]]:
        return waves(self.plan.revision.content.todos, self.build.todo_ids)

    @property
    def prompt(self) -> str:
        return prompt(self.plan.revision.content.name, self.todos)


async def build_todos(
    world: World, principal: Principal, plan_uri: str, order: BuildOrder, key: RequestKey | None
) -> Started:
    """Hand todos of the approved revision to an agent."""
    plan_id_of(plan_uri)
    order = replace(order, principal=principal.key)
    build_id, now = world.ids.new(), world.clock.now()

    def record(writing: Writing) -> Change:
        return start_build(the_plan(writing, plan_uri), order, build_id, now)

    change = await write_once(world, principal, key, record)
    return Started(change.plan, change.builds[0])


class Finished(Struct, frozen=True):
    plan: Plan
    build: Build

    @property
    def total(self) -> int:
        return len(self.build.todo_ids)

    @property
    def completed(self) -> int:
        done = (self.plan.progress[id].status is TodoStatus.COMPLETED for id in self.build.todo_ids)
        return sum(done)

    @property
    def duration(self) -> timedelta:
        assert self.build.end_time
        return self.build.end_time - self.build.start_time


async def finish(
    world: World,
    principal: Principal,
    build_id: str,
    *,
    outcome: BuildOutcome | None,
    summary: str,
    key: RequestKey | None,
) -> Finished:
    """The build ended."""
    if not build_id:
        raise MissingField("build_id", "say which build ended")
    if outcome is None:
        raise MissingField("outcome", "say how it ended")
    now = world.clock.now()

    def record(writing: Writing) -> Change:
        plan = the_plan_of_build(writing, build_id)
        return finish_build(plan, build_id, outcome, summary, now, hand=hand_of(principal))

    change = await write_once(world, principal, key, record)
    return Finished(change.plan, change.builds[0])
