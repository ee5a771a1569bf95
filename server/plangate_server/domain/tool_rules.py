"""An operator's rules about tool calls. What denies is read broadly, what allows is read narrowly."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection
from typing import Final

from msgspec import Struct

from plangate_server.domain.command_patterns import CommandPattern
from plangate_server.domain.commands import read_command
from plangate_server.domain.denied_commands import might_run
from plangate_server.domain.name_patterns import alike, folded, named
from plangate_server.domain.reach import Reach
from plangate_server.domain.tools import Access, Call, ToolKind
from plangate_server.domain.touched import is_possible, may_be_path, patched_files

NOT_PLAIN: Final = frozenset("\\~$%*?:'\"`<>|;&{}[]!#")
"""What a tool or a shell may turn into something else than it shows."""


class ToolRule(Struct, frozen=True):
    """Some calls. Every condition that is given must hold, and of each condition any one entry."""

    name: str
    tools: tuple[str, ...] = ()
    """Patterns of tool names."""
    commands: tuple[CommandPattern, ...] = ()
    paths: Callable[[str], bool] | None = None
    """Whether it means a path. A rule that denies asks about folded paths, and means them at any depth."""
    path_patterns: tuple[str, ...] = ()
    """The same for people."""
    ignored: Callable[[Collection[str]], bool] | None = None
    """Of a rule that denies: whether a file of patterns means any of some folded paths."""
    roles: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    """Patterns of agent ids."""
    reason: str = ""

    def denies(self, reach: Reach) -> bool:
        """Whether the call may be one that the rule means. Who does not say who they are may be anyone."""
        call = reach.call
        return (
            (not self.tools or alike(call.tool, self.tools))
            and (not self.roles or not call.role or folded(call.role) in map(folded, self.roles))
            and (not self.agents or not call.agent_id or alike(call.agent_id, self.agents))
            and (not self.commands or self._may_run(reach))
            and (self._may_touch(reach) if self.paths or self.ignored else True)
        )

    def _may_touch(self, reach: Reach) -> bool:
        return (
            reach.is_beyond_checking
            or (self.paths is not None and any(map(self.paths, reach.files)))
            or (self.ignored is not None and self.ignored(reach.files))
        )

    def _may_run(self, reach: Reach) -> bool:
        return any(might_run(text, pattern) for text in reach.commands for pattern in self.commands)

    def allows(self, call: Call, access: Access) -> bool:
        """Whether the call is beyond doubt one that the rule means; ``access`` is what its tool can do."""
        return (
            (not self.tools or named(call.tool, self.tools))
            and (not self.roles or call.role in self.roles)
            and (not self.agents or named(call.agent_id, self.agents))
            and (not self.commands or self._means_command(call))
            and (self.paths is None or self._means_paths(self.paths, call, access))
        )

    def _means_command(self, call: Call) -> bool:
        if call.kind in {ToolKind.EDIT, ToolKind.MCP}:
            return False
        if call.says_more:
            return False
        argv = read_command(call.command)
        return argv is not None and any(pattern.matches(argv) for pattern in self.commands)

    def _means_paths(self, meant: Callable[[str], bool], call: Call, access: Access) -> bool:
        paths = (*call.paths, *call.loose, *filter(may_be_path, call.texts))
        if call.is_unsure or not call.paths or not all(is_plain(path) and meant(path) for path in paths):
            return False
        files = frozenset(call.paths)
        if not all(_is_among(name, files) for text in call.texts for name in patched_files(text)):
            return False
        if self.commands or not call.command:
            return True
        # Where a command runs says nothing about what it does; a patch names the files that it changes.
        return access is not Access.EXECUTE and _touches_only(call.command, files)


def is_plain(path: str) -> bool:
    """Whether a path is relative and means what it shows, to whatever will open it."""
    return (
        is_possible(path)
        and path.isprintable()
        and unicodedata.normalize("NFKC", path) == path
        and not path.startswith("/")
        and not any(part.startswith(" ") or part.endswith((" ", ".")) for part in path.split("/"))
        and ".." not in path
        and NOT_PLAIN.isdisjoint(path)
    )


def _touches_only(patch: str, files: frozenset[str]) -> bool:
    """Whether it is a patch that names these files and no others."""
    names = patched_files(patch)
    return bool(names) and all(_is_among(name, files) for name in names)


def _is_among(name: str, files: frozenset[str]) -> bool:
    """Whether a name in a header line is that of one of the files, as git writes it or plainly."""
    return name in files or (name.startswith(("a/", "b/")) and name[2:] in files)
