"""The log of a server whose visitors are gone in the middle of everything: nobody is paged for that."""

from __future__ import annotations

import asyncio
import signal
import socket
from contextlib import AsyncExitStack
from pathlib import Path

from tests.e2e.processes import Exit, serving
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, connected, proposal
from tests.helpers.leaving import leave, once_answered, once_asked, requests
from tests.helpers.tool_calls import call

LARGE = "# Plan\n" + "a line\n" * 20_000
ROUNDS = 2
NO_HTTP = "Invalid HTTP request received."


class Writers:
    """An agent that proposes and asks all the time, so that there is always something to tell."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._written = 0
        self._more = asyncio.Condition()

    async def write(self) -> None:
        while True:
            self._written += 1
            number = self._written
            await self._gate.propose(proposal(f"# Plan {number}", session_id=f"s{number % 20}"))
            await self._gate.ask(call(session_id=f"s{number % 20}", call_id=f"c{number}"))
            async with self._more:
                self._more.notify_all()

    async def once_more_is_written(self, _: socket.socket) -> None:
        """While the visitor reads nothing."""
        enough = self._written + 2
        async with asyncio.timeout(PATIENCE), self._more:
            await self._more.wait_for(lambda: self._written >= enough)


def check_log(ended: Exit) -> None:
    """No fault, and of libraries only the word about what is not HTTP."""
    assert [line for line in ended.log if line["level"] == "error"] == []
    assert {line["message"] for line in ended.log if line["event"] == "library"} <= {NO_HTTP}


async def test_who_leaves_at_any_moment_is_no_fault(tmp_path: Path) -> None:
    """By a reset or by closing, before the answer, in it, or while it cannot be sent; under writes."""
    async with serving(tmp_path / "plangate.db") as server, connected(server.address) as gate:
        writers = Writers(gate)
        writing = asyncio.create_task(writers.write())
        moments = (once_asked, once_answered, writers.once_more_is_written)
        asked = requests(server.web).values()
        for reset in (True, False) * ROUNDS:
            halves = [leave(server.web, data[: len(data) // 2], once_asked, reset=reset) for data in asked]
            await asyncio.gather(*halves)
            for when in moments:
                await asyncio.gather(*(leave(server.web, data, when, reset=reset) for data in asked))
        assert not writing.done(), writing
        writing.cancel()
        await asyncio.wait([writing])
        ended = await server.exit(signal.SIGTERM)
    assert ended.code == 0
    check_log(ended)


async def test_who_reads_nothing_when_the_gate_stops_is_no_fault(tmp_path: Path) -> None:
    """A sleeping page holds it up for a moment, and is then cut off."""
    async with (
        serving(tmp_path / "plangate.db") as server,
        connected(server.address) as gate,
        AsyncExitStack() as stack,
    ):
        asleep, left = asyncio.Event(), []
        for name in ("the live stream", "events of an IDE", "a message of an IDE", "a socket"):
            listening = asyncio.Event()

            async def sleep(line: socket.socket, listening: asyncio.Event = listening) -> None:
                await once_answered(line)
                listening.set()
                await asleep.wait()

            left.append(asyncio.create_task(leave(server.web, requests(server.web)[name], sleep)))
            async with asyncio.timeout(PATIENCE):
                await listening.wait()
        stack.callback(asleep.set)
        for number in range(30):
            await gate.propose(proposal(LARGE, session_id=f"d{number}"))
        ended = await server.exit(signal.SIGTERM)
        asleep.set()
        await asyncio.gather(*left)
    assert ended.code == 0
    check_log(ended)
