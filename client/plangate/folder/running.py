"""Keeps a folder in step for as long as it runs, whether the gate is there or away."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from plangate._client import Client
from plangate.errors import PlangateError, PlanNotFound
from plangate.folder.approved import Approved
from plangate.folder.files import NotAFile, Stamp
from plangate.folder.hearing import (
    RETRY_SECONDS,
    Blind,
    Everything,
    Heard,
    Moved,
    Queue,
    Touched,
    Trouble,
    passes,
)
from plangate.folder.keeper import Keeper
from plangate.folder.seeing import is_set_aside
from plangate.planfile.names import ENDING
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState

QUIET_SECONDS: Final = 0.3
"""How long a file stays as it is before it counts as written."""
EVERYTHING_SECONDS: Final = 3600.0
"""How often all is looked at, in case that somebody was not told something."""
GLANCE_SECONDS: Final = 1.0
LIVE: Final = (
    PlanState.PLAN_STATE_IN_REVIEW,
    PlanState.PLAN_STATE_CHANGES_REQUESTED,
    PlanState.PLAN_STATE_APPROVED,
    PlanState.PLAN_STATE_BUILDING,
)
PLANS: Final = "plangate://plans/"


class CannotWatch(Exception):
    """Nobody tells what happens in the folder; the words say why."""


@dataclass(slots=True)
class Sync:
    """What has to be looked at, and looking at it."""

    gate: Client
    keeper: Keeper
    approved: Approved | None = None
    _everything: bool = True
    _plans: set[str] = field(default_factory=set)
    _files: dict[str, tuple[Stamp | None, float]] = field(default_factory=dict)
    """Files that somebody touched, as they were then, and when they are quiet if they stay so."""
    _away: bool = False
    _next_time: float = 0.0

    def run(self, heard: Queue, goes_on: Callable[[], bool]) -> None:
        """Until told otherwise. Raises what time does not cure."""
        next_everything = time.monotonic() + EVERYTHING_SECONDS
        while goes_on():
            self._take(heard)
            if time.monotonic() >= next_everything:
                self._everything = True
                next_everything = time.monotonic() + EVERYTHING_SECONDS
            if time.monotonic() >= self._next_time:
                self._try()

    def catch_up(self) -> None:
        """Look at everything once; files that are being written just now are waited for."""
        self.look_at_everything()
        nothing: Queue = queue.SimpleQueue()
        self._everything = False
        while self._files:
            self._take(nothing)
            self._do()

    def look_at_everything(self) -> None:
        """Every plan that is alive, every file that has one, and files that have none."""
        told = set()
        for plan in self.gate.list_plans(*LIVE):
            told.add(plan.plan_id)
            self._look(plan)
        for plan_id in self.keeper.memory:
            if plan_id not in told and self.keeper.may_have_changed(plan_id):
                self._look_by_id(plan_id)
        for name in self.keeper.folder.names(ENDING):
            self._look_at_stray(name)
        if self.approved:
            self._look_for_approved(self.gate.list_plans())

    def _take(self, heard: Queue) -> None:
        """Wait for something to do, and note all that there is."""
        try:
            self._note(heard.get(timeout=self._patience()))
            while True:
                self._note(heard.get_nowait())
        except queue.Empty:
            return

    def _patience(self) -> float:
        if self._everything or self._plans:
            return max(self._next_time - time.monotonic(), 0.0)
        due = min((due for _, due in self._files.values()), default=time.monotonic() + GLANCE_SECONDS)
        return min(max(due - time.monotonic(), 0.0), GLANCE_SECONDS)

    def _note(self, said: Heard) -> None:
        match said:
            case Everything():
                self._everything = True
            case Moved(plan_uri):
                self._plans.add(plan_uri.removeprefix(PLANS))
            case Touched(names):
                for name in names:
                    self._wait_for(name)
            case Trouble(error):
                if not passes(error):
                    raise error
                self._gate_is_away(error)
            case Blind(words):
                raise CannotWatch(words)

    def _wait_for(self, name: str) -> None:
        self._files[name] = (self.keeper.folder.stamp(name), time.monotonic() + QUIET_SECONDS)

    def _try(self) -> None:
        try:
            self._do()
        except PlangateError as error:
            if not passes(error):
                raise
            self._next_time = time.monotonic() + RETRY_SECONDS
            self._gate_is_away(error)
        except OSError as error:
            self._next_time = time.monotonic() + RETRY_SECONDS
            self._everything = True
            self.keeper.leave("", f"{error.strerror}: {error.filename}; trying again")

    def _do(self) -> None:
        """What was noted is forgotten only when it is done: the gate may be away."""
        if self._everything:
            self.look_at_everything()
            self._everything = False
            self._gate_is_back()
        for name in self._quiet_files():
            plan_id = self.keeper.memory.plan_of(name)
            self._plans |= {plan_id} - {""}
            self._look_at_stray(name)
        while self._plans:
            plan_id = next(iter(self._plans))
            self._look_by_id(plan_id)
            self._plans.discard(plan_id)

    def _quiet_files(self) -> list[str]:
        """Those that nobody has written for a while; the others have to wait a little longer."""
        now, quiet = time.monotonic(), []
        for name, (stamp, due) in [*self._files.items()]:
            if due > now:
                continue
            if self.keeper.folder.stamp(name) != stamp:
                self._wait_for(name)
                continue
            quiet.append(name)
            del self._files[name]
        return quiet

    def _look_by_id(self, plan_id: str) -> None:
        try:
            plan = self.gate.get_plan(PLANS + plan_id)
        except PlanNotFound:
            self.keeper.leave_behind(plan_id)
            return
        self._look(plan)
        self._look_for_approved([plan])

    def _look(self, plan: Plan) -> None:
        base = self.keeper.memory[plan.plan_id].base
        if base and self._is_being_written(base.file):
            return  # it is looked at when it is quiet
        self.keeper.look(plan)

    def _look_for_approved(self, plans: Iterable[Plan]) -> None:
        if not self.approved:
            return
        try:
            self.approved.look(plans)
        except (NotAFile, OSError) as problem:
            self.keeper.leave(str(self.approved.path), f"the approved text is not written: {problem}")

    def _is_being_written(self, name: str) -> bool:
        stamp = self.keeper.folder.stamp(name)
        if stamp and name not in self._files and 0 <= time.time_ns() - stamp.written < QUIET_SECONDS * 1e9:
            self._wait_for(name)
        return name in self._files

    def _look_at_stray(self, name: str) -> None:
        known = self.keeper.memory.plan_of(name) or is_set_aside(name) or name.startswith(".")
        if not known and self.keeper.folder.stamp(name):
            words = "this is no file of a plan, and is left alone: 'plangate import' proposes it"
            self.keeper.leave(name, words)

    def _gate_is_away(self, error: PlangateError) -> None:
        self._everything = True
        if not self._away:
            self._away = True
            self.keeper.tell("", f"{error.words}; trying again")

    def _gate_is_back(self) -> None:
        if self._away:
            self._away = False
            self.keeper.tell("", "the gate is back")
