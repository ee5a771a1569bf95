"""The content of a plan: what a person reads, what the digest covers, what may be built."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain.errors import (
    InvalidField,
    LimitExceeded,
    MissingField,
    TextNotFound,
    TextNotUnique,
)
from plangate_server.domain.limits import (
    DEFAULTS,
    DEPENDENCIES,
    HINT_BYTES,
    KIB,
    OVERVIEW_BYTES,
    PHASES,
    SHOWN_BYTES,
    Limits,
    check_bytes,
    check_count,
    check_id,
)
from plangate_server.domain.todos import Todo, TodoHint, check_todos, with_ids

DERIVED_NAME_CHARACTERS = 100
NAMED_CHARACTERS = 32 * KIB
"""Where a name is looked for."""
LONGEST_ESTIMATE = timedelta(days=3650)


class Phase(Struct, frozen=True):
    name: str
    todo_ids: tuple[str, ...]


class Content(Struct, frozen=True):
    """One revision's content. Two contents are the same exactly if their digests are."""

    name: str
    overview: str
    plan: str
    todos: tuple[Todo, ...]
    phases: tuple[Phase, ...] = ()
    is_project: bool = False
    is_spec: bool = False


class PhaseDraft(Struct, frozen=True):
    name: str
    todos: tuple[Todo, ...]


class Draft(Struct, frozen=True):
    """A plan as it was handed in, before it is known to be sound."""

    plan: str
    name: str = ""
    overview: str = ""
    todos: tuple[Todo, ...] = ()
    phases: tuple[PhaseDraft, ...] = ()
    is_project: bool = False
    is_spec: bool = False
    hints: Mapping[str, TodoHint] = {}


def compose(draft: Draft, limits: Limits = DEFAULTS) -> Content:
    """The content that a draft stands for, or a refusal that names the field at fault."""
    if not draft.plan.strip():
        raise MissingField("plan", "write the plan as Markdown")
    _check_sizes(draft, limits)
    gathered = _gather(draft)
    check_todos(gathered.todos, gathered.paths, limits)
    _check_hints(draft.hints, gathered.todos)
    name = draft.name.strip() or _name_from(draft.plan)
    return _not_too_large(_content(draft, name, gathered), gathered.paths, limits)


def _check_sizes(draft: Draft, limits: Limits) -> None:
    check_bytes("plan", draft.plan, "plan_bytes", limits.plan_bytes)
    check_count("name", len(draft.name), "name_characters", limits.name_characters)
    check_bytes("overview", draft.overview, "overview_bytes", OVERVIEW_BYTES)
    check_count("phases", len(draft.phases), "phases", PHASES)
    for number, phase in enumerate(draft.phases):
        path = f"phases[{number}].name"
        check_count(path, len(phase.name), "name_characters", limits.name_characters)


def sketch_content(draft: Draft, limits: Limits = DEFAULTS) -> Content:
    """What was written so far, sound or not, unless it is too large to be shown."""
    _check_sizes(draft, limits)
    gathered = _gather(draft)
    return _not_too_large(_content(draft, draft.name, gathered), gathered.paths, limits)


def draft_from(content: Content) -> Draft:
    """The content as somebody would hand it in."""
    return amended(content, Draft(plan=content.plan))


def _content(draft: Draft, name: str, gathered: _Gathered) -> Content:
    return Content(
        name=name,
        overview=draft.overview,
        plan=draft.plan,
        todos=gathered.todos,
        phases=gathered.phases,
        is_project=draft.is_project,
        is_spec=draft.is_spec,
    )


class _Gathered(Struct, frozen=True):
    todos: tuple[Todo, ...]
    phases: tuple[Phase, ...]
    paths: list[str]
    """Where each todo was given."""


def _gather(draft: Draft) -> _Gathered:
    """One list of todos, and phases that name them; a todo given in both places is one todo."""
    given = list(draft.todos)
    paths = [f"todos[{place}]" for place in range(len(given))]
    listed = {todo.id: todo for todo in draft.todos if todo.id}
    places: list[list[int | str]] = []
    for number, phase in enumerate(draft.phases):
        places.append([])
        for place, todo in enumerate(phase.todos):
            if todo.id and listed.get(todo.id) == todo:
                places[-1].append(todo.id)
                continue
            places[-1].append(len(given))
            given.append(todo)
            listed.setdefault(todo.id, todo)
            paths.append(f"phases[{number}].todos[{place}]")
    todos = with_ids(given)
    phases = tuple(
        Phase(phase.name, tuple(p if isinstance(p, str) else todos[p].id for p in places[number]))
        for number, phase in enumerate(draft.phases)
    )
    return _Gathered(todos, phases, paths)


def hint_name(todo_id: str) -> str:
    """What a hint is called in refusals: after its todo, whose id may be of any length."""
    return repr(todo_id[:200])


def _check_hints(hints: Mapping[str, TodoHint], todos: tuple[Todo, ...]) -> None:
    known = {todo.id for todo in todos}
    for todo_id, hint in hints.items():
        path = f"todo_hints[{hint_name(todo_id)}]"
        if todo_id not in known:
            raise InvalidField(path, "is about a todo that the plan does not have")
        check_id(f"{path}.agent", hint.agent)
        if hint.estimated_time is not None and not timedelta() <= hint.estimated_time <= LONGEST_ESTIMATE:
            raise InvalidField(f"{path}.estimated_time", "is not between 0 and 10 years")
    said = "".join(text for hint in hints.values() for text in (hint.agent, *hint.labels))
    check_bytes("todo_hints", said, "hint_bytes", HINT_BYTES)


