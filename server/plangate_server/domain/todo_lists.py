"""Writing todos: a change of status is progress; any other change is a new revision."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain.building import Hand, check_free, renewed
from plangate_server.domain.builds import Build
from plangate_server.domain.content import with_todos
from plangate_server.domain.errors import DuplicateTodoId, WrongState
from plangate_server.domain.events import Change, Event, EventType
from plangate_server.domain.identity import Author
from plangate_server.domain.lifecycle import REVISABLE, check_knows_text, put_in_review
from plangate_server.domain.limits import DEFAULTS, Limits
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.todos import (
    Todo,
    TodoEdit,
    TodoStatus,
    edits_with_ids,
    merged,
    moved_on,
    replaced,
)

WRITABLE = frozenset(PlanState) - {PlanState.DRAFT, PlanState.WITHDRAWN}


class TodoWrite(Struct, frozen=True):
    edits: tuple[TodoEdit, ...]
    merge: bool
    actor: str
    hand: Hand = Hand()
    proposer: Author | None = None
    """Whose text it is if more than statuses change; None if a person's."""


def write_todos(
    plan: Plan, write: TodoWrite, approval_request_id: str, now: datetime, limits: Limits = DEFAULTS
) -> Change:
    """The plan with its todos changed; the same plan with no events if nothing changed."""
    return replace(_written(plan, write, approval_request_id, now, limits), before=plan)


def _written(plan: Plan, write: TodoWrite, approval_request_id: str, now: datetime, limits: Limits) -> Change:
    if plan.state not in WRITABLE:
        raise WrongState(plan.uri, plan.state, sorted(WRITABLE))
    builds: tuple[Build, ...] = ()
    if write.hand.build_id:
        plan, build = renewed(plan, write.hand.build_id, now, write.hand)
        builds = (build,)
    before = plan.revision.content
    edits = _named(write.edits, plan)
    todos = merged(before.todos, edits) if write.merge else replaced(edits)
    statuses = _moves(edits, plan)
    check_free(plan, {*statuses, *_different(before.todos, todos)}, write.hand)
    if todos != before.todos:
        if plan.state not in REVISABLE:
            raise WrongState(plan.uri, plan.state, sorted(REVISABLE))
        check_knows_text(plan, write.proposer)
        return put_in_review(
            plan,
            with_todos(before, todos, _paths(todos, edits), limits),
            author=write.actor,
            proposer=write.proposer,
            approval_request_id=approval_request_id,
            now=now,
            statuses=statuses,
        )
    progress = moved_on(todos, plan.progress, statuses, now)
    changed = tuple(id for id in progress if progress[id] is not plan.progress[id])
    if not changed:
        return Change(plan, (), builds=builds)
    plan = replace(plan, progress=progress, update_time=now)
    event = Event(EventType.TODOS_CHANGED, now, write.actor, plan, todo_ids=changed)
    return Change(plan, (event,), builds=builds)


def _moves(edits: Sequence[TodoEdit], plan: Plan) -> dict[str, TodoStatus]:
    """The statuses that are not what they were: naming one that is changes nothing."""
    progress = plan.progress
    return {
        edit.id: edit.status
        for edit in edits
        if edit.status and (edit.id not in progress or progress[edit.id].status is not edit.status)
    }


def _named(edits: Sequence[TodoEdit], plan: Plan) -> tuple[TodoEdit, ...]:
    named = edits_with_ids(edits, plan.progress)
    seen: set[str] = set()
    for place, edit in enumerate(named):
        if edit.id in seen:
            raise DuplicateTodoId(f"todos[{place}].id", edit.id)
        seen.add(edit.id)
    return named


def _paths(todos: Iterable[Todo], edits: Iterable[TodoEdit]) -> list[str]:
    """Where the caller wrote each todo; what was there before is named by its id."""
    places = {edit.id: place for place, edit in enumerate(edits)}
    return [f"todos[{places.get(todo.id, repr(todo.id))}]" for todo in todos]


def _different(before: Iterable[Todo], after: Iterable[Todo]) -> set[str]:
    """Todos of the old list that the new one changes or leaves out."""
    kept = set(after)
    return {todo.id for todo in before if todo not in kept}
