"""Decisions that are remembered: which calls one covers, and which it never does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from functools import cached_property, lru_cache

from msgspec import Struct

from plangate_server.domain.calls import call_of, is_patch
from plangate_server.domain.command_patterns import (
    BadPattern,
    CommandPattern,
    check_allows,
    parse_pattern,
)
from plangate_server.domain.commands import in_words, read_command
from plangate_server.domain.denied_commands import might_run
from plangate_server.domain.errors import InvalidField
from plangate_server.domain.open_programs import ANY_REST, ANY_WORD, Opened, is_bare
from plangate_server.domain.persons import same_person
from plangate_server.domain.signatures import signature
from plangate_server.domain.tool_names import sounds_like
from plangate_server.domain.tools import Access, Call, ToolKind


class Scope(StrEnum):
    """How far a remembered decision reaches."""

    SESSION = "session"
    WORKSPACE = "workspace"


class Remembered(Struct, frozen=True):
    """A person's answer, kept for calls to come."""

    remembered_id: str
    kind: ToolKind
    tool: str
    signature: str
    """The normalised signature of a call, or a pattern."""
    is_pattern: bool
    allows: bool
    scope: Scope
    reviewer: str
    create_time: datetime
    session_id: str = ""
    """The session it reaches; empty where it reaches the whole workspace."""
    expire_time: datetime | None = None
    person: str = ""
    """The person behind the reviewer's name; empty where that is the person."""
    restored_by: tuple[str, ...] = ()
    """The people who took it from an export."""

    @property
    def people(self) -> tuple[str, ...]:
        """Whose word it is: of whoever restored it, too, who could have written it themselves."""
        return (self.person or self.reviewer, *self.restored_by)

    def holds(self, now: datetime) -> bool:
        """Whether it is not out of date."""
        return self.expire_time is None or now < self.expire_time


def refusal_of(remembered: Remembered, opened: Opened = ()) -> str:
    """Why a pattern answers nothing under the rules of today; empty if it does, or is no pattern.

    A no is never too wide: it only has to be read.
    """
    if not remembered.is_pattern or remembered.kind is not ToolKind.TERMINAL:
        return ""
    try:
        parse_pattern(remembered.signature, to_deny=not remembered.allows, opened=opened)
    except BadPattern as bad:
        return str(bad)
    return ""


def check_pattern(
    kind: ToolKind, tool: str, command: str, pattern: str, *, to_deny: bool = False, opened: Opened = ()
) -> str:
    """A pattern that covers this very call, in its plainest form; or a refusal."""
    if kind is not ToolKind.TERMINAL:
        if pattern.strip() != ANY_WORD:
            raise InvalidField("remember.pattern", f"can only be * for this kind: any call of {tool}")
        if not to_deny and not _is_any_call(call_of(tool, command, kind=kind)):
            raise InvalidField(
                "remember.pattern", "does not cover this very call, which runs something: answer it this once"
            )
        return ANY_WORD
    try:
        parsed = parse_pattern(pattern, to_deny=to_deny, opened=opened)
    except BadPattern as bad:
        raise InvalidField("remember.pattern", str(bad)) from None
    words = read_command(command)
    if words is None or not parsed.matches(words):
        raise InvalidField("remember.pattern", "does not cover this very call: begin with its own words")
    return parsed.text


@lru_cache(maxsize=32)
def suggested_pattern(kind: ToolKind, tool: str, command: str, opened: frozenset[tuple[str, ...]]) -> str:
    """A pattern of calls like this one that a yes may be kept for; empty if there is none."""
    if signature(kind, command) is None:
        return ""
    if kind is not ToolKind.TERMINAL:
        return ANY_WORD if _is_any_call(call_of(tool, command, kind=kind)) else ""
    words = read_command(command) or ()
    for wide in ((*words[:-1], ANY_WORD), *([(*words, ANY_REST)] if is_bare(words) else [])):
        try:
            return check_pattern(kind, tool, command, in_words(wide), opened=opened)
        except InvalidField:
            continue
    return ""


def _is_any_call(call: Call) -> bool:
    """Whether a yes to any call of the tool is one to this: to none that runs what nobody has seen.

    Of a tool whose name says that it runs something, any argument can be what it runs.
    """
    if sounds_like(call.tool) is Access.EXECUTE:
        return call.kind is ToolKind.EDIT and is_patch(call.command)
    return call.kind is not ToolKind.MCP or not call.runs_a_command