def amended(content: Content, changes: Draft, old_str: str = "", new_str: str = "") -> Draft:
    """The content with what the changes give; what they leave empty stays as it is."""
    todos = changes.todos or (_outside_phases(content) if changes.phases else content.todos)
    return replace(
        changes,
        plan=changes.plan or replaced_text(content.plan, old_str, new_str),
        name=changes.name or content.name,
        overview=changes.overview or content.overview,
        todos=todos,
        phases=changes.phases or _phase_drafts(content.phases, todos),
        is_project=changes.is_project or content.is_project,
        is_spec=changes.is_spec or content.is_spec,
    )


def _outside_phases(content: Content) -> tuple[Todo, ...]:
    """The todos of no phase: new phases bring their own."""
    inside = {id for phase in content.phases for id in phase.todo_ids}
    return tuple(todo for todo in content.todos if todo.id not in inside)


def replaced_text(text: str, old: str, new: str) -> str:
    """The text with its one occurrence of ``old`` replaced; with neither given, as it is."""
    if not old and not new:
        return text
    if not old:
        if text:
            raise TextNotFound
        return new
    place = text.find(old)
    if place < 0:
        raise TextNotFound
    if text.find(old, place + 1) >= 0:
        raise TextNotUnique(max(text.count(old), 2))  # which may overlap
    return text[:place] + new + text[place + len(old) :]


def _phase_drafts(phases: Iterable[Phase], todos: Iterable[Todo]) -> tuple[PhaseDraft, ...]:
    """Phases with those of their todos that are still there."""
    known = {todo.id: todo for todo in todos}
    return tuple(
        PhaseDraft(phase.name, tuple(known[id] for id in phase.todo_ids if id in known)) for phase in phases
    )


def with_todos(
    content: Content, todos: tuple[Todo, ...], paths: Sequence[str], limits: Limits = DEFAULTS
) -> Content:
    """The content with another list of todos, each from its path; phases keep those that are still there."""
    check_todos(todos, paths, limits)
    kept = {todo.id for todo in todos}
    phases = tuple(
        Phase(phase.name, tuple(id for id in phase.todo_ids if id in kept)) for phase in content.phases
    )
    changed = replace(content, todos=todos, phases=phases)
    return _not_too_large(changed, paths, limits, only_todos=True)


def _name_from(plan: str) -> str:
    """The first heading, or else the first line, that says something, near the beginning."""
    lines = plan.lstrip()[:NAMED_CHARACTERS].splitlines()
    headings = (line for line in lines if re.match(r"#{1,6}[ \t]", line))
    return next(filter(None, map(_without_marks, (*headings, *lines))), "plan")[:DERIVED_NAME_CHARACTERS]


def _without_marks(line: str) -> str:
    """A line without the hashes that open a heading, and those that may close it."""
    opened = re.sub(r"^#{1,6}(?=[ \t]|$)", "", line)
    return re.sub(r"(^|[ \t])#+[ \t]*$", "", opened).strip()


def _not_too_large(
    content: Content, paths: Sequence[str], limits: Limits, *, only_todos: bool = False
) -> Content:
    """All of a plan counts: its messages must fit into what clients take.

    With ``only_todos`` the caller sent nothing else: no other part is named as the one at fault.
    """
    size = content_bytes(content)
    if size > limits.plan_bytes:
        field = _largest_todo(content.todos, paths) if only_todos else _largest_part(content, paths)
        raise LimitExceeded("plan_bytes", limits.plan_bytes, size, field)
    dependencies = sum(len(todo.dependencies) for todo in content.todos)
    check_count("todos", dependencies, "dependencies", DEPENDENCIES)
    if content.phases:
        check_count("phases", shown_bytes(content), "shown_bytes", SHOWN_BYTES)
    return content


def _largest_part(content: Content, paths: Sequence[str]) -> str:
    """Where a plan that is too large is best made smaller."""
    sizes = {
        "plan": len(content.plan.encode()),
        "overview": len(content.overview.encode()),
        "name": len(content.name.encode()),
        "todos": sum(map(_todo_bytes, content.todos)),
        "phases": len("".join(text for p in content.phases for text in (p.name, *p.todo_ids)).encode()),
    }
    largest = max(sizes, key=sizes.__getitem__)
    return _largest_todo(content.todos, paths) if largest == "todos" else largest


def _largest_todo(todos: Sequence[Todo], paths: Sequence[str]) -> str:
    """The words of one todo if they are larger than all the others; else all of them are at fault."""
    sizes = [len(todo.content.encode()) for todo in todos]
    if not sizes or 2 * max(sizes) <= sum(map(_todo_bytes, todos)):
        return "todos"
    return f"{paths[sizes.index(max(sizes))]}.content"


def shown_bytes(content: Content) -> int:
    """How large a plan is where each phase shows its todos in full."""
    again = [id for phase in content.phases for id in phase.todo_ids]
    sizes = {todo.id: _todo_bytes(todo) for todo in content.todos} if again else {}
    return content_bytes(content) + sum(sizes[id] for id in again)


def _todo_bytes(todo: Todo) -> int:
    return len("".join((todo.id, todo.content, *todo.dependencies)).encode())


def content_bytes(content: Content) -> int:
    """How large a plan is."""
    texts = [content.name, content.overview, content.plan]
    for todo in content.todos:
        texts += (todo.id, todo.content, *todo.dependencies)
    for phase in content.phases:
        texts += (phase.name, *phase.todo_ids)
    return len("".join(texts).encode())
