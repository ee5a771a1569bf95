"""Small things that are done with messages everywhere."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any, TypeVar

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

Sent = TypeVar("Sent", bound=Message)


def copy_of(message: Sent) -> Sent:
    """A message that changes for itself."""
    copied = type(message)()
    copied.CopyFrom(message)
    return copied


def same(one: Message, other: Message) -> bool:
    return one.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True)


def new_id() -> str:
    return uuid.uuid4().hex


def now() -> datetime:
    return datetime.now(UTC)


def moment() -> Timestamp:
    """Now, as messages say it."""
    time = Timestamp()
    time.FromDatetime(now())
    return time


def word(enum: Any, number: int) -> str:
    """What a value is called, without what all values of the enum begin with."""
    prefix: str = enum.Name(0).removesuffix("UNSPECIFIED")
    name: str = enum.Name(number)
    return name.removeprefix(prefix)
