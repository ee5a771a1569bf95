"""From agent.v1 requests to the domain."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Final, Protocol

from google.protobuf.duration_pb2 import Duration

from plangate_proto.agent.v1 import create_plan_tool_pb2, plan_resource_pb2, review_resource_pb2
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_server.domain import limits
from plangate_server.domain.content import Draft, PhaseDraft
from plangate_server.domain.errors import InvalidField
from plangate_server.domain.plan import PlanState
from plangate_server.domain.todos import Todo, TodoHint
from plangate_server.ports import Principal, RequestKey
from plangate_server.rpc.convert import PLAN_STATE
from plangate_server.usecases.create_plan import ReviewOptions

STATE_OF: Final = {number: state for state, number in PLAN_STATE.items()}


class Repeatable(Protocol):
    """A request that carries a request_id."""

    request_id: str

    def SerializeToString(self, *, deterministic: bool = ...) -> bytes: ...


def request_key(method: str, principal: Principal, request: Repeatable) -> RequestKey | None:
    """What a repeated request is known by: its id, and a hash of everything that it says."""
    if not request.request_id:
        return None
    limits.check_id("request_id", request.request_id)
    said = method.encode() + request.SerializeToString(deterministic=True)
    return RequestKey(principal.name, request.request_id, hashlib.sha256(said).hexdigest())


def draft_of(
    args: create_plan_tool_pb2.CreatePlanArgs,
    *,
    is_spec: bool,
    hints: Mapping[str, plan_resource_pb2.TodoHint],
) -> Draft:
    return Draft(
        plan=args.plan,
        name=args.name,
        overview=args.overview,
        todos=_todos(args.todos),
        phases=tuple(PhaseDraft(phase.name, _todos(phase.todos)) for phase in args.phases),
        is_project=args.is_project,
        is_spec=is_spec,
        hints={id: _hint(id, hint) for id, hint in hints.items()},
    )


def _todos(items: Iterable[TodoItem]) -> tuple[Todo, ...]:
    return tuple(Todo(item.id, item.content, tuple(item.dependencies)) for item in items)


def _hint(todo_id: str, hint: plan_resource_pb2.TodoHint) -> TodoHint:
    path = f"todo_hints[{todo_id[:200]!r}].estimated_time"
    estimate = span(path, hint.estimated_time) if hint.HasField("estimated_time") else None
    return TodoHint(hint.agent, estimate)


def review_options_of(options: review_resource_pb2.ReviewOptions) -> ReviewOptions:
    expires = options.expires_after if options.HasField("expires_after") else None
    return ReviewOptions(
        expires_after=None if expires is None else span("review.expires_after", expires),
        required_approvals=options.required_approvals,
        require_reviewer=options.require_reviewer,
    )


def states_of(states: Iterable[int]) -> tuple[PlanState, ...]:
    for place, number in enumerate(states):
        if number not in STATE_OF:
            raise InvalidField(f"states[{place}]", f"is {number}, which is no state of a plan")
    return tuple(STATE_OF[number] for number in states)


def span(path: str, value: Duration) -> timedelta:
    """A duration that is one: any 64-bit number can stand on the wire."""
    try:
        return value.ToTimedelta()
    except (OverflowError, ValueError):
        raise InvalidField(path, "is not a span of time") from None
