"""From what an agent sends to a call that rules look at: in one way, whichever method it was sent to."""

from __future__ import annotations

import re
from typing import Final

from plangate_server.domain.arguments import (
    Read,
    Unreadable,
    canonical,
    read_object,
    repeats_a_name,
    taken_apart,
)
from plangate_server.domain.errors import InvalidField
from plangate_server.domain.tool_names import sounds_like
from plangate_server.domain.tools import Access, Call, ToolKind

NAMES_OF_COMMAND: Final = frozenset({"command", "cmd", "script", "patch", "diff"})
"""An argument with one of these names may say the command once more."""

_PATCH: Final = re.compile(
    r"\s*(?:diff --git |--- [^\r\n]+\r?\n\+\+\+ |Index: |\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File: ))"
)


def check_names(field: str, text: str) -> None:
    """Refuse JSON in which a name is twice: readers disagree about what it says."""
    wrong = repeats_a_name(text)
    if wrong:
        raise InvalidField(field, f"{wrong}: send each name once")


def call_of(
    tool: str,
    command: str = "",
    arguments: str = "",
    *,
    kind: ToolKind | None = None,
    access: Access | None = None,
    agent_id: str = "",
    role: str = "",
    person: str = "",
) -> Call:
    """The call, of the kind that it is said to be, or else of the one that it beyond doubt is."""
    kind = kind or kind_of(tool, command)
    more, unsure = bool(arguments), False
    if kind is ToolKind.MCP and command:
        # Arguments may stand in either place. Where they stand in both, they are the same, or nobody knows.
        unsure = more and canonical(arguments) != canonical(command)
        command, arguments = (command, arguments) if unsure else ("", command)
    read = Read()
    for text in (arguments, command if unsure else ""):
        try:
            found = taken_apart(read_object(text))
        except Unreadable:
            found, unsure = Read((text,), (), (text,), (text,)), True
        read = _together(read, found)
    return Call(
        tool,
        command,
        arguments,
        kind,
        access,
        texts=read.texts,
        paths=read.paths,
        loose=read.loose,
        commands=read.commands,
        runs_a_command=read.runs,
        has_more=more and kind is not ToolKind.MCP and not _only_says(arguments, command),
        is_unsure=unsure,
        agent_id=agent_id,
        role=role,
        person=person,
    )


def kind_of(tool: str, command: str) -> ToolKind:
    """What a call is if nobody says: arguments, a patch, or else a command, which is the strictest."""
    if not command:
        return ToolKind.MCP
    if is_patch(command) and sounds_like(tool) is not Access.EXECUTE:
        return ToolKind.EDIT
    if command.lstrip().startswith("{") and canonical(command) is not None:
        return ToolKind.MCP
    return ToolKind.TERMINAL


def is_patch(text: str) -> bool:
    """Whether a text begins as a patch does."""
    return _PATCH.match(text) is not None


def _only_says(arguments: str, command: str) -> bool:
    """Whether the arguments are none, or nothing but the command once more."""
    try:
        entries = list(read_object(arguments).items())
    except Unreadable:
        return False
    return not entries or (
        len(entries) == 1 and entries[0][0].casefold() in NAMES_OF_COMMAND and entries[0][1] == command
    )


def _together(one: Read, other: Read) -> Read:
    return Read(
        one.texts + other.texts,
        one.paths + other.paths,
        one.loose + other.loose,
        one.commands + other.commands,
        one.runs or other.runs,
    )
