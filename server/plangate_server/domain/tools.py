"""Tool calls: what an agent wants to do to the world, and what can be said to it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from msgspec import Struct


class ToolKind(StrEnum):
    EDIT = "edit"
    """A patch."""
    TERMINAL = "terminal"
    """A command line."""
    MCP = "mcp"
    """A call of an MCP server's tool, with its arguments as JSON."""


class Access(StrEnum):
    """What a tool does to the world."""

    READ = "read"
    WRITE = "write"
    EXECUTE = "execute"


SEVERITY: Final = {Access.READ: 0, Access.WRITE: 1, Access.EXECUTE: 2}


def stricter(one: Access, other: Access) -> Access:
    return max(one, other, key=SEVERITY.__getitem__)


class AuthorizationResult(StrEnum):
    ALLOW = "allow"
    CONFIRM = "confirm"
    """A person must be asked."""
    DENY = "deny"
    """No, and nobody is to be asked."""


class Call(Struct, frozen=True):
    """A tool call, as far as rules look at it."""

    tool: str
    command: str = ""
    """Exactly what would be done: a command line, a patch, or arguments as JSON."""
    arguments: str = ""
    """The tool's arguments as JSON, where they were sent beside a command or instead of one."""
    kind: ToolKind | None = None
    """None where the caller did not say."""
    access: Access | None = None
    """What the agent says that the tool does."""
    texts: tuple[str, ...] = ()
    """Every text in the tool's arguments."""
    paths: tuple[str, ...] = ()
    """Those of them that stand where a path is expected."""
    loose: tuple[str, ...] = ()
    """Those of them whose place says nothing, and which could be paths."""
    commands: tuple[str, ...] = ()
    """Those of them that stand where a command is expected."""
    runs_a_command: bool = False
    """Whether one of those is beyond doubt something that is run."""
    has_more: bool = False
    """Whether there are arguments that say more than the command."""
    is_unsure: bool = False
    """Whether the arguments cannot be read, or not in one way only."""
    agent_id: str = ""
    role: str = ""
    """The caller's role; empty where callers are not told apart."""
    person: str = ""
    """Who answers for the caller."""

    @property
    def says_more(self) -> bool:
        """Whether more than the command decides what happens."""
        return self.has_more or any(text != self.command for text in self.texts)


class Verdict(Struct, frozen=True):
    """What is said to a call, which rule said so, and why."""

    result: AuthorizationResult
    rule: str
    reason: str
