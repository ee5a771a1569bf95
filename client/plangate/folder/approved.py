"""The text that was approved last, in a file of its own: nothing else ever gets there."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Final

from plangate.folder.files import Directory
from plangate.folder.memory import Memory
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState

NOTE: Final = "approved"
"""Where it is noted when the text in the file was approved."""
STANDING: Final = frozenset({PlanState.PLAN_STATE_APPROVED, PlanState.PLAN_STATE_BUILDING})
"""In these states, what the plan says is what was approved: any other text would be asked about."""


class Approved:
    """Writes the whole text of a plan as it is approved, if nothing was approved after it."""

    def __init__(self, path: Path, memory: Memory) -> None:
        self.path = path
        self._memory = memory

    def note(self, plan: Plan) -> None:
        """NotAFile, if something is in the way that is not replaced."""
        time, own = _time_of(plan), self._memory.own
        last = own.read(NOTE) or b""
        if plan.state not in STANDING or time < last:
            return
        with contextlib.closing(Directory.opened(self.path.parent)) as folder:
            if folder.read(self.path.name) != plan.plan.encode():
                folder.put(self.path.name, plan.plan.encode(), folder)
        if time != last:
            own.put(NOTE, time, own)


def _time_of(plan: Plan) -> bytes:
    """When it was approved, so that a later time comes after an earlier one."""
    decided = plan.review.decide_time.ToDatetime()
    return f"{decided:%Y-%m-%dT%H:%M:%S.%f}".encode()
