"""What was made of things that never change, kept while it is likely to be asked for again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Generic, TypeVar

Thing = TypeVar("Thing")
Made = TypeVar("Made")

MOST: Final = 256


class Kept(Generic[Thing, Made]):
    """By the identity of the thing: to compare two of them would cost more than to make it again."""

    def __init__(self, make: Callable[[Thing], Made]) -> None:
        self._make = make
        self._kept: OrderedDict[int, tuple[Thing, Made]] = OrderedDict()

    def of(self, thing: Thing) -> Made:
        found = self._kept.get(id(thing))
        if found is not None:
            return found[1]
        made = self._make(thing)
        # The thing stays as well, so that no other can have its identity.
        self._kept[id(thing)] = (thing, made)
        if len(self._kept) > MOST:
            self._kept.popitem(last=False)
        return made
