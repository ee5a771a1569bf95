"""The rules of a policy file: what is denied, what is allowed, which plans pass without being asked about."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from plangate_server.domain.command_patterns import BadPattern, CommandPattern, parse_pattern
from plangate_server.domain.identity import Role
from plangate_server.domain.limits import MOST_TODOS
from plangate_server.domain.open_programs import Closed, Opened, check_opened
from plangate_server.domain.policy import AutoRule
from plangate_server.domain.tool_rules import ToolRule
from plangate_server.domain.tools import Access
from plangate_server.plainyaml.notes import shown
from plangate_server.plainyaml.section import Section
from plangate_server.plainyaml.values import choice, name, number, plain, sentence
from plangate_server.policyfile.ignore_file import read_ignore_file
from plangate_server.policyfile.path_patterns import path_pattern, paths_anywhere, paths_exactly

CONDITIONS: Final = ("tools", "commands", "paths", "paths_from", "roles", "agents")
TOOL_RULE: Final = ("name", *CONDITIONS, "reason")
AUTO_CONDITIONS: Final = ("max_todos", "access", "labels")
AUTO_RULE: Final = ("name", *AUTO_CONDITIONS)


class Names:
    """The names of rules: each is told with what it decides, so no two may share one."""

    def __init__(self) -> None:
        self._places: dict[str, str] = {}

    def read(self, section: Section) -> str:
        found = section.value("name", name)
        if "name" not in section:
            section.note("has no name: give it one, which is told with every verdict")
        elif found in self._places:
            section.note(f"is also the name of {self._places[found]}: give each its own", "name")
        elif found is not None:
            self._places[found] = section.path()
        return found or ""


def deny_rule(section: Section, names: Names, folder: Path) -> ToolRule:
    """Files that it names are looked for from the folder."""
    if not any(condition in section for condition in CONDITIONS):
        section.note(f"denies everything: give it a condition, of {', '.join(CONDITIONS)}")
    ignored = section.value("paths_from", lambda text: read_ignore_file(folder / plain(text)))
    return replace(_tool_rule(section, names, denies=True), ignored=ignored)


def allow_rule(section: Section, names: Names, opened: Opened) -> ToolRule:
    """Patterns of its commands may be open as far as it is known what runs nothing that it is given."""
    if "tools" not in section:
        section.note("has no tools: say which tools it allows, like [bash]")
    if "paths_from" in section:
        words = "is for deny rules only: who can write the file could allow anything; write paths"
        section.note(words, "paths_from")
    return _tool_rule(section, names, denies=False, opened=opened)


def auto_rule(section: Section, names: Names) -> AutoRule:
    if not any(condition in section for condition in AUTO_CONDITIONS):
        section.note(f"approves every plan: give it a condition, of {', '.join(AUTO_CONDITIONS)}")
    return AutoRule(
        names.read(section),
        section.value("max_todos", number(0, MOST_TODOS)),
        section.value("access", choice(Access)),
        section.values("labels", name),
    )


def _tool_rule(section: Section, names: Names, *, denies: bool, opened: Opened = ()) -> ToolRule:
    patterns = section.values("paths", path_pattern)
    paths = paths_anywhere if denies else paths_exactly
    return ToolRule(
        name=names.read(section),
        tools=section.values("tools", name),
        commands=section.values("commands", partial(_command, to_deny=denies, opened=opened)),
        paths=paths(patterns) if patterns else None,
        path_patterns=patterns,
        roles=section.values("roles", choice(Role)),
        agents=section.values("agents", name),
        reason=section.value("reason", sentence) or "",
    )


def opened_program(text: str) -> tuple[str, ...]:
    """A program that the operator vouches for, with the verbs that are meant."""
    try:
        return check_opened(plain(text))
    except Closed as wrong:
        raise ValueError(f"is {shown(text)}, which {wrong}") from None


def _command(text: str, *, to_deny: bool, opened: Opened) -> CommandPattern:
    try:
        return parse_pattern(plain(text), to_deny=to_deny, opened=opened)
    except BadPattern as wrong:
        raise ValueError(f"is {shown(text)}, which {wrong}") from None
