"""Walks every field of every request with the largest values and beyond, and counts what each call takes.

A process of its own, for nothing else may use its processor and its memory meanwhile. ``python -m
tests.e2e.field_walk FOLDER`` writes what it found as JSON; with a part of a method's path after it, of that
method. The gate is in it, without gRPC: every call goes the way that gRPC's and the web's go, over a SQLite
database, and the event loop runs nothing else.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import json
import sys
import time
from asyncio import events
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import status_pb2
from msgspec.structs import replace

from plangate_proto.agent.v1.review_event_pb2 import ReviewEventType
from plangate_server.app import COLLECT
from plangate_server.domain.identity import Caller, Principal, Role
from plangate_server.domain.limits import DEFAULTS
from plangate_server.domain.policy import Policy
from plangate_server.fronts import RefusedCall, Shown
from plangate_server.ports import World
from plangate_server.rpc.in_process import InProcess
from plangate_server.storage.hub import Hub
from plangate_server.storage.sqlite import open_sqlite
from plangate_server.system import SystemClock, TimeOrderedIds
from plangate_server.workers import WorkerThreads
from tests.contract.wire_encoder import bytes_field
from tests.helpers.base_requests import BASES, REVIEWS, TEXT, Bench
from tests.helpers.hostile_values import (
    BAD_TEXTS,
    COUNTS,
    DEPTHS,
    DOUBLES,
    LARGEST,
    NUMBERS,
    ROOM,
    SIZES,
    UNITS,
    text,
)
from tests.helpers.raw_calls import method_named
from tests.helpers.refusals import details_of
from tests.helpers.sqlite_file import new_database
from tests.helpers.wire_places import (
    DOUBLE,
    TEXTS,
    Place,
    deep,
    is_circular,
    is_set,
    kind_of,
    lists_on_the_way,
    named,
    places,
    single,
    written,
)

MOST_STRETCH: Final = 0.050
MOST_PROCESSOR: Final = 2.0
MOST_MEMORY: Final = 64 * 1024 * 1024
MARGIN: Final = 3
"""The walk finds fault only with what takes so many times as much time as it may; half of that for memory."""
AGAIN: Final = 2
"""How often a call is made again that seems to take too much: a disturbance only ever adds."""
ALONE: Final = 60.0
"""Seconds that a call may take until it counts as one that never ends."""
USUAL: Final = 64 * 1024
"""Bytes of a text where the walk found none that is taken."""
BEYOND: Final = ("lines", "ligatures that grow", "marks out of order")
"""What is tried of texts that are too long for any field."""
MANY: Final = 5000
IN_EACH: Final = (10, 100, 500)
ROOM_OF_ONE: Final = 128
"""Bytes that a message of a list takes, about."""
LONG: Final = TEXT + "x" * 400_000 + "\na" * 200_000
"""A plan with many lines and a long one."""
NEARLY: Final = 5000
"""Letters before another one: what looks for them in a plan with many is wrong again and again."""
PARTS: Final = {"old_str", "new_str"}
GARBAGE: Final = b"\xff" * 256 * 1024
SNAPSHOTS: Final = REVIEWS + "WatchReviews"
STRANGE: Final = ("INTERNAL", "UNKNOWN")
SHOWN: Final = 12
LITTLE: Final = 1024 * 1024
LIBC: Final = ctypes.CDLL(None)


class Outcome(NamedTuple):
    """Of one call: where it went wrong, if it did, and what it took."""

    case: str
    size: int
    code: str
    """The status, empty for an answer."""
    reason: str
    stretch: float
    """The longest piece of processor time of the event loop's thread, in seconds."""
    processor: float
    """Processor time of the whole process, in seconds."""
    memory: int
    """Bytes of memory at the peak, beyond those before and the request itself."""

    @property
    def is_strange(self) -> bool:
        return self.code in STRANGE or bool(self.code and not self.reason)

    @property
    def is_too_much(self) -> bool:
        return self.is_over(MARGIN)

    def is_over(self, margin: float) -> bool:
        """Whether it took so many times as much time as it may, or half as many times as much memory."""
        return (
            self.stretch > margin * MOST_STRETCH
            or self.processor > margin * MOST_PROCESSOR
            or self.memory > max(1, margin / 2) * MOST_MEMORY
        )

    def least(self, other: Outcome) -> Outcome:
        """Of two of the same call."""
        return self._replace(
            stretch=min(self.stretch, other.stretch),
            processor=min(self.processor, other.processor),
            memory=min(self.memory, other.memory),
        )

    def told(self) -> str:
        took = f"{1000 * self.stretch:.0f} ms, {self.processor:.2f} s, {self.memory // 1024**2} MiB"
        return f"{took} for {self.case} ({self.size} bytes, {self.reason or 'taken'})"


