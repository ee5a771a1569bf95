"""From the bytes of a request to a message that the use cases can trust to be text.

The size, the encoding and NUL characters are looked at here, once for every method there is or will be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from google.protobuf import descriptor_pool
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message

from plangate_server.domain.errors import InvalidField, MessageTooLarge, Reason, Refusal
from plangate_server.domain.limits import MESSAGE_FIELDS, Limits
from plangate_server.rpc.field_limits import check_bytes_of, check_entries
from plangate_server.rpc.wire import path_of_bad_text, path_sent_twice

SAID_ONCE: Final = frozenset(
    {
        "/agent.v1.SessionService/AuthorizeTool",
        "/agent.v1.SessionService/SetMode",
        "/agent.v1.ApprovalService/RequestApproval",
        "/agent.v1.ApprovalService/ResolveApproval",
        "/aiserver.v1.PlanReviewService/SubmitReview",
    }
)
"""Methods of which a person, a rule and the agent must read the same: nothing in a request comes twice."""
LITTLE: Final = 4096
"""Bytes of a request that a stream may keep, whatever they are."""


class MalformedRequest(Refusal):
    reason = Reason.MALFORMED_REQUEST

    def __init__(self, expected: str, field: str | None) -> None:
        problem = "is not UTF-8" if field else f"the bytes of the request are not of the message {expected}"
        super().__init__(f"{problem}: mend the client's encoding", field=field)


class RequestMissing(Refusal):
    reason = Reason.MALFORMED_REQUEST

    def __init__(self, seconds: int) -> None:
        super().__init__(f"the request has not come within {seconds} seconds: send it along with the call")


class NulCharacter(Refusal):
    reason = Reason.NUL_CHARACTER

    def __init__(self, field: str) -> None:
        super().__init__("holds a NUL character: leave it out", field=field)


def decoder(
    method: str, deserialize: Callable[[bytes], Message], limits: Limits
) -> Callable[[bytes], Message]:
    """What turns the bytes of a method's request into its message, or refuses them."""
    service_and_name = method.removeprefix("/").replace("/", ".")
    found = descriptor_pool.Default().FindMethodByName(service_and_name)
    descriptor, is_kept = found.input_type, found.server_streaming

    def decode(data: bytes) -> Message:
        if len(data) > limits.message_bytes:
            raise MessageTooLarge(limits.message_bytes, len(data))
        if len(data) > MESSAGE_FIELDS:  # or there cannot be as many
            check_bytes_of(descriptor, data)
        try:
            message = deserialize(data)
        except DecodeError:
            bad_text = path_of_bad_text(descriptor, data)
            raise MalformedRequest(descriptor.full_name, bad_text) from None
        check_entries(message, limits)
        if method in SAID_ONCE and (twice := path_sent_twice(descriptor, data)):
            raise InvalidField(twice, "is there twice: send it once")
        # Most requests have no zero byte at all; only the others are walked through.
        if 0 in data and (path := next(_nul_texts(message), None)):
            raise NulCharacter(path)
        return _with_known_fields(message) if is_kept and len(data) > LITTLE else message

    return decode


def _with_known_fields(message: Message) -> Message:
    """Another one without what nobody here knows: a stream keeps its request as long as it is open."""
    message.DiscardUnknownFields()  # which alone gives nothing back
    known = type(message)()
    known.CopyFrom(message)
    return known


def _nul_texts(message: Message) -> Iterator[str]:
    for field, value in message.ListFields():
        for path, part in _parts(field, value):
            if isinstance(part, Message):
                yield from (f"{path}.{inner}" for inner in _nul_texts(part))
            elif isinstance(part, str) and "\0" in part:
                yield path


def _parts(field: FieldDescriptor, value: Any) -> Iterator[tuple[str, object]]:
    """The single values of a field, each with its path; of a map, the keys as well."""
    if field.message_type and field.message_type.GetOptions().map_entry:
        for key in value:
            yield f"{field.name} key", key
            yield f"{field.name}[{key!r}]", value[key]
    elif field.is_repeated:
        if field.type == FieldDescriptor.TYPE_STRING and "\0" not in "".join(value):
            return  # of many short ones, to look at each takes long
        for place, item in enumerate(value):
            yield f"{field.name}[{place}]", item
    else:
        yield field.name, value
