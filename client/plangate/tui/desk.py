"""What all screens share: the gate, who looks, what waits, and what was typed and not sent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from plangate._aio import AsyncClient
from plangate.cli._text import visible
from plangate.errors import GateUnreachable
from plangate.tui.state import Inbox
from plangate_proto.agent.v1.access_token_service_pb2 import Role, WhoAmIResponse


class Connection:
    """Whether the gate answers; the client says so when that changes."""

    def __init__(self) -> None:
        self.problem = ""
        """Why it does not, in words; empty while it does."""
        self.changed: Callable[[], None] = lambda: None

    def tell(self, problem: GateUnreachable | None) -> None:
        self.problem = visible(problem.words) if problem else ""
        self.changed()


@dataclass(slots=True)
class Desk:
    client: AsyncClient
    me: WhoAmIResponse
    connection: Connection = field(default_factory=Connection)
    inbox: Inbox = field(default_factory=Inbox)
    shown: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """By plan_uri: the revisions that were on the screen."""
    typed: dict[str, str] = field(default_factory=dict)
    """By what it is about: words that were not sent, which are there when the person comes back."""

    @property
    def may_decide(self) -> bool:
        return self.me.role in {Role.ROLE_REVIEWER, Role.ROLE_ADMIN}
