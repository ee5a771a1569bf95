"""Looks at many things at once: whoever asks while a look is under way shares the next one."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Generic, TypeAlias, TypeVar

Key: TypeAlias = tuple[str, str]
"""A workspace, and the id of something in it."""
Found = TypeVar("Found")


class Together(Generic[Found]):
    def __init__(self, look: Callable[[Collection[Key]], Awaitable[Mapping[Key, Found]]]) -> None:
        self._look = look
        self._asked: defaultdict[Key, list[asyncio.Future[Found | None]]] = defaultdict(list)
        self._looking: asyncio.Task[None] | None = None

    async def get(self, key: Key) -> Found | None:
        """What a look that begins after now shows."""
        answer: asyncio.Future[Found | None] = asyncio.get_running_loop().create_future()
        self._asked[key].append(answer)
        if self._looking is None:
            self._looking = asyncio.create_task(self._run())
        return await answer

    async def _run(self) -> None:
        try:
            while self._asked:
                asked, self._asked = self._asked, defaultdict(list)
                await self._answer(asked)
        finally:
            self._looking = None

    async def _answer(self, asked: Mapping[Key, Sequence[asyncio.Future[Found | None]]]) -> None:
        try:
            found = await self._look(asked.keys())
        except Exception as error:
            for answer in _waiting(asked.values()):
                answer.set_exception(error)
        else:
            for key, answers in asked.items():
                for answer in _waiting([answers]):
                    answer.set_result(found.get(key))


def _waiting(
    groups: Collection[Sequence[asyncio.Future[Found | None]]],
) -> list[asyncio.Future[Found | None]]:
    """Those whose callers have not given up."""
    return [answer for group in groups for answer in group if not answer.done()]
