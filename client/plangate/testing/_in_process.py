"""The real gate in a test's own process: its servicers over its store in memory, no network, no threads.

Whoever calls lets it work, and so does whoever waits.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Final, TypeVar

from plangate.testing._loop import Loop
from plangate.testing._refused import Refused, closed, timed_out
from plangate_server.domain.errors import InvalidCredentials
from plangate_server.domain.events import LogEvent
from plangate_server.domain.identity import OPERATORS_WORKSPACE, Caller, Principal, Role
from plangate_server.domain.policy import Policy
from plangate_server.fronts import RefusedCall
from plangate_server.housekeeping import keep_house
from plangate_server.identity.keyring import Keyring
from plangate_server.ports import World
from plangate_server.rpc.in_process import InProcess
from plangate_server.storage.hub import Hub
from plangate_server.storage.memory import MemoryStore
from plangate_server.system import SystemClock, TimeOrderedIds

Result = TypeVar("Result")

WORKSPACE: Final = OPERATORS_WORKSPACE


class _Persons:
    """Knows the tokens of those whom a test speaks for."""

    def __init__(self) -> None:
        self.callers: dict[str, Caller] = {}

    def by_heart(self, token: str) -> Caller | None:
        return self.callers.get(token)

    async def caller(self, token: str) -> Caller:
        if token not in self.callers:
            raise InvalidCredentials
        return self.callers[token]


class Service:
    """One call after the other. ``ask`` is told of each event before the call returns that made it."""

    def __init__(self, ask: Callable[[LogEvent], None], patience: float) -> None:
        self._ask = ask
        self._patience = patience
        self._lock = threading.RLock()
        self._loop = Loop()  # type: ignore[abstract]
        self._hub = _Hub()
        self._persons = _Persons()
        store, clock = MemoryStore(self._hub), SystemClock()
        callers = Keyring(store, clock, provider=self._persons)
        self.world = World(store, self._hub, clock, TimeOrderedIds(), _Policies(), callers)
        gate = InProcess(self.world)
        self.inside = gate.inside
        self._always = [self.begin(each) for each in (keep_house(self.world), gate.see_out())]

    def token_of(self, person: str, role: str) -> str:
        """What shows that a person calls, in a role. It is none of the tokens that a gate makes."""
        token = f"{role}:{person}"
        principal = Principal(person, WORKSPACE, Role(role), person)
        self._persons.callers[token] = Caller(principal, token)
        return token

    def begin(self, work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        """Something of the gate's, as far as it can be done at once."""
        with self._lock:
            task = self._loop.create_task(work)
            self.turn()
            return task

    def do(self, change: Callable[[], object]) -> None:
        """Change something that the gate's own tasks look at."""
        with self._lock:
            change()
            self.turn()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Something that waits for nobody."""
        return self.wait(self.begin(work), None)

    def turn(self) -> None:
        """Let it do what it can do now, and ask the scripts about what came of it."""
        with self._lock:
            self._loop.turn()
            while self._hub.told:
                self._ask(self._hub.told.popleft())

    def wait(self, task: asyncio.Task[Result], end: float | None) -> Result:
        """For a thread, which blocks until the task is done."""
        changed = threading.Event()
        with _Watch(self, task, changed.set) as watch:
            while not watch.is_over(end):
                changed.wait(watch.pause(end))
        return _result(task)

    async def awaited(self, task: asyncio.Task[Result], end: float | None) -> Result:
        """For a task of another loop, which awaits until the task is done."""
        changed, loop = asyncio.Event(), asyncio.get_running_loop()

        def wake() -> None:
            if not loop.is_closed():  # or nobody is left to be woken
                loop.call_soon_threadsafe(changed.set)

        with _Watch(self, task, wake) as watch:
            while not watch.is_over(end):
                try:
                    async with asyncio.timeout(watch.pause(end)):
                        await changed.wait()
                except TimeoutError:
                    continue  # a timer of the gate's own, or the end
        return _result(task)

    def pause(self) -> float:
        """Seconds until it has to be turned, though nobody calls."""
        due = self._loop.next_time()
        return self._patience if due is None else due - self._loop.time()

    def check_patience(self, since: float) -> None:
        """Fail, rather than hang, where nobody will ever do what is waited for."""
        if time.monotonic() - max(since, self._hub.last_time) > self._patience:
            raise AssertionError(
                f"a call waits, and nothing has happened at the gate for {self._patience:g} seconds: say "
                "beforehand who answers (approve_next, allow_next, on_plan, on_call), or answer in another "
                "thread or task"
            )


class _Watch:
    """Somebody who waits for a task."""

    def __init__(self, service: Service, task: asyncio.Task[Any], wake: Callable[[], None]) -> None:
        self._service = service
        self._task = task
        self._begun = time.monotonic()
        self._wake = wake

    def __enter__(self) -> _Watch:
        if not self._task.done():
            self._service.do(lambda: self._task.add_done_callback(self._done))
        return self

    def __exit__(self, *_: object) -> None:
        self._task.remove_done_callback(self._done)

    def _done(self, _: object) -> None:
        self._wake()

    def is_over(self, end: float | None) -> bool:
        """Let the gate work, and say whether the task is done. Raises if there is no more time for it."""
        self._service.turn()
        if self._task.done():
            return True
        if end is not None and time.monotonic() >= end:
            raise timed_out()
        self._service.check_patience(self._begun)
        return False

    def pause(self, end: float | None) -> float:
        pause = self._service.pause()
        return max(pause if end is None else min(pause, end - time.monotonic()), 0.0)


class _Hub(Hub):
    """Notes each event, for scripts. Somebody always watches: the test does."""

    def __init__(self) -> None:
        super().__init__()
        self.told: deque[LogEvent] = deque()
        self.last_time = 0.0

    def publish(self, events: Iterable[LogEvent]) -> None:
        told = [*events]
        super().publish(told)
        self.told.extend(told)
        self.last_time = time.monotonic()

    def reviewers_watching(self, workspace: str) -> int:
        return max(super().reviewers_watching(workspace), 1)


class _Policies:
    """There is no policy file: everything is as without one."""

    current = Policy()


def _result(task: asyncio.Task[Result]) -> Result:
    if task.cancelled():
        raise closed()
    try:
        return task.result()
    except RefusedCall as refused:
        raise Refused(refused.code, refused.status) from None
