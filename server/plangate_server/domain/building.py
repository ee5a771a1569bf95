"""The life of a plan after its approval: todos are handed out, worked on, finished or given back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain import limits
from plangate_server.domain.builds import (
    DEFAULT_LEASE,
    LONGEST_LEASE,
    SHORTEST_LEASE,
    Build,
    BuildOutcome,
    BuildStatus,
    waves,
)
from plangate_server.domain.errors import (
    BuildEnded,
    InvalidField,
    MissingField,
    NotApproved,
    NotHolder,
    StaleApproval,
    TodoHeld,
    TodoNotFound,
    WrongState,
)
from plangate_server.domain.events import Change, Event, EventType
from plangate_server.domain.identity import Author
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import SERVICE
from plangate_server.domain.todos import TodoProgress, TodoStatus, is_finished


class BuildOrder(Struct, frozen=True):
    """What an agent asks for."""

    agent_id: str
    todo_ids: tuple[str, ...] = ()
    expected_digest: str = ""
    lease: timedelta | None = None
    principal: str = ""
    """The key of the caller."""


def start_build(plan: Plan, order: BuildOrder, build_id: str, now: datetime) -> Change:
    """Todos of the approved revision become one agent's, for as long as it is heard from."""
    _check_order(order)
    _check_approved(plan, order.expected_digest)
    todo_ids = _chosen(plan, order.todo_ids)
    limits.check_count("plan_uri", len(plan.builds) + 1, "builds", limits.BUILDS)
    lease = order.lease or DEFAULT_LEASE
    ordered = tuple(id for wave in waves(plan.revision.content.todos, todo_ids) for id in wave)
    build = Build(
        build_id=build_id,
        agent_id=order.agent_id,
        todo_ids=ordered,
        revision=plan.revision.number,
        digest=plan.revision.digest,
        status=BuildStatus.ACTIVE,
        start_time=now,
        lease=lease,
        lease_expire_time=now + lease,
        principal=order.principal,
    )
    building = replace(
        plan,
        state=PlanState.BUILDING,
        review=replace(plan.review, consume_time=plan.review.consume_time or now),
        builds=(*plan.builds, build),
        built_by=_given(plan.built_by, order.agent_id, ordered),
        referenced_by=tuple(dict.fromkeys((*plan.referenced_by, order.agent_id)))[-limits.REFERENCES :],
        update_time=now,
    )
    event = Event(EventType.BUILD_STARTED, now, order.agent_id, building, build=build)
    return Change(building, (event,), builds=(build,))


def _given(
    built_by: Mapping[str, tuple[str, ...]], agent_id: str, todo_ids: tuple[str, ...]
) -> Mapping[str, tuple[str, ...]]:
    """Who was given which todos, of which so many are told; what was given first is forgotten first."""
    others = {agent: ids for agent, ids in built_by.items() if agent != agent_id}
    before = tuple(id for id in built_by.get(agent_id, ()) if id not in set(todo_ids))
    room = max(limits.BUILT - len(todo_ids), 0)
    before = before[max(len(before) - room, 0) :]
    room -= len(before)
    kept: dict[str, tuple[str, ...]] = {}
    for agent, ids in reversed(others.items()):
        room -= max(len(ids), 1)
        if room < 0:
            break
        kept[agent] = ids
    return {**dict(reversed(kept.items())), agent_id: (*before, *todo_ids)}


def finish_build(
    plan: Plan, build_id: str, outcome: BuildOutcome, summary: str, now: datetime, *, hand: Hand
) -> Change:
    """The agent says how its build ended."""
    limits.check_bytes("summary", summary, "feedback_bytes", limits.FEEDBACK_BYTES)
    build = live_build(plan, build_id)
    check_holder(build, hand)
    ended = replace(build, status=BuildStatus.COMPLETE, outcome=outcome, summary=summary, end_time=now)
    others = tuple(other for other in plan.builds if other.build_id != build_id)
    finished = replace(plan, builds=others, state=_state_after(plan, ended, others), update_time=now)
    completed = outcome is BuildOutcome.COMPLETED
    told = EventType.EXECUTION_COMPLETED if completed else EventType.EXECUTION_FAILED
    event = Event(told, now, build.agent_id, finished, summary, build=ended)
    return Change(finished, (event,), builds=(ended,))


def return_overdue(plan: Plan, now: datetime) -> Change | None:
    """Builds whose agents were not heard from give their todos back; None if there are none."""
    overdue = [build for build in plan.builds if build.lease_expire_time <= now]
    if not overdue:
        return None
    ended = tuple(replace(b, status=BuildStatus.COMPLETE, end_time=now) for b in overdue)
    live = tuple(build for build in plan.builds if build not in overdue)
    held = {id for build in overdue for id in build.todo_ids}
    returned = replace(
        plan,
        builds=live,
        progress=_put_back(plan.progress, held, now),
        state=plan.state if live or plan.state is not PlanState.BUILDING else PlanState.APPROVED,
        update_time=now,
    )
    message = f"the lease ran out: {', '.join(build.build_id for build in overdue)}"
    ids = tuple(id for id in returned.progress if id in held)
    event = Event(EventType.TODOS_CHANGED, now, SERVICE, returned, message, todo_ids=ids)
    return Change(returned, (event,), builds=ended)


