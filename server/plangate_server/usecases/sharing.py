"""What many streams need of the same event is looked up once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeAlias, TypeVar

Made = TypeVar("Made")

Key: TypeAlias = tuple[str, int]
"""A workspace, and the number of an event in it."""

MOST: Final = 256


class Shared(Generic[Made]):
    """What was made of the last events, or is being made: whoever comes second waits for the first."""

    def __init__(self) -> None:
        self._made: OrderedDict[Key, asyncio.Future[Made]] = OrderedDict()

    async def get(self, key: Key, make: Callable[[], Awaitable[Made]]) -> Made:
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = asyncio.ensure_future(make())
            found.add_done_callback(lambda done: self._drop_failed(key, done))
            if len(self._made) > MOST:
                self._made.popitem(last=False)
        return await asyncio.shield(found)  # one that gives up must not take it from the others

    def _drop_failed(self, key: Key, done: asyncio.Future[Made]) -> None:
        if done.cancelled() or done.exception() is not None:
            self._made.pop(key, None)
