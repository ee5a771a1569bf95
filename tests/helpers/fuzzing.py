"""Requests that nobody sends who means well, made of good ones: always the same of the same seed."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final, cast

from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from plangate_server.domain.limits import DEFAULTS
from tests.contract.wire_encoder import bytes_field, varint
from tests.helpers.hostile_values import BAD_TEXTS, COUNTS, DEPTHS, DOUBLES, NUMBERS, SIZES, UNITS, text
from tests.helpers.wire_places import (
    DOUBLE,
    TEXTS,
    deep,
    is_circular,
    lists_on_the_way,
    places,
    single,
    written,
)

GARBAGE: Final = b"\xff" * 256 * 1024
USUAL_SIZE: Final = 5000
"""Most texts are no longer, or the fuzzer would try little in its time; one in LONG_ONES is of any size."""
LONG_ONES: Final = 20
LITERALS: Final = (
    "",
    "\ud800",
    "\udfff\ud800",
    "2026-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "0000-01-01T00:00:00Z",
    "1s",
    "1e9s",
    "-315576000001s",
)
DEEPEST: Final = 3
ROOM_OF_MANY: Final = 200_000
"""Bytes that the values of a long list have, about."""
IDS: Final = (
    "plangate://plans/" + "0" * 32,
    "plangate://plans/../" + "0" * 32,
    "plangate_" + "0" * 32 + "_" + "1" * 32,
    "0" * 32,
    "0" * 64,
    "-1",
    "1",
    "v1.0.0.0",
    "AAAA",
)


def bad_bytes(random: Random, request: Message) -> bytes:
    """The request with something in it that is out of place, or no request at all."""
    whole = request.SerializeToString()
    match random.randrange(12):
        case 0:
            return random.randbytes(random.choice((1, 2, 16, 200, 4000)))
        case 1:
            return whole[: random.randrange(len(whole) + 1)]
        case 2:
            return _with_wrong_bytes(random, whole)
        case 3:
            return whole + random.randbytes(random.randrange(1, 20))
        case 4:
            return GARBAGE[: random.choice((1, 10, len(GARBAGE)))]
        case _:
            # What is cut off is no message any more; longer ones do not get past gRPC.
            return _with_other_values(random, request)[: DEFAULTS.message_bytes + 1]


def bad_json(random: Random, request: Message) -> bytes:
    """The same in JSON."""
    value = json_format.MessageToDict(request)
    match random.randrange(10):
        case 0:
            return random.randbytes(random.choice((1, 2, 16, 200)))
        case 1:
            whole = json.dumps(value).encode()
            return whole[: random.randrange(len(whole) + 1)]
        case 2 | 3 | 4:
            other = type(request)()
            try:
                other.ParseFromString(_with_other_values(random, request))
                return json_format.MessageToJson(other).encode(errors="surrogatepass")
            except (
                DecodeError,
                ValueError,
                json_format.SerializeToJsonError,
            ):  # which cannot be written as JSON
                return json.dumps(value).encode()
        case _:
            return json.dumps(_with_other_member(random, value, request.DESCRIPTOR)).encode()


def _with_wrong_bytes(random: Random, whole: bytes) -> bytes:
    changed = bytearray(whole or b"\0")
    for _ in range(random.randrange(1, 5)):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def _with_other_values(random: Random, request: Message) -> bytes:
    """In one place, or in a few."""
    every = list(places(cast(Descriptor, request.DESCRIPTOR)))
    if not every:
        return random.randbytes(8)
    kind, data = type(request), b""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        place = random.choice(every)
        copies = {
            depth: random.choice((1, 2, random.choice(COUNTS[:6]))) for depth in lists_on_the_way(place)[-1:]
        }
        data = written(request, place, _payload(random, place[-1]), copies)
        try:
            request = kind.FromString(data)
        except DecodeError:
            return data  # nothing can be said about one that is none
    return data


def _payload(random: Random, field: FieldDescriptor) -> bytes:
    """One or several values for a field, sometimes of another type than its own."""
    if random.randrange(8) == 0:
        wire_type = random.randrange(8)
        return varint(field.number << 3 | wire_type) + random.randbytes(random.randrange(12))
    count = random.choice((1, 1, 1, 2))
    if field.is_repeated:
        count = random.choice((0, 1, 2, 3, random.choice(COUNTS)))
    last = _value(random, field)
    fitting = min(max(0, count - 3), ROOM_OF_MANY // len(last))
    return b"".join(_value(random, field) for _ in range(min(count, 3))) + last * fitting


def _value(random: Random, field: FieldDescriptor) -> bytes:
    if field.type in TEXTS:
        return single(field, _text(random))
    if field.message_type is not None:
        content = deep(field, random.choice(DEPTHS)) if is_circular(field) else b""
        return bytes_field(field.number, random.choice((content, content, b"", random.randbytes(9))))
    if field.type == DOUBLE:
        return single(field, random.choice(DOUBLES))
    return single(field, random.choice((*NUMBERS, random.randrange(-(2**63), 2**63))))


def _text(random: Random) -> bytes:
    match random.randrange(8):
        case 0:
            return random.choice([*BAD_TEXTS.values()])
        case 1:
            return random.choice(IDS).encode()
        case 2:
            return "".join(
                chr(random.choice((random.randrange(0xD800), random.randrange(0xE000, 0x110000))))
                for _ in range(random.randrange(40))
            ).encode()
        case 3:
            return random.choice((b"", b" ", b"\n\t "))
        case _:
            sizes = (
                [1, 3, *SIZES]
                if random.randrange(LONG_ONES) == 0
                else [1, 3, *(size for size in SIZES if size < USUAL_SIZE)]
            )
            return text(random.choice([*UNITS]), random.choice(sizes) + random.choice((0, 1, 7)))


def _with_other_member(random: Random, value: dict[str, Any], kind: Any) -> dict[str, Any]:
    """Of an object that stands for a message, one member with anything that JSON has."""
    field = random.choice(kind.fields) if kind.fields else None
    if field is None or random.randrange(10) == 0:
        return {**value, _text(random).decode(errors="replace"): _anything(random)}
    inside = value.get(field.json_name)
    if field.message_type is not None and isinstance(inside, dict) and random.randrange(3):
        return {**value, field.json_name: _with_other_member(random, inside, field.message_type)}
    name = random.choice((field.json_name, field.json_name, field.name))
    return {**value, name: _anything(random)}


def _anything(random: Random, depth: int = 0) -> Any:
    """Whatever JSON has, and Python writes as JSON."""
    return random.choice(_KINDS if depth < DEEPEST else _KINDS[:2])(random, depth)


def _plain(random: Random, _: int) -> Any:
    numbers = (*NUMBERS, 10**30, 1e300, -1e-300, 0.5)
    return random.choice((None, True, False, random.choice(numbers), random.choice(numbers)))


def _words(random: Random, _: int) -> str:
    match random.randrange(4):
        case 0:
            return str(random.choice((*NUMBERS, "1e3", "NaN", "Infinity", "-0", "0x10", "1_000", "\u0663")))
        case 1:
            return random.choice(LITERALS)
        case _:
            return _text(random).decode(errors="replace")


def _list(random: Random, depth: int) -> Any:
    return [_anything(random, depth + 1)] * random.choice((0, 1, 3, 200))


def _object(random: Random, depth: int) -> Any:
    names = [_words(random, depth) for _ in range(random.randrange(4))]
    return {name: _anything(random, depth + 1) for name in names}


def _nested(random: Random, _: int) -> Any:
    nested: Any = {}
    for _ in range(random.choice((10, 90, 400))):
        nested = random.choice(([nested], {"a": nested}))
    return nested


_KINDS: Final = (_plain, _words, _words, _list, _object, _nested)
