"""From agent.v1 requests to the domain."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import Final, Literal, Protocol, TypeVar

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from plangate_proto.agent.v1 import (
    create_plan_tool_pb2,
    plan_resource_pb2,
    plan_service_pb2,
    review_resource_pb2,
)
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.aiserver.v1 import plan_service_pb2 as aiserver_plan_service_pb2
from plangate_server.domain.building import BuildOrder
from plangate_server.domain.content import Draft, PhaseDraft, hint_name
from plangate_server.domain.errors import InvalidField
from plangate_server.domain.identity import Principal
from plangate_server.domain.lifecycle import StatusSaid
from plangate_server.domain.limits import LABELS, PHASE_TODOS, PHASES, Limits, check_count, check_id
from plangate_server.domain.review import ReviewOptions
from plangate_server.domain.todos import Todo, TodoEdit, TodoHint
from plangate_server.ports import RequestKey
from plangate_server.rpc.enums import (
    BUILD_OUTCOME,
    COMMENT_STATE,
    EVENT_TYPE,
    PLAN_STATE,
    REVIEW_STATUS,
    TODO_STATUS,
    members,
)
from plangate_server.rpc.session_messages import ACCESS

Member = TypeVar("Member", bound=StrEnum)
Items_co = TypeVar("Items_co", bound=Sized, covariant=True)

PLAN_STATES: Final = members(PLAN_STATE)
TODO_STATUSES: Final = members(TODO_STATUS)
REVIEW_STATUSES: Final = members(REVIEW_STATUS)
EVENT_TYPES: Final = members(EVENT_TYPE)
ACCESSES: Final = members(ACCESS)
COMMENT_STATES: Final = members(COMMENT_STATE)
BUILD_OUTCOMES: Final = members(BUILD_OUTCOME)


class HasDependencies(Protocol):
    @property
    def dependencies(self) -> Sequence[str]: ...


class HasTodos(Protocol[Items_co]):
    @property
    def name(self) -> str: ...
    @property
    def todos(self) -> Items_co: ...


class HasReview(Protocol):
    @property
    def review(self) -> review_resource_pb2.ReviewOptions: ...
    def HasField(self, field_name: Literal["review"]) -> bool: ...


class Repeatable(Protocol):
    """A request that carries a request_id."""

    request_id: str

    def SerializeToString(self, *, deterministic: bool = ...) -> bytes: ...


def request_key(method: str, principal: Principal, request: Repeatable) -> RequestKey | None:
    """What a repeated request is known by: its id, and a hash of everything that it says."""
    if not request.request_id:
        return None
    check_id("request_id", request.request_id)
    said = method.encode() + request.SerializeToString(deterministic=True)
    return RequestKey(principal.key, request.request_id, hashlib.sha256(said).hexdigest())


def draft_of(
    args: create_plan_tool_pb2.CreatePlanArgs,
    limits: Limits,
    *,
    is_spec: bool = False,
    hints: Mapping[str, plan_resource_pb2.TodoHint] | None = None,
) -> Draft:
    return Draft(
        plan=args.plan,
        name=args.name,
        overview=args.overview,
        todos=_todos(args.todos, "todos", limits),
        phases=phase_drafts(args.phases, partial(_todos, limits=limits)),
        is_project=args.is_project,
        is_spec=is_spec,
        hints={id: _hint(id, hint) for id, hint in (hints or {}).items()},
    )


def statuses_of(args: create_plan_tool_pb2.CreatePlanArgs) -> tuple[StatusSaid, ...]:
    """What the todos of a plan say of how far they are."""
    groups = {"todos": args.todos}
    groups |= {f"phases[{number}].todos": phase.todos for number, phase in enumerate(args.phases)}
    return tuple(
        StatusSaid(field, item.id, known(TODO_STATUSES, item.status, field))
        for path, items in groups.items()
        for field, item in ((f"{path}[{place}].status", item) for place, item in enumerate(items))
        if item.status
    )


def _todos(items: Sequence[TodoItem], path: str, limits: Limits) -> tuple[Todo, ...]:
    """Todos of a new plan: their statuses must be ones we know, and all of them start as pending."""
    return tuple(
        Todo(edit.id, edit.content, edit.dependencies) for edit in todo_edits_of(items, limits, path)
    )


def todo_edits_of(items: Sequence[TodoItem], limits: Limits, path: str = "todos") -> tuple[TodoEdit, ...]:
    check_size(items, path, limits)
    return tuple(
        TodoEdit(
            item.id,
            item.content,
            known(TODO_STATUSES, item.status, f"{path}[{place}].status") if item.status else None,
            tuple(item.dependencies),
        )
        for place, item in enumerate(items)
    )


def check_size(items: Sequence[HasDependencies], path: str, limits: Limits) -> None:
    """Refuse more than a plan may have before anything is made of it: a message holds millions."""
    check_count(path, len(items), "todos", limits.todos)
    for place, item in enumerate(items):
        check_count(f"{path}[{place}].dependencies", len(item.dependencies), "todos", limits.todos)


def phase_drafts(
    phases: Sequence[HasTodos[Items_co]], todos: Callable[[Items_co, str], tuple[Todo, ...]]
) -> tuple[PhaseDraft, ...]:
    check_count("phases", len(phases), "phases", PHASES)
    check_count("phases", sum(len(phase.todos) for phase in phases), "phase_todos", PHASE_TODOS)
    return tuple(
        PhaseDraft(phase.name, todos(phase.todos, f"phases[{number}].todos"))
        for number, phase in enumerate(phases)
    )


def _hint(todo_id: str, hint: plan_resource_pb2.TodoHint) -> TodoHint:
    path = f"todo_hints[{hint_name(todo_id)}]"
    estimate = (
        span(f"{path}.estimated_time", hint.estimated_time) if hint.HasField("estimated_time") else None
    )
    access = known(ACCESSES, hint.access, f"{path}.access") if hint.access else None
    check_count(f"{path}.labels", len(hint.labels), "labels", LABELS)
    for place, label in enumerate(hint.labels):
        check_id(f"{path}.labels[{place}]", label)
    return TodoHint(hint.agent, estimate, access, tuple(hint.labels))


def review_options_of(request: HasReview) -> ReviewOptions | None:
    """How the plan is to be reviewed; None if the caller said nothing about it."""
    if not request.HasField("review"):
        return None
    options = request.review
    expires = options.expires_after if options.HasField("expires_after") else None
    return ReviewOptions(
        expires_after=None if expires is None else span("review.expires_after", expires),
        required_approvals=options.required_approvals,
    )


def build_order_of(
    request: plan_service_pb2.BuildTodosRequest | aiserver_plan_service_pb2.BuildTodosRequest,
) -> BuildOrder:
    return BuildOrder(
        agent_id=request.agent_id,
        todo_ids=tuple(request.todo_ids),
        expected_digest=request.expected_digest,
        lease=span("lease", request.lease) if request.HasField("lease") else None,
    )


def known(table: Mapping[int, Member], number: int, path: str) -> Member:
    """The member that a number on the wire stands for; open enums let any number arrive."""
    if number not in table:
        raise InvalidField(path, f"is {number}, which the contract does not know")
    return table[number]


def given(table: Mapping[int, Member], number: int, path: str) -> Member | None:
    """The member that a number on the wire stands for; None where the caller said nothing."""
    return known(table, number, path) if number else None


def all_known(table: Mapping[int, Member], numbers: Iterable[int], path: str) -> tuple[Member, ...]:
    return tuple(known(table, number, f"{path}[{place}]") for place, number in enumerate(numbers))


def moment(path: str, value: Timestamp) -> datetime:
    """A time that is one, to the microsecond."""
    try:
        return value.ToDatetime(tzinfo=UTC)
    except (OverflowError, ValueError):
        raise InvalidField(path, "is not a time") from None


def span(path: str, value: Duration) -> timedelta:
    """A duration that is one: any 64-bit number can stand on the wire."""
    try:
        return value.ToTimedelta()
    except (OverflowError, ValueError):
        raise InvalidField(path, "is not a span of time") from None
