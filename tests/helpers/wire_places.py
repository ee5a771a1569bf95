"""Every place in a request where a value stands, and the bytes of a request with another one there.

The bytes are put together field by field, so that a place can have what no client's library would write.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from tests.contract.wire_encoder import bytes_field, varint, varint_field

Place: TypeAlias = tuple[FieldDescriptor, ...]
"""The fields that lead to it; one that is a map is followed by the key or the value of its entries."""

TEXTS: Final = {FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES}
DOUBLE: Final = FieldDescriptor.TYPE_DOUBLE
VARINTS: Final = {
    FieldDescriptor.TYPE_BOOL,
    FieldDescriptor.TYPE_ENUM,
    FieldDescriptor.TYPE_INT32,
    FieldDescriptor.TYPE_INT64,
}


def places(kind: Descriptor, *before: FieldDescriptor) -> Iterator[Place]:
    """Every one; into a message that is within one of its own kind nobody goes any further."""
    for field in kind.fields:
        place = (*before, field)
        yield place
        inside = field.message_type
        if inside is not None and all(inside is not each.message_type for each in before):
            yield from places(inside, *place)


def named(place: Place) -> str:
    return ".".join(field.name for field in place)


def kind_of(field: FieldDescriptor) -> Descriptor:
    """What the messages of a field are."""
    assert field.message_type is not None, field.full_name
    return field.message_type


def lists_on_the_way(place: Place) -> list[int]:
    """Where lists and maps of messages are that the place is in."""
    return [depth for depth, field in enumerate(place[:-1]) if field.is_repeated]


def single(field: FieldDescriptor, value: Any) -> bytes:
    """A field with a value: bytes for what has a length, or else a number."""
    if field.type in TEXTS or field.message_type is not None:
        return bytes_field(field.number, value)
    if field.type == DOUBLE:
        return varint(field.number << 3 | 1) + struct.pack("<d", value)
    assert field.type in VARINTS, f"say how {field.full_name} is written: no request had its type before"
    return varint_field(field.number, value)


def is_set(message: Message, place: Place) -> bool:
    """Whether a message has anything there."""
    field, *rest = place
    found: Any = getattr(message, field.name)
    if not field.is_repeated:
        there = message.HasField(field.name) if field.has_presence else bool(found)
        return there and (not rest or is_set(found, tuple(rest)))
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        found = [entry for entry in found.values() if isinstance(entry, Message)] if rest[1:] else found
        rest = rest[1:]
    return bool(found) and (not rest or is_set(next(iter(found)), tuple(rest)))


def written(
    message: Message, place: Place, payload: bytes | None, copies: Mapping[int, int] | None = None
) -> bytes:
    """The message with the payload for a place, or with what is there if it is None.

    ``copies`` says of lists on the way, and of one at the place, how many messages they get: the first one is
    taken out, changed, and put behind the others as often, each time under another id.
    """
    return _Writing(payload, copies or {}).write(message, place, 0)


def deep(field: FieldDescriptor, levels: int) -> bytes:
    """The content of a field whose messages can be within each other, that many levels deep."""
    way = _circle(kind_of(field), kind_of(field))
    assert way, field.full_name
    heads, size = [], 0
    for step in way[::-1] * levels:
        head = varint(step.number << 3 | 2) + varint(size)
        heads.append(head)
        size += len(head)
    return b"".join(reversed(heads))


def is_circular(field: FieldDescriptor) -> bool:
    return field.message_type is not None and bool(_circle(kind_of(field), kind_of(field)))


def _circle(kind: Descriptor, wanted: Descriptor, seen: tuple[Descriptor, ...] = ()) -> Place:
    """The fields that lead from a message to one of another kind."""
    for field in kind.fields:
        inside = field.message_type
        if inside is wanted:
            return (field,)
        if inside is not None and inside not in seen and (rest := _circle(inside, wanted, (*seen, inside))):
            return (field, *rest)
    return ()


@dataclass(frozen=True)
class _Writing:
    payload: bytes | None
    copies: Mapping[int, int]

    def write(self, message: Message, place: Place, depth: int) -> bytes:
        copy = type(message)()
        copy.CopyFrom(message)
        field, rest = place[0], place[1:]
        if not rest and self.payload is not None:
            copy.ClearField(field.name)
            return copy.SerializeToString() + self.payload
        if not field.is_repeated:
            content = self.write(getattr(copy, field.name), rest, depth + 1)
            copy.ClearField(field.name)
            return copy.SerializeToString() + bytes_field(field.number, content)
        if kind_of(field).GetOptions().map_entry:
            content = self._entry(getattr(copy, field.name), field, rest, depth)
        else:
            content = self._item(getattr(copy, field.name), field, rest, depth)
        key = _key(field)
        if key is not None and key in rest:
            key = None
        tag = varint(field.number << 3 | 2)
        every = []
        for number in range(self.copies.get(depth, 1)):
            one = content + single(key, b"n%d" % number) if number and key else content
            every.append(tag + varint(len(one)) + one)
        return copy.SerializeToString() + b"".join(every)

    def _item(self, items: Any, field: FieldDescriptor, rest: Place, depth: int) -> bytes:
        """The content of the first message of a list, which is taken out of it."""
        first = items.pop(0) if items else GetMessageClass(kind_of(field))()
        return self.write(first, rest, depth + 1) if rest else bytes(first.SerializeToString())

    def _entry(self, entries: Any, field: FieldDescriptor, rest: Place, depth: int) -> bytes:
        """The same of a map."""
        key, value = (kind_of(field).fields_by_name[name] for name in ("key", "value"))
        name = next(iter(entries), "a")
        named = single(key, name.encode())
        if value.message_type is None:
            valued = single(value, entries.get(name, "").encode())
        elif len(rest) > 1:
            valued = single(value, self.write(entries[name], rest[1:], depth + 2))
        else:
            valued = single(value, entries[name].SerializeToString())
        entries.pop(name, None)
        if len(rest) == 1 and self.payload is not None:
            return self.payload + valued if rest[0] is key else named + self.payload
        return named + valued


def _key(field: FieldDescriptor) -> FieldDescriptor | None:
    """What names a message of a list, or an entry of a map."""
    for name in ("key", "id"):
        if (key := kind_of(field).fields_by_name.get(name)) is not None:
            return key
    return None
