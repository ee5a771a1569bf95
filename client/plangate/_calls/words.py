"""Arguments as people write them, in the terms of the messages."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from google.protobuf.duration_pb2 import Duration

from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOptions
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem


def uri_of(plan: Plan | str) -> str:
    """A plan is named by itself or by its plan_uri."""
    return plan if isinstance(plan, str) else plan.plan_uri


def todo_items(todos: Iterable[str | TodoItem]) -> list[TodoItem]:
    """A text alone is a todo, too."""
    return [TodoItem(content=todo) if isinstance(todo, str) else todo for todo in todos]


def span(given: timedelta | None) -> Duration | None:
    if given is None:
        return None
    duration = Duration()
    duration.FromTimedelta(given)
    return duration


def number_of(enum: Any, prefix: str, word: str) -> Any:
    """The number of an enum's value that is named without its prefix, in any case."""
    try:
        return enum.Value(prefix + word.upper())
    except ValueError:
        known = ", ".join(name.removeprefix(prefix).lower() for name in enum.keys()[1:])
        raise ValueError(f"{word!r} is none of {known}") from None


def word_of(enum: Any, prefix: str, number: int) -> str:
    """The other way round, in capitals; a number that is newer than this client, as digits."""
    try:
        name: str = enum.Name(number)
    except ValueError:
        return str(number)
    return name.removeprefix(prefix)


def review_options(
    expires_after: timedelta | None, required_approvals: int, require_reviewer: bool
) -> ReviewOptions | None:
    """None if nothing special is wanted."""
    if expires_after is None and not required_approvals and not require_reviewer:
        return None
    return ReviewOptions(
        expires_after=span(expires_after),
        required_approvals=required_approvals,
        require_reviewer=require_reviewer,
    )
