"""Both clients behind one face, so that a test says once what holds for either."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, Self

from plangate import AsyncBuild, AsyncClient, Build, Client
from plangate._aio import AsyncDraft
from plangate._client import Draft

KINDS = ("sync", "async")


class Awaited:
    """A client, a build or a draft, each of whose methods is awaited; lists come whole."""

    def __init__(self, itself: Any) -> None:
        self.itself = itself

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.itself, name)
        if not callable(found):
            return found

        async def call(*args: Any, **options: Any) -> Any:
            return await self._answer(found, args, options)

        return call

    async def __aenter__(self) -> Self:
        """Enters a draft, or a build."""
        enter = self.itself.__enter__ if self._blocks else self.itself.__aenter__
        await self._answer(enter, (), {})
        return self

    async def __aexit__(self, *error: object) -> None:
        leave = self.itself.__exit__ if self._blocks else self.itself.__aexit__
        await self._answer(leave, error, {})

    @property
    def _blocks(self) -> bool:
        return isinstance(self.itself, Client | Build | Draft)

    async def _answer(self, method: Any, args: Any, options: Any) -> Any:
        if self._blocks:
            answer = await asyncio.to_thread(_whole, method, args, options)
        else:
            answer = method(*args, **options)
            if isinstance(answer, AsyncIterator):
                return [each async for each in answer]
            answer = answer if isinstance(answer, AsyncDraft) else await answer
        return Awaited(answer) if isinstance(answer, Build | AsyncBuild | Draft | AsyncDraft) else answer


def _whole(method: Any, args: Any, options: Any) -> Any:
    answer = method(*args, **options)
    return list(answer) if isinstance(answer, Iterator) else answer


def _anything(_: Any) -> bool:
    return True


async def first_of(
    gate: Awaited, stream: str, *args: Any, such: Callable[[Any], bool] = _anything, **options: Any
) -> Any:
    """The first that a stream of the client tells, or the first such."""
    telling = getattr(gate.itself, stream)(*args, **options)
    if isinstance(gate.itself, Client):
        first = await asyncio.to_thread(lambda: next(filter(such, telling)))
        telling.close()
    else:
        first = await anext(each async for each in telling if such(each))
        await telling.aclose()
    return first


async def first_few_of(gate: Awaited, count: int, stream: str, *args: Any, **options: Any) -> list[Any]:
    """So many of what a stream of the client tells."""
    telling: list[Any] = []

    def is_enough(each: Any) -> bool:
        telling.append(each)
        return len(telling) == count

    await first_of(gate, stream, *args, such=is_enough, **options)
    return telling


@asynccontextmanager
async def client_of(kind: str, *args: Any, **options: Any) -> AsyncIterator[Awaited]:
    """A client of the kind, made with the arguments."""
    if kind == "sync":
        with Client(*args, **options) as client:
            yield Awaited(client)
    else:
        async with AsyncClient(*args, **options) as gate:
            yield Awaited(gate)