def reach_of(remembered: Remembered) -> tuple[object, ...]:
    """Which calls it covers, and where: of two with the same reach, one takes the place of the other."""
    each = remembered
    return (each.kind, each.tool, each.signature, each.is_pattern, each.scope, each.session_id)


def same_reach(one: Remembered, other: Remembered) -> bool:
    return reach_of(one) == reach_of(other)


class Memory:
    """Remembered decisions, laid out to be asked often."""

    def __init__(self, remembered: Iterable[Remembered] = ()) -> None:
        self._by_tool: defaultdict[str, list[_Entry]] = defaultdict(list)
        for each in remembered:
            self._by_tool[each.tool].append(_Entry(each))

    def denying(self, call: Call, now: datetime) -> Remembered | None:
        """The no that covers the call, or that some part of it may run into: stricter never harms."""
        entries = self._held(call, now, allows=False)
        return next((entry.remembered for entry in entries if entry.might_mean(call)), None)

    def allowing(
        self, call: Call, now: datetime, *, not_by: str = "", opened: Opened = ()
    ) -> Remembered | None:
        """The yes that covers the call; of a compound command, or one that cannot be read, there is none.

        That of one person does not count, where somebody else must say it. A pattern counts as far as it may
        stand open today, with the programs that the operator vouches for.
        """
        entries = self._held(call, now, allows=True)
        return next(
            (
                entry.remembered
                for entry in entries
                if not any(same_person(each, not_by) for each in entry.remembered.people)
                and entry.covers(call, opened)
            ),
            None,
        )

    def in_force(self, now: datetime) -> list[Remembered]:
        """All of it that is not out of date."""
        every = (entry.remembered for entries in self._by_tool.values() for entry in entries)
        return [each for each in every if each.holds(now)]

    def _held(self, call: Call, now: datetime, *, allows: bool) -> Iterator[_Entry]:
        for entry in self._by_tool.get(call.tool, ()):
            each = entry.remembered
            if each.allows is allows and each.holds(now):
                yield entry


class _Entry:
    """A remembered decision, read once, when it is first asked."""

    def __init__(self, remembered: Remembered) -> None:
        self.remembered = remembered
        self._is_command = remembered.kind is ToolKind.TERMINAL

    @cached_property
    def _pattern(self) -> CommandPattern | None:
        return _pattern(self.remembered) if self._is_command else None

    def covers(self, call: Call, opened: Opened = ()) -> bool:
        """Whether the call is beyond doubt one of those that were meant, and says no more than they do."""
        kind = self.remembered.kind
        if call.kind is not kind or call.is_unsure:
            return False
        if kind is ToolKind.MCP:
            return _is_any_call(call) if self._is_any_call else self._is_same(call.arguments)
        if not call.command or call.says_more:
            return False
        if self._is_any_call:
            return _is_any_call(call)
        is_like = self.remembered.is_pattern
        return self._is_like(call.command, opened) if is_like else self._is_same(call.command)

    def might_mean(self, call: Call) -> bool:
        """Whether the call may be one of those that were meant, whatever it is called."""
        if self._is_any_call:
            return True
        if not self._is_command:
            said = [text for text in (call.command, call.arguments) if text] or [""]
            return any(map(self._is_same, said))
        pattern = self._pattern
        if pattern is None:
            return True  # nobody knows any more what was meant
        return any(might_run(text, pattern) for text in (call.command, *call.texts))

    @property
    def _is_any_call(self) -> bool:
        """For a patch or arguments, the only pattern is any call of the tool."""
        return self.remembered.is_pattern and not self._is_command

    def _is_same(self, text: str) -> bool:
        return signature(self.remembered.kind, text) == self.remembered.signature

    def _is_like(self, command: str, opened: Opened) -> bool:
        words = read_command(command)
        if words is None or self._pattern is None or not self._pattern.matches(words):
            return False
        try:
            check_allows(self._pattern, opened)
        except BadPattern:
            return False
        return True


def _pattern(remembered: Remembered) -> CommandPattern | None:
    """What is remembered, as a pattern; None for one that an earlier version took and this one does not."""
    words = read_command(remembered.signature)
    if not remembered.is_pattern:
        return CommandPattern(words) if words else None
    try:
        return parse_pattern(remembered.signature, to_deny=True)
    except BadPattern:
        return None
