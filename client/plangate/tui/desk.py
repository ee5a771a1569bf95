"""What all screens share: the gate, who looks, what waits, and what was typed and not sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeVar

from plangate._aio import AsyncClient
from plangate._common.text_safety import visible
from plangate.errors import GateUnreachable
from plangate.tui.reader import Read
from plangate.tui.state import Inbox
from plangate_proto.agent.v1.access_token_service_pb2 import Role, WhoAmIResponse

MOST_KEPT: Final = 200
Value = TypeVar("Value")


class Connection:
    """Whether the gate answers; the client says so when that changes."""

    def __init__(self) -> None:
        self.problem = ""
        """Why it does not, in words; empty while it does."""
        self.changed: Callable[[], None] = lambda: None

    def tell(self, problem: GateUnreachable | None) -> None:
        self.problem = visible(problem.words) if problem else ""
        self.changed()


class Latest(dict[str, Value]):
    """What was put in last; what came before is forgotten, or a long day would fill the memory."""

    def __setitem__(self, key: str, value: Value) -> None:
        self.pop(key, None)
        super().__setitem__(key, value)
        while len(self) > MOST_KEPT:
            del self[next(iter(self))]


class Revisions(Latest[set[int]]):
    def __missing__(self, key: str) -> set[int]:
        self[key] = found = set[int]()
        return found


class Readings(Latest[Read]):
    def __missing__(self, key: str) -> Read:
        self[key] = found = Read()
        return found


@dataclass(slots=True)
class Desk:
    client: AsyncClient
    me: WhoAmIResponse
    connection: Connection = field(default_factory=Connection)
    inbox: Inbox = field(default_factory=Inbox)
    terminal: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while an editor has it: the program does not end beneath one."""
    shown: Revisions = field(default_factory=Revisions)
    """By plan_uri: the revisions that were on the screen while somebody was there to see them."""
    read: Readings = field(default_factory=Readings)
    """By plan_uri: what of its text and of the comments was on the screen."""
    read_whole: Revisions = field(default_factory=Revisions)
    """By plan_uri: the revisions of which all was."""
    looked_at: str = ""
    """The key of what was opened last, until the inbox has marked it."""
    typed: Latest[str] = field(default_factory=Latest)
    """By what it is about: words that were not sent, which are there when the person comes back."""

    @property
    def may_decide(self) -> bool:
        return self.me.role in {Role.ROLE_REVIEWER, Role.ROLE_ADMIN}
