"""What is different from the revision that people decided about, beside what they said then."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from plangate._common.text_safety import visible, visible_lines
from plangate.cli._decisions import sent, told
from plangate.cli._looking import Seen
from plangate.cli._style import Style, styled
from plangate_proto.agent.v1.plan_service_pb2 import DiffRevisionsResponse
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem


def change_lines(seen: Seen) -> Iterator[str]:
    """None if there is nothing to compare with."""
    if seen.changes is None:
        return
    yield ""
    yield styled(f"changed since revision {seen.changes.from_revision}", Style.STRONG)
    yield from _said(seen)
    yield from diff_lines(seen.changes.unified_diff)
    yield from _todos(seen.changes)
    if seen.changes.changed_fields:
        yield f"  changed, too: {', '.join(map(visible, seen.changes.changed_fields))}"


def diff_lines(unified_diff: str) -> Iterator[str]:
    """A unified diff, in colour; what it tells cannot act on a terminal."""
    lines = unified_diff.removesuffix("\n").split("\n") if unified_diff else ()
    for sign, group in groupby(lines, key=lambda line: line[:1]):
        for line in visible_lines("\n".join(line[1:] for line in group)):
            yield f"  {styled(sign + line, _style(sign + line))}"


def _said(seen: Seen) -> Iterator[str]:
    for decision in seen.said_then.decisions if seen.said_then else ():
        yield from (f"  {line}" for line in told(decision))
    if seen.said_then and (went_along := sent(seen.said_then)):
        yield f"  {went_along}"


def _todos(changes: DiffRevisionsResponse) -> Iterator[str]:
    for change in changes.todo_changes:
        if change.HasField("before"):
            yield f"  {styled(f'- {described(change.before)}', Style.BAD)}"
        if change.HasField("after"):
            yield f"  {styled(f'+ {described(change.after)}', Style.GOOD)}"


def described(todo: TodoItem) -> str:
    """Its id, what is to be done, and what must be done before."""
    after = f"  (after {', '.join(map(visible, todo.dependencies))})" if todo.dependencies else ""
    return f"[{visible(todo.id)}] {visible(todo.content)}{after}"


def _style(line: str) -> Style:
    if line.startswith(("---", "+++", "@@")):
        return Style.FAINT
    return {"-": Style.BAD, "+": Style.GOOD}.get(line[:1], Style.PLAIN)
