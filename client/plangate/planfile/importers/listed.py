"""Lists of todos as agents keep them: words and a status for each, mostly without ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from plangate.planfile.ids import with_ids
from plangate.planfile.importers.json_text import Json, Record, extras, records, required, text, texts
from plangate.planfile.model import PlanFile, Todo
from plangate.planfile.names import title_of
from plangate.planfile.problems import PlanFileError, PlanFileWarning, shown
from plangate.planfile.statuses import COMPLETED, IN_PROGRESS, KNOWN, PENDING

SAME_AS: Final = {"": PENDING, "done": COMPLETED, "in-progress": IN_PROGRESS}


def plan_from_list(given: Json, file_name: str, *, entries: str, words: str) -> PlanFile | None:
    """The plan in an object with a list of ``entries``, each of which has ``words``; None if it has none."""
    listed = records(given.get(entries)) if isinstance(given, dict) else None
    if not isinstance(given, dict) or listed is None or not all(words in entry for entry in listed):
        return None
    todos = [_todo(entry, words, f"{entries}[{place}]") for place, entry in enumerate(listed)]
    check_ids(todos, entries)
    overview = "explanation" if "explanation" in given else "overview"
    return PlanFile(
        name=text(given, "name", "the plan").strip() or title_of(file_name) or "Todos",
        overview=text(given, overview, "the plan"),
        todos=with_ids(todos),
        extras=extras(given, (entries, "name", overview), "the plan"),
        warnings=unknown_statuses(todos),
    )


def _todo(entry: Record, words: str, where: str) -> Todo:
    return Todo(
        id=text(entry, "id", where),
        content=required(entry, words, where),
        status=status_from(text(entry, "status", where)),
        dependencies=tuple(texts(entry, "dependencies", where)),
        extras=extras(entry, ("id", words, "status", "dependencies"), where),
    )


def status_from(word: str) -> str:
    return SAME_AS.get(word, word)


def unknown_statuses(todos: Sequence[Todo]) -> tuple[PlanFileWarning, ...]:
    others = dict.fromkeys(todo.status for todo in todos if todo.status not in KNOWN)
    return tuple(
        PlanFileWarning(1, f"the status {shown(word)} is kept in the file; a gate takes it as {PENDING}")
        for word in others
    )


def check_ids(todos: Sequence[Todo], where: str) -> None:
    seen: set[str] = set()
    for todo in todos:
        if todo.id and todo.id in seen:
            raise PlanFileError(1, f"the id {shown(todo.id)} stands in {where} twice: change one")
        seen.add(todo.id)
