"""Tool calls: what an agent wants to do to the world, and what can be said to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    commands: tuple[str, ...] = ()
    """Those of them that stand where a command is expected."""
    agent_id: str = ""
    role: str = ""
    """The caller's role; empty where callers are not told apart."""
    person: str = ""
    """Who answers for the caller."""


class Verdict(Struct, frozen=True):
    """What is said to a call, which rule said so, and why."""

    result: AuthorizationResult
    rule: str
    reason: str


PATH_WORDS: Final = (
    *("path", "file", "dir", "folder", "uri", "cwd", "root", "location"),
    *("source", "src", "target", "dest", "dst"),
)
"""An argument whose name has one of these in it is taken for a path."""


COMMAND_WORDS: Final = ("command", "cmd", "script", "code", "shell", "exec")
"""An argument whose name has one of these in it is taken for something that is run."""


def texts_in(arguments: object) -> Iterator[str]:
    """Every text in a tool's arguments, however deep; inside of them the names, too, which may be data."""
    if isinstance(arguments, Mapping):
        for value in arguments.values():
            yield from _texts(value)
    else:
        yield from _texts(arguments)


def paths_in(arguments: object) -> Iterator[str]:
    """The texts that stand where a path is expected."""
    return _texts_named(PATH_WORDS, arguments)


def commands_in(arguments: object) -> Iterator[str]:
    """The texts that stand where a command is expected."""
    return _texts_named(COMMAND_WORDS, arguments)


def _texts_named(words: tuple[str, ...], arguments: object) -> Iterator[str]:
    if isinstance(arguments, Mapping):
        for name, value in arguments.items():
            named_so = any(word in str(name).casefold() for word in words)
            yield from _texts(value) if named_so else _texts_named(words, value)
    elif isinstance(arguments, list):
        for value in arguments:
            yield from _texts_named(words, value)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield str(name)
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
