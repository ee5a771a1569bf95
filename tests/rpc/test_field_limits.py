"""Lists and maps of requests: every one has a limit, and is counted before anything is made of it."""

import time
from collections.abc import Iterator

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from plangate_proto.agent.v1.agent_session_service_pb2 import AuthorizeToolRequest
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest, ListPlansRequest
from plangate_server.domain.errors import Refusal
from plangate_server.domain.limit_table import LIMITS
from plangate_server.domain.limits import MIB, Limits
from plangate_server.rpc.decode import decoder
from plangate_server.rpc.field_limits import FREE_FORM, LIMIT_OF
from tests.helpers.descriptors import services

MOST_SECONDS = 0.5
"""Of the event loop's; many times what it takes."""
SIZE = 4 * MIB - 64


def lists_of(descriptor: Descriptor) -> Iterator[FieldDescriptor]:
    for field in descriptor.fields:
        kind = field.message_type
        if field.is_repeated:
            yield field
        if kind is not None and not kind.full_name.startswith(FREE_FORM):
            yield from lists_of(kind)


def test_every_list_of_every_request_has_a_limit() -> None:
    """Walked over all requests that there are: the table names each of their lists and maps, and no other."""
    found = {
        field.full_name
        for service in services().values()
        for method in service.methods
        for field in lists_of(method.input_type)
    }
    assert found == LIMIT_OF.keys()


def test_every_limit_of_a_list_is_in_the_table() -> None:
    """What a refusal names is what the documentation has."""
    assert set(LIMIT_OF.values()) <= {limit.name for limit in LIMITS}


def inside(number: int, data: bytes) -> bytes:
    """A field of a message, as bytes."""
    size, length = len(data), b""
    while size >= 0x80:
        length += bytes([size & 0x7F | 0x80])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + data


def full(piece: bytes, size: int = SIZE) -> bytes:
    return piece * (size // len(piece))


CREATE = ("agent.v1.PlanService/CreatePlan", CreatePlanRequest)
LIST = ("agent.v1.PlanService/ListPlans", ListPlansRequest)
AUTHORIZE = ("agent.v1.SessionService/AuthorizeTool", AuthorizeToolRequest)


@pytest.mark.parametrize(
    ("method", "data", "refused"),
    [
        (CREATE, inside(1, full(b"\x12\x00")), ("todos", "args.todos")),
        (CREATE, inside(1, full(b"\x32\x00")), ("phases", "args.phases")),
        (CREATE, inside(1, inside(6, full(b"\x12\x00"))), ("todos", "args.phases[0].todos")),
        (CREATE, inside(1, inside(2, full(b"\x32\x00"))), ("todos", "args.todos[0].dependencies")),
        (CREATE, full(b"\x82\x01\x00"), ("todos", "todo_hints")),
        (CREATE, full(b"\x0a\x00"), ("message_fields", "args")),
        (CREATE, full(b"\xa0\x06\x01"), ("message_fields", "")),
        (CREATE, bytes(SIZE), ("message_fields", "")),
        (CREATE, b"\xff" * SIZE, None),
        (CREATE, b"\x80" * SIZE, None),
        (CREATE, full(b"\x52\x00", 40_000) + b"\x52\x01\xff", ("message_fields", "")),
        (LIST, inside(3, full(b"\x01")), ("filter_entries", "states")),
        (LIST, full(b"\x18\x01"), ("filter_entries", "states")),
        (AUTHORIZE, inside(5, inside(1, full(b"\x0a\x00"))), ("message_fields", None)),
    ],
    ids=lambda value: None if isinstance(value, bytes) else str(value)[:40],
)
def test_hostile_bytes_are_refused_before_the_work(
    method: tuple[str, type[Message]], data: bytes, refused: tuple[str, str | None] | None
) -> None:
    """Whatever four megabytes are sent to a method, they are refused at once, by name and place."""
    name, message = method
    decode = decoder(f"/{name}", message.FromString, Limits())
    begun = time.thread_time()
    with pytest.raises(Refusal) as caught:
        decode(data)
    assert time.thread_time() - begun < MOST_SECONDS
    if refused is None:
        assert caught.value.reason == "MALFORMED_REQUEST"
        return
    limit, field = refused
    assert caught.value.metadata["limit"] == limit
    if field:
        assert caught.value.field == field
