"""The plan, build and todo that a tool call says it belongs to: they must be what it says."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from plangate_server.domain.building import check_holder
from plangate_server.domain.builds import Build
from plangate_server.domain.errors import BuildEnded, InvalidField, NotApproved, TodoNotFound
from plangate_server.domain.identity import Principal
from plangate_server.domain.plan import Plan
from plangate_server.ports import Lookup
from plangate_server.usecases.lookup import the_plan, the_plan_of_build
from plangate_server.usecases.ownership import hand_of


class Work(Struct, frozen=True):
    """What a call names; each part may be empty."""

    plan_uri: str = ""
    build_id: str = ""
    todo_id: str = ""

    def __bool__(self) -> bool:
        return bool(self.plan_uri or self.build_id or self.todo_id)


def plan_of(lookup: Lookup, principal: Principal, work: Work, now: datetime) -> Plan | None:
    """The plan that the call is for, if it names one; a build must be a live one of an approved revision, and
    the caller's: people read the name of the build with what they are asked.
    """
    if work.build_id:
        plan = the_plan_of_build(lookup, work.build_id, work.plan_uri)
        build = _live_build(plan, work.build_id, now)
        check_holder(build, hand_of(principal))
        _check_todo(plan, work.todo_id, build.todo_ids)
        return plan
    if work.plan_uri:
        plan = the_plan(lookup, work.plan_uri)
        _check_todo(plan, work.todo_id, [todo.id for todo in plan.revision.content.todos])
        return plan
    if work.todo_id:
        raise InvalidField("todo_id", "needs the plan_uri or the build_id that it is of")
    return None


def _live_build(plan: Plan, build_id: str, now: datetime) -> Build:
    live = (each for each in plan.builds if each.build_id == build_id and now < each.lease_expire_time)
    build = next(live, None)
    if build is None:
        raise BuildEnded(build_id)
    if not plan.is_approved:
        raise NotApproved(plan.uri, plan.state)
    return build


def _check_todo(plan: Plan, todo_id: str, known: tuple[str, ...] | list[str]) -> None:
    if todo_id and todo_id not in known:
        raise TodoNotFound("todo_id", plan.uri, todo_id)
