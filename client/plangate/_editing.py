"""A plan in a person's own editor: out as its file, back as what ``decide(…, whole=True)`` takes."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path
from typing import Final, TypedDict

from plangate.planfile import Extra, PlanFile, PlanFileError, read_plan_file, write_plan_file
from plangate.planfile.api import IS_SPEC, from_plan, to_create_args
from plangate.planfile.model import Form, Phase, Todo
from plangate.planfile.names import file_name
from plangate.planfile.statuses import PENDING
from plangate_proto.agent.v1 import create_plan_tool_pb2 as proto
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams, PlanPhase
from plangate_proto.aiserver.v1.todo_read_write_tools_pb2 import TodoItem as WrittenTodo

LAST_RESORT: Final = "vi"


class CannotEdit(Exception):
    """What stands in the way, and what to do. The file is as the person left it."""


class Content(TypedDict):
    """All that a plan says beside its text, as ``update_plan`` takes it."""

    name: str
    overview: str
    todos: list[TodoItem]
    phases: list[proto.Phase]
    is_project: bool
    is_spec: bool


class PlanEdit:
    """A plan's file, for its reader only. It stays until ``forget``, so that no refusal costs an edit."""

    def __init__(self, plan: Plan) -> None:
        self._before = from_plan(plan)
        self._source = write_plan_file(self._before)
        self._revision = plan.revision
        folder = Path(tempfile.mkdtemp(prefix="plangate-"))
        self.path = folder / file_name(plan.name, plan.plan_id)
        self.path.write_bytes(self._source)

    def open_editor(self, environment: Mapping[str, str] = os.environ) -> None:
        """Returns when the person has closed ``$VISUAL``, ``$EDITOR`` or vi."""
        with interrupts_for_the_editor():
            self.run_editor(environment)

    def run_editor(self, environment: Mapping[str, str] = os.environ) -> None:
        """The same in any thread; the main one keeps interrupts away."""
        command = environment.get("VISUAL") or environment.get("EDITOR") or LAST_RESORT
        try:
            done = subprocess.run([*shlex.split(command), str(self.path)], check=False)
        except (OSError, ValueError) as error:
            raise CannotEdit(f"the editor {command!r} does not start ({error}): set EDITOR") from None
        if done.returncode != 0:
            raise CannotEdit(f"the editor {command!r} ended with {done.returncode}, so nothing was taken")

    def read(self) -> CreatePlanParams | None:
        """The plan as edited; None if it is the same plan.

        Raises CannotEdit with the line of what cannot be read, or with what an edit cannot change.
        """
        try:
            after = read_plan_file(self.path.read_bytes(), self.path.name)
        except (OSError, PlanFileError) as error:
            raise CannotEdit(f"{self.path}: {error}") from None
        after = replace(after, body=_with_same_end(after.body, self._before.body))
        if after == self._before:
            return None
        for problem in _problems(self._before, after):
            raise CannotEdit(f"{self.path}: {problem}")
        return _params(after)

    def diff(self) -> list[str]:
        """What was changed in the file, line by line, as ``diff -u`` tells it."""
        after = self.path.read_bytes().decode(errors="replace")
        names = f"revision {self._revision}", "as edited"
        return list(unified_diff(self._source.decode().split("\n"), after.split("\n"), *names, lineterm=""))

    def forget(self) -> None:
        shutil.rmtree(self.path.parent)


def content_of(edited: CreatePlanParams) -> Content:
    """What was edited, for ``update_plan(plan, edited.plan, …, whole=True)``."""
    return {
        "name": edited.name,
        "overview": edited.overview,
        "todos": [*map(_item, edited.todos)],
        "phases": [proto.Phase(name=phase.name, todos=map(_item, phase.todos)) for phase in edited.phases],
        "is_project": edited.is_project,
        "is_spec": edited.is_spec,
    }


def _item(todo: WrittenTodo) -> TodoItem:
    return TodoItem(id=todo.id, content=todo.content, dependencies=todo.dependencies)


@contextmanager
def interrupts_for_the_editor() -> Iterator[None]:
    """Ctrl-C is the editor's while it is open: it must not end the program beneath it.

    A handler, because an ignored signal would be ignored by the editor, too.
    """
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _with_same_end(body: str, before: str) -> str:
    """Most editors end the last line, which nobody means as a change."""
    return body[:-1] if body == f"{before}\n" else body


def _problems(before: PlanFile, after: PlanFile) -> Iterator[str]:
    """What would not arrive: a plan has a text, no other keys, and a progress that no edit changes."""
    if after.form is not Form.FRONT_MATTER:
        yield "line 1: the front matter is gone: put it back, with the lines --- around it"
    if not after.body.strip():
        yield "the text is gone: write one, or reject the plan"
    yield from (f"{each.key!r} is no part of a plan: remove it" for each in _foreign(after))
    if after.comments:
        yield f"{after.comments[0]!r} is a comment, which is no part of a plan: remove it"
    statuses = {todo.id: todo.status for todo in before.all_todos()}
    for todo in after.all_todos():
        if todo.status != (was := statuses.get(todo.id, PENDING)):
            yield f"todo {todo.id!r} is {was}: an edit changes what is to be done, not how far it is"


def _is_spec(plan: PlanFile) -> bool:
    return IS_SPEC in plan.extras


def _foreign(plan: PlanFile) -> Iterator[Extra]:
    yield from (extra for extra in plan.extras if extra != IS_SPEC)
    parts: tuple[Todo | Phase, ...] = (*plan.all_todos(), *plan.phases)
    yield from (extra for part in parts for extra in part.extras)


def _params(plan: PlanFile) -> CreatePlanParams:
    args = to_create_args(plan)
    return CreatePlanParams(
        plan=args.plan,
        name=args.name,
        overview=args.overview,
        todos=map(_written, args.todos),
        phases=[PlanPhase(name=phase.name, todos=map(_written, phase.todos)) for phase in args.phases],
        is_project=args.is_project,
        is_spec=_is_spec(plan),
    )


def _written(todo: TodoItem) -> WrittenTodo:
    """Without a status: that is not for an edit to say."""
    return WrittenTodo(id=todo.id, content=todo.content, dependencies=todo.dependencies)
