"""Plangate: propose a plan, wait for people, build only what they approved.

import plangate

with plangate.Client() as gate:
    plan = gate.create_plan("# Tidy the cellar", todos=["sort the boxes", "sweep"])
    decision = gate.wait(plan)
    print(decision.approved, decision.feedback)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plangate._client import Client, Decision
    from plangate._errors import GateUnreachable, HandshakeFailed, PlangateError

__all__ = ["Client", "Decision", "GateUnreachable", "HandshakeFailed", "PlangateError", "__version__"]

# Loaded when first asked for: the command line must start without waiting for gRPC.
_HOMES = {
    "Client": "plangate._client",
    "Decision": "plangate._client",
    "GateUnreachable": "plangate._errors",
    "HandshakeFailed": "plangate._errors",
    "PlangateError": "plangate._errors",
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        return import_module("importlib.metadata").version("plangate")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
