"""What somebody does to a gate who means no good, or whose program has a bug: ``python -m bench.floods``."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final, TypeAlias

from bench.call import Answer
from bench.measurements import methods
from bench.token import OTHER_TOKEN, WRONG_TOKEN
from bench.wire import Connection, connected
from plangate_proto.agent.v1.plan_service_pb2 import GetPlanRequest
from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest

CONNECTIONS: Final = 4
PACE: Final = 4500
"""Calls in a second of who keeps to the limit that a server has by itself."""
LAST_SECONDS: Final = 60
AT_ONCE: Final = 200
"""Streams that are open at a time."""
_WATCH: Final = WatchReviewsRequest().SerializeToString()
_NOWHERE: Final = GetPlanRequest(plan_uri=f"plangate://plans/{'0' * 32}").SerializeToString()


class _Ended(Answer):
    """Only that something came of it matters: a message, or the end."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def message(self, message: bytes) -> None:
        self.end(None)

    def end(self, problem: Exception | None) -> None:
        if not self.done.done():
            self.done.set_result(None)


@asynccontextmanager
async def _connections(address: str, token: str) -> AsyncIterator[list[Connection]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(connected(address, token)) for _ in range(CONNECTIONS)]


async def _call(connection: Connection, path: str, message: bytes) -> _Ended:
    answer = _Ended(path)
    if not connection.is_lost:
        connection.begin(answer, path, message)
        await answer.done
    return answer


async def cancelled_streams(address: str, count: int, token: str = OTHER_TOKEN) -> None:
    """So many streams are opened and left, every tenth before it has said anything."""

    async def opener(connection: Connection, turns: range) -> None:
        for turn in turns:
            answer = _Ended(methods.WATCH_REVIEWS)
            connection.begin(answer, methods.WATCH_REVIEWS, _WATCH)
            if turn % 10:
                await answer.done
            connection.cancel(answer)

    async with _connections(address, token) as connections:
        each = [range(first, count, AT_ONCE) for first in range(AT_ONCE)]
        await asyncio.gather(
            *(opener(connections[place % CONNECTIONS], turns) for place, turns in enumerate(each))
        )


async def burst(address: str, count: int, token: str = OTHER_TOKEN) -> None:
    """So many calls all at once."""
    async with _connections(address, token) as connections:
        await asyncio.gather(
            *(_call(connections[turn % CONNECTIONS], methods.GET_PLAN, _NOWHERE) for turn in range(count))
        )


async def paced_opens(address: str, count: int, token: str = OTHER_TOKEN) -> None:
    """So many streams are opened, as fast as a caller may by its rate, and left when they have said something
    or the last was opened.
    """
    await _paced(address, count, token, methods.WATCH_REVIEWS, _WATCH)


async def paced_strangers(address: str, count: int, token: str = "") -> None:
    """So many calls of somebody who shows nothing, as fast as a caller with a token may."""
    await _paced(address, count, token, methods.GET_PLAN, _NOWHERE)


async def _paced(address: str, count: int, token: str, path: str, message: bytes) -> None:
    """Nobody waits for an answer before the next call, and nobody for the last ones for long."""
    begun = asyncio.get_running_loop().time()
    async with AsyncExitStack() as stack, _connections(address, token) as connections:
        calls = []
        for turn in range(count):
            await _until(begun + turn / PACE)
            place = turn % CONNECTIONS
            if connections[place].is_lost:
                connections[place] = await stack.enter_async_context(connected(address, token))
            calls.append(asyncio.create_task(_call_and_leave(connections[place], path, message)))
        await asyncio.wait(calls, timeout=LAST_SECONDS)


async def _until(moment: float) -> None:
    wait = moment - asyncio.get_running_loop().time()
    if wait > 0:
        await asyncio.sleep(wait)


async def _call_and_leave(connection: Connection, path: str, message: bytes) -> None:
    answer = await _call(connection, path, message)
    if not connection.is_lost:
        connection.cancel(answer)


async def nobodys_burst(address: str, count: int, token: str = "") -> None:
    """So many calls all at once of somebody who shows nothing."""
    await burst(address, count, token)


async def wrong_tokens(address: str, count: int, token: str = WRONG_TOKEN) -> None:
    """So many calls with a token that nobody has, some of them at a time."""

    async def guesser(connection: Connection, turns: range) -> None:
        for _ in turns:
            await _call(connection, methods.GET_PLAN, _NOWHERE)

    async with _connections(address, token) as connections:
        each = [range(first, count, AT_ONCE) for first in range(AT_ONCE)]
        await asyncio.gather(
            *(guesser(connections[place % CONNECTIONS], turns) for place, turns in enumerate(each))
        )


async def deaf_watchers(address: str, seconds: int, token: str = OTHER_TOKEN) -> None:
    """Some who watch and read nothing of what they are told, for so long."""
    async with _connections(address, token) as connections:
        for connection in connections:
            await _call(connection, methods.WATCH_REVIEWS, _WATCH)
            connection.stop_reading()
        await asyncio.sleep(seconds)


Flood: TypeAlias = Callable[[str, int], Awaitable[None]]
FLOODS: Final[dict[str, Flood]] = {
    "streams": cancelled_streams,
    "burst": burst,
    "tokens": wrong_tokens,
    "deaf": deaf_watchers,
    "nobody": nobodys_burst,
    "opens": paced_opens,
    "strangers": paced_strangers,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.floods", description="For servers of the bench.")
    parser.add_argument("name", choices=FLOODS)
    parser.add_argument("address")
    parser.add_argument("count", type=int)
    given = parser.parse_args()
    print("begins", flush=True)
    asyncio.run(_run(FLOODS[given.name], given.address, given.count))


async def _run(flood: Flood, address: str, count: int) -> None:
    await flood(address, count)


if __name__ == "__main__":
    main()
