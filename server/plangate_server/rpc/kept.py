"""What was made of things that never change, kept while it is likely to be asked for again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

from google.protobuf.message import Message

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
Thing = TypeVar("Thing")
Made = TypeVar("Made", bound=Message)

MAX_BYTES: Final = 32 * 1024 * 1024


class Bounded(Generic[Key, Value]):
    """Values up to a number of bytes; the oldest go first."""

    def __init__(self) -> None:
        self._bytes = 0
        self._kept: OrderedDict[Key, tuple[Value, int]] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        found = self._kept.get(key)
        return None if found is None else found[0]

    def put(self, key: Key, value: Value, size: int) -> None:
        _, before = self._kept.pop(key, (None, 0))
        self._bytes -= before
        self._kept[key] = (value, size)
        self._bytes += size
        while self._bytes > MAX_BYTES:
            self._bytes -= self._kept.popitem(last=False)[1][1]


class Kept(Generic[Thing, Made]):
    """By the identity of the thing: to compare two of them would cost more than to make it again."""

    def __init__(self, make: Callable[[Thing], Made], size_of: Callable[[Thing], int]) -> None:
        self._make = make
        self._size_of = size_of
        self._kept: Bounded[int, tuple[Thing, Made]] = Bounded()

    def of(self, thing: Thing) -> Made:
        found = self._kept.get(id(thing))
        if found is not None:
            return found[1]
        made = self._make(thing)
        # The thing stays as well, so that no other can have its identity; it may be much larger.
        self._kept.put(id(thing), (thing, made), made.ByteSize() + self._size_of(thing))
        return made
