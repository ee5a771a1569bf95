"""The todo tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from plangate.testing._fake import content
from plangate.testing._fake.build_calls import held_by, renew
from plangate.testing._fake.messages import copy_of
from plangate.testing._fake.records import Record
from plangate.testing._fake.refusals import invalid
from plangate.testing._fake.state import AUTHOR, State, Type
from plangate.testing._fake.todos import bare, check_unique, name_all, ready
from plangate_proto.agent.v1 import plan_service_pb2 as pb
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.todo_tools_pb2 import (
    ReadTodosResult,
    ReadTodosSuccess,
    TodoItem,
    TodoStatus,
    UpdateTodosResult,
    UpdateTodosSuccess,
)


def read_todos(state: State, request: pb.ReadTodosRequest) -> pb.ReadTodosResponse:
    statuses, ids = request.args.status_filter, request.args.id_filter
    todos = [
        todo
        for todo in state.record(request.plan_uri).plan.todos
        if (not statuses or todo.status in statuses) and (not ids or todo.id in ids)
    ]
    success = ReadTodosSuccess(todos=todos, total_count=len(todos))
    return pb.ReadTodosResponse(result=ReadTodosResult(success=success))


def update_todos(state: State, request: pb.UpdateTodosRequest) -> pb.UpdateTodosResponse:
    record = state.record(request.plan_uri)
    _check_build(state, record, request.build_id)
    over = {PlanState.PLAN_STATE_WITHDRAWN, PlanState.PLAN_STATE_DRAFT}
    record.allow(set(PlanState.values()) - over)
    build = state.record_of_build(request.build_id).builds[request.build_id] if request.build_id else None
    edits = [copy_of(todo) for todo in request.args.todos]
    name_all(edits, (todo.id for todo in record.plan.todos))
    check_unique(edits, [f"args.todos[{place}]" for place in range(len(edits))])
    _write(state, record, request, edits)
    if build is not None:
        renew(record, build)
    success = UpdateTodosSuccess(
        todos=record.plan.todos, total_count=len(record.plan.todos), was_merge=request.args.merge
    )
    return pb.UpdateTodosResponse(
        result=UpdateTodosResult(success=success),
        revision=record.plan.revision,
        ready_todo_ids=ready(record.plan.todos),
        needs_in_progress_todos=_needs_a_beginning(record.plan.todos),
        lease_expire_time=build.lease_expire_time if build else None,
    )


def _check_build(state: State, record: Record, build_id: str) -> None:
    """Refuse a build that is of another plan, whether it has ended or not."""
    owner = state.builds.get(build_id)
    if owner is not None and owner is not record:
        raise invalid("build_id", f"is of another plan than plan_uri: of {owner.plan.plan_uri}")


def _needs_a_beginning(todos: Iterable[TodoItem]) -> bool:
    """Whether something is left to do and nothing is being done."""
    statuses = {todo.status for todo in todos}
    is_pending = TodoStatus.TODO_STATUS_PENDING in statuses
    return is_pending and TodoStatus.TODO_STATUS_IN_PROGRESS not in statuses


def _write(state: State, record: Record, request: pb.UpdateTodosRequest, edits: list[TodoItem]) -> None:
    known = {todo.id: bare(todo) for todo in record.plan.todos}
    statuses = {todo.id: todo.status for todo in record.plan.todos}
    moved = {each.id: each.status for each in edits if each.status not in {0, statuses.get(each.id)}}
    after = _merged(known, edits) if request.args.merge else {edit.id: bare(edit) for edit in edits}
    changed = {each for each in known.keys() | after.keys() if known.get(each) != after.get(each)}
    _check_free(record, moved.keys() | changed, request)
    actor = request.agent_id or AUTHOR

    given = {edit.id: place for place, edit in enumerate(edits)}
    places = [f"args.todos[{given.get(each, repr(each))}]" for each in after]

    def write(plan: Plan) -> None:
        args = content.with_todos(plan, after.values())
        content.write(plan, args, is_spec=plan.is_spec, places=places)

    if [*known.values()] != [*after.values()] and record.revise(actor, write):
        content.move(record.plan, moved)
        state.tell_asked(record, Type.REVIEW_EVENT_TYPE_PLAN_UPDATED, actor)
    elif progress := content.move(record.plan, moved):
        state.tell(record, Type.REVIEW_EVENT_TYPE_TODOS_CHANGED, actor, todos=progress)


def _merged(known: Mapping[str, TodoItem], edits: Iterable[TodoItem]) -> dict[str, TodoItem]:
    """By id; what is left empty stays, and what is not known is put at the end."""
    after = dict(known)
    for edit in edits:
        before = known.get(edit.id, TodoItem())
        after[edit.id] = TodoItem(
            id=edit.id,
            content=edit.content or before.content,
            dependencies=edit.dependencies or before.dependencies,
        )
    return after


def _check_free(record: Record, touched: Set[str], request: pb.UpdateTodosRequest) -> None:
    """Refuse to touch todos that are in another agent's hands."""
    build_id, agent_id = request.build_id, request.agent_id
    for build in record.builds.values():
        mine = build.build_id == build_id if build_id else build.agent_id == agent_id
        if (build_id or agent_id) and not mine:
            for todo_id in build.todo_ids:
                if todo_id in touched:
                    raise held_by(build, todo_id)