def check_may_end_builds(plan: Plan, author: Author | None) -> None:
    """Refuse an agent new content that would take the todos of others out of their hands.

    Whoever asked for the plan or wrote its text may, people and admins may, and who builds may end its own.
    """
    if author is None or author.is_admin or any(map(author.is_callers, (plan.owner, plan.proposer))):
        return
    for build in plan.builds:
        if build.principal not in {"", author.principal}:
            raise NotHolder("plan_uri", build.agent_id, plan_uri=plan.uri, build_id=build.build_id)


def void_builds(plan: Plan, now: datetime) -> tuple[Plan, tuple[Build, ...]]:
    """The plan without builds: its content is about to change, and nobody may go on with the old one."""
    ended = tuple(replace(b, status=BuildStatus.COMPLETE, end_time=now) for b in plan.builds)
    held = {id for build in plan.builds for id in build.todo_ids}
    return replace(plan, builds=(), progress=_put_back(plan.progress, held, now)), ended


def renewed(plan: Plan, build_id: str, now: datetime, hand: Hand) -> tuple[Plan, Build]:
    """The plan with the build's lease begun anew: its agent was heard from."""
    build = live_build(plan, build_id)
    check_holder(build, hand)
    fresh = replace(build, lease_expire_time=now + build.lease)
    builds = tuple(fresh if other is build else other for other in plan.builds)
    return replace(plan, builds=builds), fresh


def live_build(plan: Plan, build_id: str) -> Build:
    """The build, if it is under way."""
    for build in plan.builds:
        if build.build_id == build_id:
            return build
    raise BuildEnded(build_id)


class Hand(Struct, frozen=True):
    """Who wants to change what a build may hold: a caller, and whom it says it acts for."""

    principal: str = ""
    """The caller's key."""
    is_admin: bool = False
    agent_id: str = ""
    build_id: str = ""

    def holds(self, build: Build) -> bool:
        """Whether the build is the caller's, or the caller may change any."""
        return self.is_admin or not build.principal or build.principal == self.principal

    def names_another(self, build: Build) -> bool:
        """Whether the caller says itself that it acts for another build or agent."""
        if self.build_id:
            return self.build_id != build.build_id
        return bool(self.agent_id) and self.agent_id != build.agent_id


def check_free(plan: Plan, todo_ids: Iterable[str], hand: Hand) -> None:
    """Refuse to touch todos that are in another agent's hands."""
    wanted = set(todo_ids)
    for build in plan.builds:
        held = next((id for id in build.todo_ids if id in wanted), None)
        if held is None or (hand.is_admin and build.principal != hand.principal):
            continue
        if hand.names_another(build):
            raise TodoHeld(held, build.build_id, build.lease_expire_time.isoformat())
        if not hand.holds(build):
            raise NotHolder("build_id", build.agent_id, todo_id=held, build_id=build.build_id)


def check_holder(build: Build, hand: Hand) -> None:
    """Refuse to end, or to act for, a build that somebody else has started."""
    if not hand.holds(build):
        raise NotHolder("build_id", build.agent_id, build_id=build.build_id)


def _check_order(order: BuildOrder) -> None:
    if not order.agent_id:
        raise MissingField("agent_id", "say who builds")
    limits.check_id("agent_id", order.agent_id)
    if order.lease is not None and not SHORTEST_LEASE <= order.lease <= LONGEST_LEASE:
        raise InvalidField("lease", "is not between 1 second and 24 hours")


def _check_approved(plan: Plan, expected_digest: str) -> None:
    if plan.approved is None:
        raise NotApproved(plan.uri, plan.state)
    wanted = expected_digest or plan.revision.digest
    if not plan.is_approved or wanted != plan.approved.digest:
        raise StaleApproval(plan.uri, plan.approved.digest, wanted)


def _chosen(plan: Plan, wanted: Sequence[str]) -> list[str]:
    """The todos to hand over: those asked for, or every unfinished one that nobody holds."""
    held = {id: build for build in plan.builds for id in build.todo_ids}
    for place, id in enumerate(wanted):
        if id not in plan.progress:
            raise TodoNotFound(f"todo_ids[{place}]", plan.uri, id)
    asked = list(dict.fromkeys(wanted)) or [
        id for id, entry in plan.progress.items() if not is_finished(entry)
    ]
    if plan.progress and not asked:
        raise WrongState(plan.uri, f"{plan.state} with every todo finished", ["approved, with todos left"])
    free = [id for id in asked if id not in held]
    if len(free) < len(asked) and (wanted or not free):
        taken = next(id for id in asked if id in held)
        raise TodoHeld(taken, held[taken].build_id, held[taken].lease_expire_time.isoformat())
    return free


def _state_after(plan: Plan, ended: Build, others: tuple[Build, ...]) -> PlanState:
    if others:
        return PlanState.BUILDING
    if ended.outcome is BuildOutcome.FAILED:
        return PlanState.FAILED
    rest = (entry for id, entry in plan.progress.items() if id not in ended.todo_ids)
    return PlanState.COMPLETED if all(map(is_finished, rest)) else PlanState.APPROVED


def _put_back(progress: Mapping[str, TodoProgress], held: set[str], now: datetime) -> dict[str, TodoProgress]:
    return {
        id: replace(entry, status=TodoStatus.PENDING, update_time=now)
        if id in held and entry.status is TodoStatus.IN_PROGRESS
        else entry
        for id, entry in progress.items()
    }
