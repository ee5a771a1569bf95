"""Plangate with nothing that guards, counts or chains: what all that costs shows in the difference.

No setting makes a gate so. Contender and server in one: ``python -m bench.contenders.open_gate`` is the
server.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from bench import process
from bench.parts import Contender
from plangate_server import app
from plangate_server.__main__ import main
from plangate_server.domain.identity import OPERATORS_WORKSPACE, Caller, Principal, Role
from plangate_server.metrics import Distribution
from plangate_server.rpc import server
from plangate_server.rpc.calls import Call, CallLog
from plangate_server.rpc.door import Door
from plangate_server.rpc.principal import answer_to
from plangate_server.rpc.running import Context, Running
from plangate_server.storage import numbering

ANYONE: Final = Caller(Principal("anyone", OPERATORS_WORKSPACE, Role.ADMIN, "anyone"), "none")


@asynccontextmanager
async def _running(folder: Path) -> AsyncIterator[str]:
    async with process.plangate(f"sqlite:///{folder / 'plans.db'}", program=__spec__.name) as address:
        yield address


OPEN_GATE = Contender(
    "everything off",
    "the same server on SQLite, made by the bench to ask nobody for a token, have no limits on callers, "
    "count nothing and chain no hashes; lines about calls are written by both",
    _running,
)


class OpenDoor(Door):
    """Lets everybody in, as one and the same."""

    async def admit(self, call: Call, context: Context) -> None:
        answer_to(ANYONE)

    @asynccontextmanager
    async def stream(self, call: Call, context: Context) -> AsyncIterator[Running]:
        answer_to(ANYONE)
        yield self.running


class Nothing:
    """Counts no call."""

    def know(self, methods: object) -> None:
        """Whatever they are."""

    def calls(self, method: str) -> Nothing:
        return self

    def begun(self) -> None:
        """Nobody is told."""

    def finished(self, status: str, took: float) -> None:
        """Nobody is told."""


class LinesAlone(CallLog):
    """Writes the lines of calls, and counts none."""

    def __init__(self, *told: Any) -> None:
        super().__init__(*told)
        self._metrics: Any = Nothing()


def _switch_off() -> None:
    def no_hash(*_: object) -> str:
        return ""

    replaced: tuple[tuple[Any, str, object], ...] = (
        (server, "Door", OpenDoor),
        (app, "CallLog", LinesAlone),
        (Distribution, "observe", lambda *_: None),
        (numbering, "chain", no_hash),
        (numbering, "hash_body", no_hash),
    )
    for place, name, instead in replaced:
        setattr(place, name, instead)


if __name__ == "__main__":
    _switch_off()
    sys.exit(main())
