"""Looks at many plans at once: whoever asks while a look is under way shares the next one."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TypeAlias

from plangate_server.storage.snapshots import Key, Snapshot

Look: TypeAlias = Callable[[Collection[Key]], Awaitable[Mapping[Key, Snapshot]]]
Asked: TypeAlias = Mapping[Key, Sequence[asyncio.Future[Snapshot | None]]]


class Together:
    def __init__(self, look: Look) -> None:
        self._look = look
        self._asked: defaultdict[Key, list[asyncio.Future[Snapshot | None]]] = defaultdict(list)
        self._looking: asyncio.Task[None] | None = None

    async def get(self, key: Key) -> Snapshot | None:
        """What a look that begins after now shows."""
        answer: asyncio.Future[Snapshot | None] = asyncio.get_running_loop().create_future()
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

    async def _answer(self, asked: Asked) -> None:
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
    groups: Collection[Sequence[asyncio.Future[Snapshot | None]]],
) -> list[asyncio.Future[Snapshot | None]]:
    """Those whose callers have not given up."""
    return [answer for group in groups for answer in group if not answer.done()]
