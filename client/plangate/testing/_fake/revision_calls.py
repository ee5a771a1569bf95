"""The revisions of a plan, and what changed between two of them."""

from __future__ import annotations

import difflib
from typing import Final

from plangate.testing._fake.messages import copy_of
from plangate.testing._fake.records import Record
from plangate.testing._fake.refusals import invalid
from plangate.testing._fake.state import State
from plangate.testing._fake.todos import bare
from plangate_proto.agent.v1 import plan_service_pb2 as pb
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, RevisionInfo

Change = pb.DiffRevisionsResponse.TodoChange
FIELDS: Final = ("name", "overview", "phases", "is_project", "is_spec")


def list_revisions(state: State, request: pb.ListRevisionsRequest) -> pb.ListRevisionsResponse:
    return pb.ListRevisionsResponse(revisions=revisions_of(state.record(request.plan_uri)))


def revisions_of(record: Record) -> list[RevisionInfo]:
    """Oldest first, each with its review, if people were asked."""
    found = [copy_of(info) for _, info in record.revisions.values()]
    for info in found:
        if info.revision in record.reviews:
            info.review.CopyFrom(record.reviews[info.revision])
    return found


def diff_revisions(state: State, request: pb.DiffRevisionsRequest) -> pb.DiffRevisionsResponse:
    record = state.record(request.plan_uri)
    for name, number in (("from_revision", request.from_revision), ("to_revision", request.to_revision)):
        if number < 0:
            raise invalid(name, "is negative")
    to = request.to_revision or record.plan.revision
    since = request.from_revision or max(to - 1, 1)
    after, before = record.shown(to), record.shown(since)
    lines = difflib.unified_diff(
        before.plan.split("\n"), after.plan.split("\n"), f"revision {since}", f"revision {to}", lineterm=""
    )
    return pb.DiffRevisionsResponse(
        from_revision=since,
        to_revision=to,
        unified_diff="".join(f"{line}\n" for line in lines),
        todo_changes=_todo_changes(before, after),
        changed_fields=_changed_fields(before, after),
    )


def _todo_changes(before: Plan, after: Plan) -> list[Change]:
    """In the newer order, removed ones last."""
    old, new = ({todo.id: todo for todo in plan.todos} for plan in (before, after))
    changed = [
        Change(before=old.get(todo.id), after=todo)
        for todo in after.todos
        if todo.id not in old or bare(old[todo.id]) != bare(todo)
    ]
    return changed + [Change(before=todo) for todo in before.todos if todo.id not in new]


def _changed_fields(before: Plan, after: Plan) -> list[str]:
    changed = [name for name in FIELDS if _said(before, name) != _said(after, name)]
    old, new = ([bare(todo).SerializeToString() for todo in plan.todos] for plan in (before, after))
    return [*changed, "todos"] if old != new and sorted(old) == sorted(new) else changed


def _said(plan: Plan, name: str) -> object:
    if name == "phases":
        return [(phase.name, [todo.id for todo in phase.todos]) for phase in plan.phases]
    return getattr(plan, name)
