"""Both clients behind one face, so that a test says once what holds for either."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

from plangate import AsyncBuild, AsyncClient, Build, Client

KINDS = ("sync", "async")


class Awaited:
    """A client, or a build, each of whose methods is awaited; lists come whole."""

    def __init__(self, itself: Any) -> None:
        self.itself = itself

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.itself, name)
        if not callable(found):
            return found

        async def call(*args: Any, **options: Any) -> Any:
            return await self._answer(found, args, options)

        return call

    async def _answer(self, method: Any, args: Any, options: Any) -> Any:
        if isinstance(self.itself, Client | Build):
            answer = await asyncio.to_thread(_whole, method, args, options)
        else:
            answer = method(*args, **options)
            if isinstance(answer, AsyncIterator):
                return [each async for each in answer]
            answer = await answer
        return Awaited(answer) if isinstance(answer, Build | AsyncBuild) else answer


def _whole(method: Any, args: Any, options: Any) -> Any:
    answer = method(*args, **options)
    return list(answer) if isinstance(answer, Iterator) else answer


async def first_of(gate: Awaited, stream: str, *args: Any, **options: Any) -> Any:
    """The first that a stream of the client tells."""
    telling = getattr(gate.itself, stream)(*args, **options)
    if isinstance(gate.itself, Client):
        first = await asyncio.to_thread(next, telling)
        telling.close()
    else:
        first = await anext(telling)
        await telling.aclose()
    return first


@asynccontextmanager
async def client_of(kind: str, *args: Any, **options: Any) -> AsyncIterator[Awaited]:
    """A client of the kind, made with the arguments."""
    if kind == "sync":
        with Client(*args, **options) as client:
            yield Awaited(client)
    else:
        async with AsyncClient(*args, **options) as gate:
            yield Awaited(gate)
