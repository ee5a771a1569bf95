"""Keeps the file of what was approved last for as long as it runs, whether the gate is there or away."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from plangate._client import Client
from plangate.errors import PlangateError, PlanNotFound
from plangate.folder.approved import Approved
from plangate.folder.files import NotAFile
from plangate.folder.hearing import RETRY_SECONDS, Everything, Heard, Moved, Queue, Trouble, passes
from plangate.folder.running import EVERYTHING_SECONDS, GLANCE_SECONDS


@dataclass(slots=True)
class Following:
    """What was not looked at yet, and looking at it: whatever fails is tried again."""

    gate: Client
    approved: Approved
    _everything: bool = True
    _plans: set[str] = field(default_factory=set)
    _said: str = ""
    """What is wrong, as it was told; empty while nothing is."""
    _next_time: float = 0.0

    def run(self, heard: Queue, goes_on: Callable[[], bool]) -> None:
        """Until told otherwise. Raises what time does not cure."""
        next_everything = time.monotonic() + EVERYTHING_SECONDS
        while goes_on():
            self._take(heard)
            if time.monotonic() >= next_everything:
                self._everything = True
                next_everything = time.monotonic() + EVERYTHING_SECONDS
            if (self._everything or self._plans) and time.monotonic() >= self._next_time:
                self._try()

    def look_once(self) -> None:
        """Look at everything, and say it if the text cannot be written."""
        try:
            self._look()
        except (NotAFile, OSError) as problem:
            self.approved.tell(*self._not_written(problem))

    def _not_written(self, problem: Exception) -> tuple[str, str]:
        return str(self.approved.path), f"the approved text is not written: {problem}"

    def _look(self) -> None:
        """At what is to be looked at."""
        if self._everything:
            self.approved.look(self.gate.list_plans(session_id=self.approved.session_id))
            self._plans.clear()
            self._everything = False
        while self._plans:
            plan_uri = next(iter(self._plans))
            try:
                plan = self.gate.get_plan(plan_uri)
            except PlanNotFound:
                plan = None
            self.approved.look([plan] if plan else [])
            self._plans.discard(plan_uri)

    def _try(self) -> None:
        try:
            self._look()
        except PlangateError as error:
            if not passes(error):
                raise
            self._fail("", error.words)
        except (NotAFile, OSError) as problem:
            self._fail(*self._not_written(problem))
        else:
            self._said = ""

    def _fail(self, name: str, words: str) -> None:
        """Say it once, and try again later; news that came meanwhile is found then."""
        self._everything = True
        self._next_time = time.monotonic() + RETRY_SECONDS
        if self._said != words:
            self._said = words
            self.approved.tell(name, f"{words}; trying again")

    def _take(self, heard: Queue) -> None:
        """Wait for news, and note all that there is."""
        try:
            self._note(heard.get(timeout=self._patience()))
            while True:
                self._note(heard.get_nowait())
        except queue.Empty:
            return

    def _patience(self) -> float:
        if self._everything or self._plans:
            return min(max(self._next_time - time.monotonic(), 0.0), GLANCE_SECONDS)
        return GLANCE_SECONDS

    def _note(self, said: Heard) -> None:
        match said:
            case Moved(plan_uri):
                self._plans.add(plan_uri)
            case Trouble(error):
                if not passes(error):
                    raise error
                self._fail("", error.words)
            case Everything():
                self._everything = True
            case _:
                raise AssertionError("nobody listens to a folder here")
