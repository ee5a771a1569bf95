"""How many entries the lists and maps of requests may have, for every one that there is.

They are counted twice: roughly in the bytes of the request, before anything is made of them, for an entry
takes many times as much memory as its bytes; and exactly once they are parsed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from msgspec import Struct

from plangate_server.domain.errors import LimitExceeded
from plangate_server.domain.limit_table import LIMITS
from plangate_server.domain.limits import MESSAGE_FIELDS, Limits, check_count
from plangate_server.rpc.wire import DEEPEST, fields_between

FREE_FORM: Final = "google.protobuf."
"""JSON as messages: how much of it there is, only the bytes and the number of fields say."""

LIMIT_OF: Final[Mapping[str, str]] = {
    "agent.v1.CreatePlanArgs.todos": "todos",
    "agent.v1.CreatePlanArgs.phases": "phases",
    "agent.v1.Phase.todos": "todos",
    "agent.v1.TodoItem.dependencies": "todos",
    "agent.v1.CreatePlanRequest.todo_hints": "todos",
    "agent.v1.UpdatePlanRequest.todo_hints": "todos",
    "agent.v1.TodoHint.labels": "labels",
    "agent.v1.UpdateTodosArgs.todos": "todos",
    "agent.v1.ReadTodosArgs.status_filter": "filter_entries",
    "agent.v1.ReadTodosArgs.id_filter": "todos",
    "agent.v1.BuildTodosRequest.todo_ids": "todos",
    "agent.v1.ListPlansRequest.states": "filter_entries",
    "agent.v1.ListCommentsRequest.states": "filter_entries",
    "agent.v1.ListSessionsRequest.modes": "filter_entries",
    "agent.v1.ListApprovalsRequest.states": "filter_entries",
    "agent.v1.RequestApprovalRequest.metadata": "metadata_entries",
    "agent.v1.RestoreMemoryRequest.remembered": "restored",
    "agent.v1.Remembered.restored_by": "restored",
    "aiserver.v1.CreatePlanParams.steps": "todos",
    "aiserver.v1.CreatePlanParams.todos": "todos",
    "aiserver.v1.CreatePlanParams.phases": "phases",
    "aiserver.v1.PlanPhase.todos": "todos",
    "aiserver.v1.Step.prerequisites": "todos",
    "aiserver.v1.TodoItem.dependencies": "todos",
    "aiserver.v1.TodoWriteParams.todos": "todos",
    "aiserver.v1.BuildTodosRequest.todo_ids": "todos",
    "aiserver.v1.ListReviewsRequest.statuses": "filter_entries",
    "aiserver.v1.ListEventsRequest.types": "filter_entries",
    "aiserver.v1.WatchReviewsRequest.types": "filter_entries",
}
"""The limit of each, by its name in the table of limits."""

_FIXED: Final = {limit.name: limit.default for limit in LIMITS if limit.range is None}


def check_bytes_of(descriptor: Descriptor, data: bytes) -> None:
    """Refuse a request with too many entries of anything that takes room, by its bytes alone.

    What is no message at all is left to the parser, which refuses it.
    """
    with suppress(IndexError, ValueError):
        _Scan(data).look(descriptor, 0, len(data), "")


def check_entries(message: Message, limits: Limits, path: str = "") -> None:
    """Refuse a list or a map with more entries than it may have."""
    for field in _with_lists(message.DESCRIPTOR):
        value = getattr(message, field.name)
        where = f"{path}{field.name}"
        if not field.is_repeated:
            if message.HasField(field.name):
                check_entries(value, limits, f"{where}.")
            continue
        if (name := LIMIT_OF.get(field.full_name)) is not None:
            check_count(where, len(value), name, _maximum(name, limits))
        for place, item in _messages(field, value):
            check_entries(item, limits, f"{where}[{place}].")


def _maximum(name: str, limits: Limits) -> int:
    found: int = getattr(limits, name) if name in Limits.__struct_fields__ else _FIXED[name]
    return found


def _messages(field: FieldDescriptor, value: Any) -> Iterator[tuple[object, Message]]:
    """The entries of a list or a map that are messages with lists of their own, each with its place."""
    kind = field.message_type
    if kind is not None and kind.GetOptions().map_entry:
        inside = kind.fields_by_name["value"]
        if _is_message_with_lists(inside):
            yield from ((repr(key[:200]), value[key]) for key in value)
    elif _is_message_with_lists(field):
        yield from enumerate(value)


@cache
def _with_lists(descriptor: Descriptor) -> tuple[FieldDescriptor, ...]:
    """The fields of a message that are lists or maps, or messages that have some."""
    return tuple(field for field in descriptor.fields if field.is_repeated or _is_message_with_lists(field))


def _is_message_with_lists(field: FieldDescriptor) -> bool:
    kind = field.message_type
    return kind is not None and not kind.full_name.startswith(FREE_FORM) and bool(_with_lists(kind))


class _Place(Struct, frozen=True):
    """A field that is a message, or a list of them."""

    name: str
    is_list: bool
    inside: Descriptor
    is_plain: bool
    """Whether there are no lists of messages in it, so that only a large one can have much in it."""

    def is_worth_a_look(self, size: int) -> bool:
        return not self.is_plain or size > MESSAGE_FIELDS


@cache
def _places(descriptor: Descriptor) -> Mapping[int, _Place]:
    return {
        number: _Place(field.name, field.is_repeated, kind, not _has_lists_of_messages(kind))
        for number, field in descriptor.fields_by_number.items()
        if (kind := field.message_type) is not None
    }


@cache
def _has_lists_of_messages(descriptor: Descriptor) -> bool:
    """Whether a message has such a list at any depth; messages of free form have themselves in them."""
    known: set[str] = set()
    waiting = [descriptor]
    while waiting:
        kind = waiting.pop()
        if kind.full_name in known:
            continue
        known.add(kind.full_name)
        for field in kind.fields:
            if field.message_type is not None:
                if field.is_repeated:
                    return True
                waiting.append(field.message_type)
    return False


class _Scan:
    """Counts the fields of messages; what is in small ones that hold no lists of others is not looked at."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._left = MESSAGE_FIELDS

    def look(self, descriptor: Descriptor, begin: int, end: int, path: str, depth: int = 0) -> None:
        """Refuse with the path at which there is too much."""
        places = _places(descriptor)
        counts: Counter[int] = Counter()
        for number, start, stop in fields_between(self._data, begin, end):
            self._left -= 1
            counts[number] += 1
            if self._left < 0:
                raise _too_many(descriptor, counts, path)
            place = places.get(number)
            if place is not None and depth < DEEPEST and place.is_worth_a_look(stop - start):
                at = f"[{counts[number] - 1}]" if place.is_list else ""
                self.look(place.inside, start, stop, f"{path}{place.name}{at}.", depth + 1)


def _too_many(descriptor: Descriptor, counts: Counter[int], path: str) -> LimitExceeded:
    """Of the list that the scan ended in, as far as it came, if that passes its own limit."""
    number, actual = counts.most_common(1)[0]
    field = descriptor.fields_by_number.get(number)
    where = f"{path}{field.name}" if field else path.rstrip(".")
    name = LIMIT_OF.get(field.full_name, "") if field else ""
    maximum = _maximum(name, Limits()) if name else MESSAGE_FIELDS
    if name and actual > maximum:
        return LimitExceeded(name, maximum, actual, where)
    return LimitExceeded("message_fields", MESSAGE_FIELDS, MESSAGE_FIELDS + 1, where)
