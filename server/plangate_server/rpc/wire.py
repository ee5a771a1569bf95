"""Looks into the bytes of a message that protobuf would not parse, to name the field at fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor

# Naming the field is a courtesy: it must not take longer than parsing did.
SEARCHED_BYTES: Final = 256 * 1024


def path_of_bad_text(descriptor: Descriptor, data: bytes) -> str | None:
    """The path of the first string that is not UTF-8, if that is what is wrong."""
    try:
        return next(_bad_texts(descriptor, data[:SEARCHED_BYTES]), None)
    except (IndexError, ValueError):
        return None


def _bad_texts(descriptor: Descriptor, data: bytes) -> Iterator[str]:
    seen: Counter[int] = Counter()
    for number, value in _fields(data):
        field = descriptor.fields_by_number.get(number)
        if field is None:
            continue
        path = f"{field.name}[{seen[number]}]" if field.is_repeated else field.name
        seen[number] += 1
        if field.type == FieldDescriptor.TYPE_STRING and not _is_text(value):
            yield path
        elif field.message_type is not None:
            for inner in _bad_texts(field.message_type, value):
                yield f"{path}.{inner}"


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and bytes of each length-delimited field; the others cannot hold text."""
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        match tag & 7:
            case 0:
                _, position = _varint(data, position)
            case 1:
                position += 8
            case 2:
                size, position = _varint(data, position)
                if position + size > len(data):
                    raise ValueError("the bytes end inside a field")
                yield tag >> 3, data[position : position + size]
                position += size
            case 5:
                position += 4
            case other:
                raise ValueError(f"wire type {other}")


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while data[position] & 0x80:
        value |= (data[position] & 0x7F) << shift
        shift += 7
        position += 1
    return value | data[position] << shift, position + 1


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True
