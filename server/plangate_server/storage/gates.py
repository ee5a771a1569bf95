"""What decides about the tool calls of each session, kept as long as nothing changes it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from plangate_server.domain.sessions import Session
from plangate_server.ports import Gate
from plangate_server.storage.staging import session_key

MOST: Final = 10_000


class Gates:
    """Those that were first asked for last."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._gates: OrderedDict[str, Gate] = OrderedDict()

    def get(self, workspace: str, session_id: str) -> Gate | None:
        return self._gates.get(session_key(workspace, session_id))

    def put(self, workspace: str, session_id: str, gate: Gate) -> None:
        self._gates[session_key(workspace, session_id)] = gate
        if len(self._gates) > self._most:
            self._gates.popitem(last=False)

    def changed(self, sessions: Mapping[str, Session], memories: frozenset[str]) -> None:
        """Sessions that were just stored, and workspaces whose memory is another one now."""
        for key in sessions.keys() & self._gates.keys():
            self._gates[key] = replace(self._gates[key], session=sessions[key])
        if memories:
            stale = [key for key in self._gates if key.partition("\n")[0] in memories]
            for key in stale:
                del self._gates[key]
