"""Looks into the bytes of a message for what protobuf would not parse, or would drop without a word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor

# Naming the field is a courtesy: it must not take longer than parsing did.
SEARCHED_BYTES: Final = 256 * 1024
SEARCHED_FIELDS: Final = 10_000
DEEPEST: Final = 100
"""Messages within messages that protobuf parses."""
VARINT_BITS: Final = 70
"""Seven of each byte, of which a number has ten at most."""


def path_of_bad_text(descriptor: Descriptor, data: bytes) -> str | None:
    """The path of the first string that is not UTF-8, if that is what is wrong."""
    try:
        return next(_bad_texts(descriptor, data[:SEARCHED_BYTES], count(1), DEEPEST), None)
    except (IndexError, ValueError):
        return None


def _bad_texts(descriptor: Descriptor, data: bytes, searched: Iterator[int], deeper: int) -> Iterator[str]:
    seen: Counter[int] = Counter()
    for number, start, stop in fields_between(data, 0, len(data)):
        if next(searched) > SEARCHED_FIELDS:
            raise ValueError("to look through all of it takes too long")
        value = data[start:stop]
        field = descriptor.fields_by_number.get(number)
        if field is None:
            continue
        path = f"{field.name}[{seen[number]}]" if field.is_repeated else field.name
        seen[number] += 1
        if field.type == FieldDescriptor.TYPE_STRING and not _is_text(value):
            yield path
        elif field.message_type is not None and deeper:
            for inner in _bad_texts(field.message_type, value, searched, deeper - 1):
                yield f"{path}.{inner}"


def path_sent_twice(descriptor: Descriptor, data: bytes, path: str = "", deeper: int = DEEPEST) -> str | None:
    """The path of the first field that can be there once and is there again, a name of a map among them: of
    two values protobuf takes the last. Of data that protobuf parses.
    """
    seen: set[object] = set()
    for number, start, stop in fields_between(data, 0, len(data)):
        field = descriptor.fields_by_number.get(number)
        if field is None:
            continue
        inside = field.message_type
        is_map = inside is not None and inside.GetOptions().map_entry
        name: object = field.containing_oneof.name if field.containing_oneof else number
        if is_map:
            name = _key_of(data[start:stop])
        if is_map or not field.is_repeated:
            if name in seen:
                return f"{path}{field.name}"
            seen.add(name)
        if inside is not None and deeper:
            twice = path_sent_twice(inside, data[start:stop], f"{path}{field.name}.", deeper - 1)
            if twice:
                return twice
    return None


def _key_of(entry: bytes) -> bytes:
    """The key of an entry of a map, as its bytes; without one it is the empty one."""
    keys = [entry[start:stop] for number, start, stop in fields_between(entry, 0, len(entry)) if number == 1]
    return keys[-1] if keys else b""


def fields_between(data: bytes, position: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Number of each field, and where its bytes begin and end: of one that is a number, nowhere.

    Raises IndexError or ValueError where they are no fields.
    """
    while position < end:
        tag, position = _varint(data, position)
        start = stop = position
        match tag & 7:
            case 0:
                _, stop = _varint(data, position)
                start = stop
            case 1:
                start = stop = position + 8
            case 2:
                size, start = _varint(data, position)
                stop = start + size
            case 3 | 4:
                pass  # a group of fields that nobody here knows
            case 5:
                start = stop = position + 4
            case other:
                raise ValueError(f"wire type {other}")
        if stop > end:
            raise ValueError("the bytes end inside a field")
        yield tag >> 3, start, stop
        position = stop


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while data[position] & 0x80:
        value |= (data[position] & 0x7F) << shift
        shift += 7
        position += 1
        if shift >= VARINT_BITS:
            raise ValueError("a number that does not end")
    return value | data[position] << shift, position + 1


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True
