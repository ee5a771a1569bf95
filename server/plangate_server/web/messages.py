"""The gate's methods as the web knows them: which there are, and their messages in protobuf's JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from google.protobuf import json_format, message_factory
from google.protobuf.descriptor import Descriptor, MethodDescriptor
from google.protobuf.message import Message
from msgspec import Struct

from plangate_proto.agent.v1 import (
    access_token_service_pb2,
    agent_session_service_pb2,
    plan_service_pb2,
    tool_approval_service_pb2,
)
from plangate_proto.aiserver.v1 import plan_review_service_pb2
from plangate_server.domain.errors import MessageTooLarge
from plangate_server.web.bodies import BadBody, json_object

FILES: Final = (
    plan_service_pb2,
    agent_session_service_pb2,
    tool_approval_service_pb2,
    access_token_service_pb2,
    plan_review_service_pb2,
)

LONGEST_WORDS: Final = 300
"""Of what the library says is wrong, which repeats what was sent."""


WELL_KNOWN: Final = "google.protobuf"
"""Whose messages have a JSON of their own."""


HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]")
"""What may be half of a character, in JSON: a pair of them is a whole one."""


class Method(Struct, frozen=True):
    path: str
    request: type[Message]
    answer: type[Message]
    streams: bool

    def read(self, data: bytes | bytearray, most: int) -> bytes:
        """A request in JSON, as the gate takes it, which may have so many bytes then."""
        value = json_object(data or b"{}")
        _check_spellings(value, _kind(self.request))
        try:
            if HALF.search(data):
                _check_halves(value)
            message = json_format.ParseDict(value, self.request())
            if (size := message.ByteSize()) > most:
                raise MessageTooLarge(most, size)
            return message.SerializeToString()
        except (json_format.ParseError, UnicodeEncodeError) as error:
            words = str(error)[:LONGEST_WORDS]
            raise BadBody(f"not a {self.request.DESCRIPTOR.full_name}: {words}") from None
        except (ValueError, OverflowError, RecursionError):
            raise BadBody(f"not a {self.request.DESCRIPTOR.full_name}") from None

    def write(self, answer: bytes) -> dict[str, Any]:
        """An answer of the gate, in JSON."""
        return in_json(self.answer.FromString(answer))

    def write_text(self, answer: bytes) -> bytes:
        """The same as the bytes of a text."""
        return json.dumps(self.write(answer), ensure_ascii=False, separators=(",", ":")).encode()


def _check_halves(value: Any) -> None:
    """Raise UnicodeEncodeError if a text or a name has half a character: protobuf looks some up as names."""
    json.dumps(value, ensure_ascii=False).encode()


def _check_spellings(value: Any, kind: Descriptor) -> None:
    """Refuse an object that has a field under both of its names: a reader of one would drop the other."""
    if not isinstance(value, dict) or kind.file.package == WELL_KNOWN:
        return
    fields = {name: field for field in kind.fields for name in (field.name, field.json_name)}
    seen: dict[str, str] = {}
    for name, inner in value.items():
        field = fields.get(name)
        if field is None:
            continue  # which is refused with the message
        if (other := seen.setdefault(field.name, name)) != name:
            raise BadBody(f"{other!r} and {name!r} are the same field: send it once")
        if field.message_type is not None:
            _check_inner(inner, field.message_type)


def _check_inner(inner: Any, kind: Descriptor) -> None:
    if not kind.GetOptions().map_entry:
        for each in inner if isinstance(inner, list) else [inner]:
            _check_spellings(each, kind)
    elif isinstance(inner, dict) and (value := kind.fields_by_name["value"].message_type) is not None:
        for each in inner.values():
            _check_spellings(each, value)


def _kind(message: type[Message]) -> Descriptor:
    return cast(Descriptor, message.DESCRIPTOR)  # which has another type, too, in the implementation in C


def in_json(message: Message) -> dict[str, Any]:
    return json_format.MessageToDict(message)


def _methods() -> Iterator[Method]:
    for file in FILES:
        for service in file.DESCRIPTOR.services_by_name.values():
            yield from map(_method, filter(_takes_one, service.methods))


def _takes_one(method: MethodDescriptor) -> bool:
    """What a browser cannot send is not for it."""
    return not method.client_streaming


def _method(method: MethodDescriptor) -> Method:
    return Method(
        f"/{method.containing_service.full_name}/{method.name}",
        message_factory.GetMessageClass(method.input_type),
        message_factory.GetMessageClass(method.output_type),
        method.server_streaming,
    )


METHODS: Final[Mapping[str, Method]] = {method.path: method for method in _methods()}
