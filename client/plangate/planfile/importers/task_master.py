"""task-master: ``{tag: {"tasks": [...]}}``, or the older ``{"tasks": [...]}``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from plangate.planfile.importers.json_text import Json, Record, extras, records, required, text, texts
from plangate.planfile.importers.listed import check_ids, status_from, unknown_statuses
from plangate.planfile.model import Extra, Phase, PlanFile, Todo
from plangate.planfile.names import title_of

IN_TODO: Final = ("id", "title", "status", "dependencies")
IN_BODY: Final = ("description", "details", "testStrategy")


@dataclass(frozen=True, slots=True)
class Task:
    record: Record
    where: str
    tag: str
    """What ids of the whole file begin with."""
    parent: str = ""
    """What ids beside it begin with: a subtask is known by the ids of both, with a dot between."""

    @property
    def id(self) -> str:
        return self.tag + self.parent + required(self.record, "id", self.where)

    @property
    def title(self) -> str:
        return required(self.record, "title", self.where)

    def needed(self) -> Iterator[str]:
        """In a subtask, an id without a dot is one beside it."""
        for id in texts(self.record, "dependencies", self.where):
            yield self.tag + (id if "." in id else self.parent + id)


def read(value: Json, file_name: str) -> PlanFile | None:
    by_tag = _tasks_by_tag(value)
    if not by_tag or not isinstance(value, dict):
        return None
    tasks = [task for each in by_tag.values() for task in each]
    todos = tuple(_todo(task) for task in tasks)
    check_ids(todos, "tasks")
    title = title_of(file_name) or "Tasks"
    phases = tuple(Phase(tag, tuple(task.id for task in each)) for tag, each in by_tag.items())
    several = len(phases) > 1
    return PlanFile(
        name=title,
        todos=todos,
        is_project=several,
        phases=phases if several else (),
        body="".join([f"# {title}\n", *map(_section, tasks)]),
        extras=_rest(value),
        warnings=unknown_statuses(todos),
    )


def _tasks_by_tag(value: Json) -> dict[str, list[Task]]:
    """The tasks of every tag that has some, or nothing if this is no file of that kind."""
    tagged = {"tasks": value} if isinstance(value, dict) and "tasks" in value else value
    if not isinstance(tagged, dict):
        return {}
    lists = {
        tag: inner["tasks"] for tag, inner in tagged.items() if isinstance(inner, dict) and "tasks" in inner
    }
    found = {tag: records(tasks) for tag, tasks in lists.items() if tasks}
    if not all(tasks and all("title" in task for task in tasks) for tasks in found.values()):
        return {}
    several = len(found) > 1
    return {
        tag: list(_tasks(tasks or [], f"{tag}.tasks", f"{tag}-" if several else ""))
        for tag, tasks in found.items()
    }


def _tasks(found: list[Record], where: str, tag: str) -> Iterator[Task]:
    """Every task, and its subtasks after it."""
    for place, record in enumerate(found):
        here = f"{where}[{place}]"
        yield Task(record, here, tag)
        parent = f"{text(record, 'id', here)}."
        for number, subtask in enumerate(records(record.get("subtasks")) or []):
            yield Task(subtask, f"{here}.subtasks[{number}]", tag, parent)


def _todo(task: Task) -> Todo:
    known = (*IN_TODO, *IN_BODY)
    # Subtasks of a task are todos of their own; whatever else has that name is kept as it is.
    is_told = not task.parent and (records(task.record.get("subtasks")) or not task.record.get("subtasks"))
    return Todo(
        id=task.id,
        content=task.title,
        status=status_from(text(task.record, "status", task.where)),
        dependencies=tuple(task.needed()),
        extras=extras(task.record, (*known, "subtasks") if is_told else known, task.where),
    )


def _section(task: Task) -> str:
    """What a task says beyond its title."""
    said = [words for key in IN_BODY if (words := text(task.record, key, task.where).strip())]
    return "\n\n".join([f"\n## {task.id} {task.title}", *said]) + "\n" if said else ""


def _rest(value: Record) -> tuple[Extra, ...]:
    """All but the tasks, on one line."""
    rest = {
        key: {k: v for k, v in inner.items() if k != "tasks"} if isinstance(inner, dict) else inner
        for key, inner in value.items()
        if key != "tasks"
    }
    return extras({"taskMaster": rest}, (), "the file") if any(rest.values()) else ()
