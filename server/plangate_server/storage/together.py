"""Looks at many plans at once: whoever asks while a look is under way shares the next one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import TypeAlias

from plangate_server.storage.snapshots import Key, Snapshot

Look: TypeAlias = Callable[[Collection[Key]], Awaitable[Mapping[Key, Snapshot]]]


class Together:
    def __init__(self, look: Look) -> None:
        self._look = look
        self._asked: dict[Key, asyncio.Future[Snapshot | None]] = {}
        self._looking: asyncio.Task[None] | None = None

    async def get(self, key: Key) -> Snapshot | None:
        """What a look that begins after now shows."""
        answer = self._asked.get(key)
        if answer is None:
            answer = self._asked[key] = asyncio.get_running_loop().create_future()
        if self._looking is None:
            self._looking = asyncio.create_task(self._run())
        return await asyncio.shield(answer)  # others may wait for the same

    async def _run(self) -> None:
        try:
            while self._asked:
                asked, self._asked = self._asked, {}
                await self._answer(asked)
        finally:
            self._looking = None

    async def _answer(self, asked: Mapping[Key, asyncio.Future[Snapshot | None]]) -> None:
        try:
            found = await self._look(asked.keys())
        except Exception as error:
            for answer in asked.values():
                answer.set_exception(error)
                answer.exception()  # whoever asked may be gone; that is no reason to complain
        else:
            for key, answer in asked.items():
                answer.set_result(found.get(key))
