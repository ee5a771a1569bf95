"""A plan file as bytes, always written the same way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plangate.planfile.characters import BOM
from plangate.planfile.model import Extra, Phase, PlanFile, Todo
from plangate.planfile.yaml_subset import scalar


def write_plan_file(plan: PlanFile) -> bytes:
    """The file: front matter with our keys first, a blank line, the body as it is."""
    lines = ["---", *_front_matter(plan), "---", ""]
    text = "\n".join(lines) + (f"\n{plan.body}" if plan.body else "")
    if plan.newline != "\n":
        text = text.replace("\n", plan.newline)
    return (BOM if plan.bom else b"") + text.encode()


def _front_matter(plan: PlanFile) -> Iterator[str]:
    yield f"name: {scalar(plan.name)}"
    yield f"overview: {scalar(plan.overview)}"
    yield from _todos(plan.todos)
    yield f"isProject: {'true' if plan.is_project else 'false'}"
    if plan.phases:
        yield "phases:"
        for phase in plan.phases:
            yield from _item(_phase(phase))
    yield from _extras(plan.extras)
    yield from plan.comments


def _todos(todos: Iterable[Todo | str]) -> Iterator[str]:
    items = [[scalar(todo)] if isinstance(todo, str) else list(_todo(todo)) for todo in todos]
    yield "todos:" if items else "todos: []"
    for item in items:
        yield from _item(item)


def _todo(todo: Todo) -> Iterator[str]:
    yield f"id: {scalar(todo.id)}"
    yield f"content: {scalar(todo.content)}"
    yield f"status: {scalar(todo.status)}"
    if todo.dependencies:
        yield "dependencies:"
        yield from (f"  - {scalar(needed)}" for needed in todo.dependencies)
    yield from _extras(todo.extras)


def _phase(phase: Phase) -> Iterator[str]:
    yield f"name: {scalar(phase.name)}"
    yield from _todos(phase.todos)
    yield from _extras(phase.extras)


def _extras(extras: Iterable[Extra]) -> Iterator[str]:
    for extra in extras:
        yield from extra.text.split("\n")


def _item(lines: Iterable[str]) -> Iterator[str]:
    """The lines as an entry of a list, indented by two; empty ones stay empty."""
    mark = "  - "
    for line in lines:
        yield f"{mark}{line}" if line else ""
        mark = "    "
