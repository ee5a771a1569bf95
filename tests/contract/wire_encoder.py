"""An encoder of mirrored messages that knows the wire format and the table, not our classes.

Values are plain data: a message is a dict of field name to value that holds only what is present,
an enum is its number.
"""

from collections.abc import Iterator
from typing import Any

from tests.contract.mirrored_schema import ENUMS, MESSAGES, Field

Plain = dict[str, Any]

VARINT, LENGTH_DELIMITED = 0, 2


def varint(value: int) -> bytes:
    rest = value & 0xFFFF_FFFF_FFFF_FFFF  # negative numbers go out as ten bytes of two's complement
    out = bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)
    return bytes(out)


def varint_field(number: int, value: int) -> bytes:
    return varint(number << 3 | VARINT) + varint(value)


def bytes_field(number: int, value: bytes) -> bytes:
    return varint(number << 3 | LENGTH_DELIMITED) + varint(len(value)) + value


def encode(name: str, value: Plain) -> bytes:
    """The bytes of a message of the table, its fields in number order."""
    return b"".join(_encode_fields(name, value))


def _encode_fields(name: str, value: Plain) -> Iterator[bytes]:
    for field in MESSAGES[name]:
        if field.name not in value:
            continue
        content = value[field.name]
        if field.label != "repeated":
            yield _encode_one(field, content)
        elif _is_packed(field):
            yield bytes_field(field.number, b"".join(varint(number) for number in content))
        else:
            yield from (_encode_one(field, item) for item in content)


def _encode_one(field: Field, value: Any) -> bytes:
    if field.type in MESSAGES:
        return bytes_field(field.number, encode(field.type, value))
    if field.type == "string":
        return bytes_field(field.number, value.encode())
    return varint_field(field.number, int(value))


def _is_packed(field: Field) -> bool:
    return field.type in ENUMS or field.type in {"bool", "int32", "int64"}
