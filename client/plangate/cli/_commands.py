"""Every command, by whom it is for. A command's module has its name: ``arguments`` and ``run``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "to begin": {
        "demo": "try it all: a gate, an agent and you",
        "completion": "make your shell complete commands and plans",
        "doctor": "find out why it does not work, and what to do",
        "version": "print the version",
    },
    "to decide": {
        "review": "see what waits on the whole screen, and decide it there",
        "pending": "list the plans that wait for a decision",
        "show": "show a plan, and all that is needed to decide",
        "approve": "approve a plan: its text may be built",
        "reject": "refuse a plan, in words",
        "request-changes": "ask the agent for another revision, in words",
        "edit": "change a plan in your editor, then approve it or put it to review",
        "comment": "say something about lines of a plan, without deciding",
        "watch": "tell what happens, as it happens",
        "approvals": "list the tool calls that wait, and answer them",
        "remembered": "list, forget, export and restore the answers that are remembered",
        "sessions": "list the sessions of agents, or show one",
        "mode": "show or set what a session may do",
    },
    "as an agent": {
        "propose": "propose a plan, as an agent would",
        "todos": "list the todos of a plan, or say how far they are",
        "reference": "say that an agent works with a plan",
        "build": "take the todos of an approved plan, and tell how it went",
    },
    "with files": {
        "import": "propose plan files, and what other tools write",
        "export": "write plans to files",
        "sync": "keep a folder of plan files in step with the gate, in both directions",
    },
    "to run a gate": {
        "serve": "start the gate",
        "policy": "check the operator's policy file, or ask what it says to a call",
        "token": "make, list and revoke the tokens that callers show",
        "certs": "make a CA and certificates to try TLS with",
        "audit": "export the event log, or check that nobody altered it",
        "backup": "copy the gate's database to a file, while it runs or not",
    },
}
SUMMARIES: Final[Mapping[str, str]] = {
    name: summary for group in GROUPS.values() for name, summary in group.items()
}
OF_THE_SERVER: Final = frozenset({"serve", "policy", "backup"})
"""These have command lines of their own."""