class Meter:
    """Knows how long the loop was at it, at a stretch."""

    longest = 0.0

    def __init__(self) -> None:
        run = events.Handle._run

        def measured(handle: events.Handle) -> None:
            begun = time.thread_time()
            run(handle)
            self.longest = max(self.longest, time.thread_time() - begun)

        events.Handle._run = measured  # type: ignore[method-assign, assignment]


class Policies:
    current = Policy()


class Gate:
    """The gate inside, for callers of any role in any workspace."""

    def __init__(self, calls: Any) -> None:
        self.calls = calls
        self.meter = Meter()
        self._used = 0

    async def send(self, shown: Shown, path: str, data: bytes) -> bytes:
        """The answer to a request, or the first of a stream; of one that begins with all there is, the mark
        after it.
        """
        method = method_named(path)
        if method.client_streaming:
            return bytes(await self.calls.gathered(path, shown, _once(data)))
        if not method.server_streaming:
            return bytes(await self.calls.answer(path, shown, data))
        kind = GetMessageClass(method.output_type)
        async with aclosing(self.calls.stream(path, shown, data)) as answers:
            async for answer in answers:
                if path != SNAPSHOTS or _is_checkpoint(kind.FromString(answer)):
                    return bytes(answer)
        return b""

    async def measured(self, case: str, shown: Shown, path: str, data: bytes) -> Outcome:
        if len(data) > LITTLE or self._used > LITTLE:
            LIBC.malloc_trim(0)  # so that what was free counts when it is taken again
        _forget_peak()
        before = _memory("VmRSS")
        await asyncio.sleep(0)  # so that what the walk itself does is not counted
        self.meter.longest = 0.0
        begun = time.process_time()
        code, reason = await asyncio.create_task(self._ended(shown, path, data))
        taken, stretch = time.process_time() - begun, self.meter.longest
        self._used = _memory("VmHWM") - before
        return Outcome(case, len(data), code, reason, stretch, taken, self._used - len(data))

    async def _ended(self, shown: Shown, path: str, data: bytes) -> tuple[str, str]:
        try:
            async with asyncio.timeout(ALONE):
                await self.send(shown, path, data)
        except RefusedCall as refused:
            return refused.code, details_of(status_pb2.Status.FromString(refused.status)).reason
        except TimeoutError:
            return "UNKNOWN", f"no answer in {ALONE:g} seconds"
        return "", ""


async def _once(data: bytes) -> AsyncIterator[bytes]:
    yield data


