"""Builds of approved plans."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, timedelta
from typing import Final

from plangate.testing._fake.messages import moment, new_id, now
from plangate.testing._fake.records import Record, wrong_state
from plangate.testing._fake.refusals import Refused, missing
from plangate.testing._fake.state import State, Type
from plangate.testing._fake.todos import FINISHED, waves
from plangate_proto.agent.v1 import plan_service_pb2 as pb
from plangate_proto.agent.v1.plan_resource_pb2 import Build, BuildOutcome, BuildStatus, PlanState
from plangate_proto.agent.v1.todo_tools_pb2 import TodoStatus

LEASE: Final = timedelta(minutes=10)


def build_todos(state: State, request: pb.BuildTodosRequest) -> pb.BuildTodosResponse:
    if not request.agent_id:
        raise missing("agent_id")
    record = state.record(request.plan_uri)
    _check_approved(record, request.expected_digest)
    plan = record.plan
    found = waves(plan.todos, _free_todos(record, request.todo_ids))
    build = _begin(state, record, request, [todo_id for wave in found for todo_id in wave])
    todos = {todo.id: todo for todo in plan.todos}
    return pb.BuildTodosResponse(
        build_id=build.build_id,
        todos=[todos[todo_id] for todo_id in build.todo_ids],
        waves=[pb.BuildTodosResponse.Wave(todo_ids=wave) for wave in found],
        prompt=f"Implement of the approved plan {plan.name!r}: {', '.join(build.todo_ids)}.",
        revision=plan.revision,
        digest=plan.digest,
        lease_expire_time=build.lease_expire_time,
    )


def _check_approved(record: Record, expected_digest: str) -> None:
    plan = record.plan
    if not record.approved:
        words = f"the plan is {record.state}, not approved"
        raise Refused("NOT_APPROVED", words, plan_uri=plan.plan_uri, state=record.state)
    wanted = expected_digest or plan.digest
    if record.approved != plan.digest or wanted != record.approved:
        words = "another text was approved than the one to be built"
        facts = {"plan_uri": plan.plan_uri, "approved_digest": record.approved, "digest": wanted}
        raise Refused("STALE_APPROVAL", words, **facts)


def _free_todos(record: Record, wanted: Iterable[str]) -> list[str]:
    """The ids to hand over: those asked for, or every unfinished one that nobody holds."""
    held = {todo_id: build for build in record.builds.values() for todo_id in build.todo_ids}
    known = [todo.id for todo in record.plan.todos]
    wanted = list(wanted)
    for place, todo_id in enumerate(wanted):
        if todo_id not in known:
            raise todo_not_found(f"todo_ids[{place}]", record, todo_id)
    asked = wanted or [todo.id for todo in record.plan.todos if todo.status not in FINISHED]
    if known and not asked:
        finished = f"{record.state} with every todo finished"
        raise wrong_state(record.plan.plan_uri, finished, ["approved, with todos left"])
    free = [todo_id for todo_id in asked if todo_id not in held]
    if len(free) < len(asked) and (wanted or not free):
        taken = next(todo_id for todo_id in asked if todo_id in held)
        raise held_by(held[taken], taken)
    return free


def todo_not_found(field: str, record: Record, todo_id: str) -> Refused:
    words = f"{field} is {todo_id!r}, which the plan does not have"
    return Refused("TODO_NOT_FOUND", words, field=field, plan_uri=record.plan.plan_uri, todo_id=todo_id)


def held_by(build: Build, todo_id: str) -> Refused:
    until = build.lease_expire_time.ToDatetime(tzinfo=UTC).isoformat()
    words = f"todo {todo_id!r} is in the hands of build {build.build_id} until {until} at least"
    facts = {"todo_id": todo_id, "build_id": build.build_id, "lease_expire_time": until}
    return Refused("TODO_HELD", words, **facts)


def _begin(state: State, record: Record, request: pb.BuildTodosRequest, todo_ids: list[str]) -> Build:
    plan, agent_id = record.plan, request.agent_id
    build = Build(
        build_id=new_id(),
        plan_uri=plan.plan_uri,
        agent_id=agent_id,
        todo_ids=todo_ids,
        revision=plan.revision,
        digest=plan.digest,
        status=BuildStatus.BUILD_STATUS_ACTIVE,
        start_time=moment(),
    )
    lease = request.lease.ToTimedelta() if request.HasField("lease") else LEASE
    record.builds[build.build_id], record.leases[build.build_id] = build, lease
    renew(record, build)
    state.builds[build.build_id] = record
    plan.state = PlanState.PLAN_STATE_BUILDING
    given = plan.built_by[agent_id].todo_ids
    given.extend(todo_id for todo_id in todo_ids if todo_id not in given)
    if agent_id not in plan.referenced_by:
        plan.referenced_by.append(agent_id)
    if not plan.review.HasField("consume_time"):
        plan.review.consume_time.CopyFrom(moment())
        record.keep_review()
    state.tell(record, Type.REVIEW_EVENT_TYPE_BUILD_STARTED, agent_id, build=build)
    return build


def renew(record: Record, build: Build) -> None:
    """Its agent was heard from: the lease begins anew."""
    build.lease_expire_time.FromDatetime(now() + record.leases[build.build_id])


def finish_build(state: State, request: pb.FinishBuildRequest) -> pb.FinishBuildResponse:
    if not request.outcome:
        raise missing("outcome")
    record = state.record_of_build(request.build_id)
    build = record.builds.pop(request.build_id)
    build.status, build.outcome = BuildStatus.BUILD_STATUS_COMPLETE, request.outcome
    build.summary = request.summary
    build.end_time.CopyFrom(moment())
    record.plan.state = _state_after(record, build)
    well = request.outcome == BuildOutcome.BUILD_OUTCOME_COMPLETED
    kind = Type.REVIEW_EVENT_TYPE_EXECUTION_COMPLETED if well else Type.REVIEW_EVENT_TYPE_EXECUTION_FAILED
    state.tell(record, kind, build.agent_id, request.summary, build=build)
    done = sum(
        todo.id in build.todo_ids and todo.status == TodoStatus.TODO_STATUS_COMPLETED
        for todo in record.plan.todos
    )
    total = len(build.todo_ids)
    response = pb.FinishBuildResponse(plan=record.shown(), completed=done, failed=total - done, total=total)
    response.duration.FromTimedelta(build.end_time.ToDatetime() - build.start_time.ToDatetime())
    return response


def _state_after(record: Record, build: Build) -> PlanState.ValueType:
    if record.builds:
        return PlanState.PLAN_STATE_BUILDING
    if build.outcome == BuildOutcome.BUILD_OUTCOME_FAILED:
        return PlanState.PLAN_STATE_FAILED
    rest = [todo for todo in record.plan.todos if todo.id not in build.todo_ids]
    if all(todo.status in FINISHED for todo in rest):
        return PlanState.PLAN_STATE_COMPLETED
    return PlanState.PLAN_STATE_APPROVED
