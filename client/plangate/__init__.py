"""Plangate: propose a plan, wait for people, build only what they approved.

import plangate

with plangate.Client() as gate:
    plan = gate.create_plan("# Tidy the cellar", todos=["sort the boxes", "sweep"])
    decision = gate.wait(plan)
    print(decision.approved, decision.feedback)

``AsyncClient`` is the same for programs with an event loop. ``plangate.errors`` has all that a call can
raise; each of its names is here, too. ``plangate.testing`` has a gate for tests.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plangate._aio import AsyncBuild, AsyncClient, AsyncDraft
    from plangate._client import Build, Client, Draft
    from plangate._values import ApprovalOutcome, Authorization, Decision
    from plangate.errors import *  # noqa: F403
    from plangate.errors import GateUnreachable, HandshakeFailed, PlangateError, TimedOut

    __version__: str

__all__ = [
    "ApprovalOutcome",
    "AsyncBuild",
    "AsyncClient",
    "AsyncDraft",
    "Authorization",
    "Build",
    "Client",
    "Decision",
    "Draft",
    "GateUnreachable",
    "HandshakeFailed",
    "PlangateError",
    "TimedOut",
    "__version__",
]

# Loaded when first asked for: the command line must start without waiting for gRPC.
_HOMES = {
    "ApprovalOutcome": "plangate._values",
    "AsyncBuild": "plangate._aio",
    "AsyncClient": "plangate._aio",
    "AsyncDraft": "plangate._aio",
    "Authorization": "plangate._values",
    "Build": "plangate._client",
    "Client": "plangate._client",
    "Decision": "plangate._values",
    "Draft": "plangate._client",
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        return import_module("importlib.metadata").version("plangate")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    found = getattr(import_module("plangate.errors"), name, None)
    if isinstance(found, type) and issubclass(found, Exception):
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