def _is_checkpoint(answer: Any) -> bool:
    return bool(answer.event.type == ReviewEventType.REVIEW_EVENT_TYPE_CHECKPOINT)


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _memory(name: str) -> int:
    """Bytes that the system says of this process."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition(f"{name}:")[2].split()[0]) * 1024


class Walk:
    """The places of one request, one after the other."""

    def __init__(self, gate: Gate, findings: Findings, path: str, number: int, text: str = TEXT) -> None:
        self.findings = findings
        self._gate, self._path, self._number, self._base = gate, path, number, BASES[path][number]
        self.name = f"{path[1:]}[{number}]" + (" of a long plan" if text is LONG else "")
        self._text_of_plan = text
        self._made = 0
        self._request: Message | None = None
        self._shown = Shown("")

    async def walk(self) -> None:
        """All of it; beginning with another than the first request, only what that one has."""
        self.findings.check_base(self, await self._try("", "as it is", ()))
        for place in places(method_named(self._path).input_type):
            if self._number == 0 or is_set(await self._ready(), place):
                await self._walk(place)

    async def walk_parts(self) -> None:
        """As it is, and what is looked for in a plan's text."""
        self.findings.check_base(self, await self._try("", "as it is", ()))
        for place in places(method_named(self._path).input_type):
            if place[-1].name in PARTS and is_set(await self._ready(), place):
                await self._walk(place)

    async def _walk(self, place: Place) -> None:
        field = place[-1]
        if field.message_type is not None:
            await self._walk_messages(place)
        elif field.type in TEXTS:
            await self._walk_texts(place)
        else:
            await self._walk_numbers(place)

    async def _walk_texts(self, place: Place) -> None:
        field, lists = place[-1], lists_on_the_way(place)
        taken = USUAL
        for size in (LARGEST, *reversed(SIZES)):
            if await self._text(place, "letters", size):
                taken = size
                break
        is_kept = method_named(self._path).server_streaming and is_set(await self._ready(), place)
        if taken == LARGEST and is_kept:
            self.findings.faults.append(f"{self.name} {named(place)} has no limit, and a stream keeps it")
        for unit in UNITS:
            await self._text(place, unit, taken)
        for unit in BEYOND:
            await self._text(place, unit, LARGEST)
        for size in sorted({taken, NEARLY}):
            await self._put(place, f"{size} letters and another", single(field, text("letters", size) + b"!"))
        for name, bad in {**BAD_TEXTS, "garbage": GARBAGE}.items():
            await self._put(place, name, single(field, bad))
        for count in reversed(COUNTS) if lists else ():
            each = min(taken, (LARGEST - ROOM) // count - ROOM_OF_ONE)
            if each > 0 and await self._text(place, "letters", each, {lists[-1]: count}):
                break
        if field.is_repeated:
            await self._walk_many(place, single(field, b"a"))
            await self._walk_many(place, single(field, b""))

    async def _walk_numbers(self, place: Place) -> None:
        field = place[-1]
        for number in DOUBLES if field.type == DOUBLE else NUMBERS:
            await self._put(place, f"{number}", single(field, number))
        if field.is_repeated:
            await self._walk_many(place, single(field, 1))
            await self._walk_many(place, single(field, 99))
            await self._put(place, "packed", bytes_field(field.number, b"\1" * LARGEST))

    async def _walk_messages(self, place: Place) -> None:
        field = place[-1]
        await self._put(place, "none", b"")
        await self._put(place, "an empty one", single(field, b""))
        await self._put(place, "garbage", single(field, GARBAGE))
        if is_circular(field):
            for depth in DEPTHS:
                await self._put(place, f"{depth} deep", single(field, deep(field, depth)))
        if field.is_repeated:
            await self._walk_many(place, single(field, b""))
            await self._walk_copies(place)

    async def _walk_many(self, place: Place, one: bytes) -> None:
        """Shorter and shorter lists of the same until one is taken; such, and long ones, in many messages."""
        lists, taken = lists_on_the_way(place), 1
        for count in (LARGEST // len(one), *reversed(COUNTS)):
            if await self._put(place, f"{count} times", one * count):
                taken = count
                break
        for count in sorted({taken, *IN_EACH}) if lists else ():
            copies = min(MANY, LARGEST // (len(one) * count + ROOM_OF_ONE))
            await self._put(place, f"{count} times in each of {copies}", one * count, {lists[-1]: copies})

    async def _walk_copies(self, place: Place) -> None:
        """As many different messages as can be, in as many messages."""
        lists, depth = lists_on_the_way(place), len(place) - 1
        inside = (*place, kind_of(place[-1]).fields[0])
        for count in (LARGEST // ROOM_OF_ONE, *reversed(COUNTS)):
            if await self._copies(inside, {depth: count}):
                break
        for count in IN_EACH if lists else ():
            await self._copies(inside, {lists[-1]: min(MANY, LARGEST // ROOM_OF_ONE // count), depth: count})

    async def _copies(self, inside: Place, copies: dict[int, int]) -> bool:
        """Of the first message of a list as it is, but for what names it."""
        name = " x ".join(f"{count}" for count in copies.values())
        return await self._put(inside[:-1], f"{name} copies", None, copies)

    async def _text(self, place: Place, unit: str, size: int, copies: dict[int, int] | None = None) -> bool:
        name = f"{size} bytes of {unit}" + (f" in each of {[*copies.values()]}" if copies else "")
        return await self._put(place, name, single(place[-1], text(unit, size)), copies)

    async def _put(
        self, place: Place, name: str, payload: bytes | None, copies: dict[int, int] | None = None
    ) -> bool:
        return await self._try(named(place), name, place, payload, copies)

    async def _try(
        self,
        field: str,
        name: str,
        place: Place,
        payload: bytes | None = None,
        copies: dict[int, int] | None = None,
    ) -> bool:
        """Whether it was taken."""
        outcome = await self._measured(field, name, place, payload, copies)
        for _ in range(AGAIN):
            if outcome.is_over(1):
                outcome = outcome.least(await self._measured(field, name, place, payload, copies))
        self.findings.add(outcome)
        return not outcome.code

    async def _measured(
        self, field: str, name: str, place: Place, payload: bytes | None, copies: dict[int, int] | None
    ) -> Outcome:
        request = await self._ready()
        data = written(request, place, payload, copies) if place else bytes(request.SerializeToString())
        case = f"{self.name} {field}: {name}"
        outcome = await self._gate.measured(case, self._shown, self._path, data)
        if not outcome.code:
            self._request = None
        return outcome

    async def _ready(self) -> Message:
        """A request that was not answered yet, of whoever has a workspace of their own."""
        if self._request is None:
            self._made += 1
            workspace = f"{self.name}-{self._made}"
            self._shown = Shown(f"{self._base.role}:{workspace}")

            async def send(role: str, path: str, request: Message) -> Any:
                answer = await self._gate.send(
                    Shown(f"{role}:{workspace}"), path, request.SerializeToString()
                )
                return GetMessageClass(method_named(path).output_type).FromString(answer)

            self._request = await self._base.make(Bench(send, "s", self._text_of_plan))
        return self._request


class Everybody:
    """Whoever says that they have a role in a workspace has it."""

    def by_heart(self, token: str, _: str) -> Caller:
        role, _, workspace = token.partition(":")
        return Caller(Principal(role, workspace, Role(role), role), token)

    async def known(self, token: str, certificate: str) -> Caller:
        return self.by_heart(token, certificate)

    def holds(self, _: Caller) -> bool:
        return True

    async def refresh(self) -> None:
        """Nothing is made elsewhere."""


@asynccontextmanager
async def inside(folder: Path) -> AsyncIterator[Gate]:
    async with AsyncExitStack() as opened:
        hub, clock = Hub(), SystemClock()
        store = await opened.enter_async_context(open_sqlite(new_database(folder / "plangate.db"), hub))
        workers = WorkerThreads()
        opened.callback(workers.close)
        limits = replace(DEFAULTS, calls_per_second=1_000_000)
        world = World(store, hub, clock, TimeOrderedIds(), Policies(), Everybody(), limits, workers)
        yield Gate(InProcess(world).inside)


class Findings:
    """What is to be told of all calls, without keeping them: the collector would look at each of them."""

    def __init__(self) -> None:
        self.calls = self.taken = 0
        self.faults: list[str] = []
        self.worst: dict[str, list[Outcome]] = {"stretch": [], "processor": [], "memory": []}

    def add(self, outcome: Outcome) -> None:
        self.calls += 1
        self.taken += not outcome.code
        if outcome.is_strange or outcome.is_too_much:
            self.faults.append(f"{outcome.code} {outcome.told()}")
        for name, worst in self.worst.items():
            worst.append(outcome)
            worst.sort(key=lambda each: -getattr(each, name))
            del worst[SHOWN:]

    def check_base(self, walk: Walk, taken: bool) -> None:
        if not taken:
            self.faults.append(f"{walk.name} is refused as it is: nothing of it can be walked")

    def report(self) -> str:
        worst = {name: [each.told() for each in found] for name, found in self.worst.items()}
        return json.dumps({"calls": self.calls, "taken": self.taken, "faults": self.faults, "worst": worst})


async def main(folder: Path, only: str = "") -> None:
    findings = Findings()
    async with inside(folder) as gate:
        for path, bases in BASES.items():
            for number in range(len(bases)):
                if only in path:
                    # As the service does it: what is there by now is not looked at again.
                    gc.collect()
                    gc.freeze()
                    await Walk(gate, findings, path, number).walk()
                    await Walk(gate, findings, path, number, LONG).walk_parts()
    print(findings.report())


if __name__ == "__main__":
    gc.set_threshold(*COLLECT)
    asyncio.run(main(Path(sys.argv[1]), *sys.argv[2:]))
