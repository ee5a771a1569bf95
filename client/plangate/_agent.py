"""What an agent is called: its name tells its plans from those of other agents with the same token."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import sys
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from plangate._common.text_safety import is_seen
from plangate._tokens import AGENT, REVIEWER, Role

AGENT_ID: Final = "PLANGATE_AGENT_ID"
MOST_BYTES: Final = 256
"""As long as a gate takes it."""
MOST_CHARACTERS: Final = 60
"""Of each part of a name that is made up."""
MOST_PLANS: Final = 10_000
"""Of so many it is known under which name they were proposed: those of which it was said last."""


class Names:
    """Under which name a client has proposed each plan, for what it says about that plan later."""

    def __init__(self, own: str) -> None:
        self.own = own
        self._of_plans: dict[str, str] = {}
        self._noting = threading.Lock()

    def for_plan(self, plan_uri: str) -> str:
        """The client's own, unless it proposed the plan under another."""
        return self._of_plans.get(plan_uri, self.own)

    def note(self, plan_uri: str, agent_id: str) -> None:
        """The client has proposed it so. Where several agents did, none speaks for the others."""
        if not plan_uri or not agent_id:
            return
        with self._noting:
            known = self._of_plans.pop(plan_uri, agent_id)
            self._of_plans[plan_uri] = agent_id if known == agent_id else self.own
            if len(self._of_plans) > MOST_PLANS:
                del self._of_plans[next(iter(self._of_plans))]


def find_agent_id(
    given: str | None, role: Role | None = None, environment: Mapping[str, str] = os.environ
) -> str:
    """What is given, else ``PLANGATE_AGENT_ID``, else the name of this program.

    Empty for a client that works for a person, unless it says otherwise. A ValueError, if it cannot be one.
    """
    if role == REVIEWER and given:
        raise ValueError("a reviewer is no agent: leave out agent_id, or the role")
    if given is not None:
        return _checked("agent_id", given)
    if role not in (None, AGENT):
        return ""
    return _checked(AGENT_ID, environment.get(AGENT_ID, "")) or this_program()


@cache
def this_program() -> str:
    """The same each time that a program is started: its name, the machine's, and a mark of where it is."""
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    host = platform.node()
    if file is None:
        return program_name("python", host)
    return program_name(str(Path(file).absolute()), host)


def program_name(path: str, host: str) -> str:
    """``tidy@laptop-0123abcd``: two programs of one name in different places are two."""
    file = Path(path)
    name = file.parent.name if file.stem == "__main__" else file.stem
    mark = hashlib.sha256(os.fsencode(f"{host}\n{path}")).hexdigest()[:8]
    return f"{_plain(name)}@{_plain(host)}-{mark}"


def _plain(part: str) -> str:
    return re.sub(r"[^A-Za-z0-9._]+", "-", part)[:MOST_CHARACTERS]


def _checked(source: str, agent_id: str) -> str:
    if not is_seen(agent_id):
        raise ValueError(f"{source} has characters that cannot be shown: name the agent in one line of text")
    if len(agent_id.encode()) > MOST_BYTES:
        raise ValueError(f"{source} is longer than {MOST_BYTES} bytes: give the agent a shorter name")
    return agent_id
