"""Every command, by whom it is for. A command's module has its name: ``arguments`` and ``run``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "to decide": {
        "pending": "list the plans that wait for a decision",
        "show": "show a plan, and all that is needed to decide",
        "approve": "approve a plan: its text may be built",
        "reject": "refuse a plan, in words",
        "request-changes": "ask the agent for another revision, in words",
    },
    "as an agent": {
        "propose": "propose a plan, as an agent would",
    },
    "with files": {
        "sync": "keep a folder of plan files in step with the gate, in both directions",
    },
    "to run a gate": {
        "serve": "start the gate",
        "policy": "check the operator's policy file, or ask what it says to a call",
        "token": "make, list and revoke the tokens that callers show",
        "certs": "make a CA and certificates to try TLS with",
        "audit": "export the event log, or check that nobody altered it",
        "backup": "copy the gate's database to a file, while it runs or not",
        "doctor": "find out why it does not work, and what to do",
        "version": "print the version",
    },
}
SUMMARIES: Final[Mapping[str, str]] = {
    name: summary for group in GROUPS.values() for name, summary in group.items()
}
OF_THE_SERVER: Final = frozenset({"serve", "policy", "backup"})
"""These have command lines of their own."""
