"""A plan file from its bytes, in whichever form it was written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from plangate.planfile.characters import BOM, CONTROL, decoded, named, warn_of_unseen
from plangate.planfile.fields import Fields
from plangate.planfile.front_matter import Needed, PlanReading
from plangate.planfile.ids import with_ids
from plangate.planfile.markdown import first_heading
from plangate.planfile.model import Form, Phase, PlanFile, Todo
from plangate.planfile.names import title_of
from plangate.planfile.older_form import is_older_form, todos_and_rest
from plangate.planfile.problems import PlanFileError, Warnings, shown
from plangate.planfile.yaml_subset import read_front_matter

MOST_LINES: Final = 50_000
_OPENING: Final = re.compile(r"(?:[ \t]*\r?\n)*---[ \t]*\r?\n")
_CLOSING: Final = re.compile(r"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_BLANK_LINE: Final = re.compile(r"\A[ \t]*\r?\n")
# Markdown may begin with a rule, too: what follows must look like a key, or like YAML that we refuse.
_BEGINS: Final = re.compile(
    r"""(?:[ \t]*(?:#[^\n]*|\r)?\n)*[ \t]*(?:[^\s#\-&*!?%\[{"'][^\n]*?:(?=\s)|[&*!?%\[{"'])"""
)


def read_plan_file(data: bytes, name: str = "") -> PlanFile:
    """The plan in a file of that name, or a PlanFileError that says on which line it cannot be read."""
    warnings = Warnings()
    text = decoded(data)
    newline = "\r\n" if _ends_alike(text) else "\n"
    text = text.replace("\r\n", "\n") if newline == "\r\n" else text
    warn_of_unseen(text, warnings)
    plan = _with_name(_front_matter(text, warnings) or _markdown(text), name)
    return replace(plan, newline=newline, bom=data.startswith(BOM), source=data, warnings=warnings.all())


def _ends_alike(text: str) -> bool:
    """Whether every line ends with a carriage return and a line feed."""
    ends = text.count("\r\n")
    return ends > 0 and ends == text.count("\n")


def _front_matter(text: str, warnings: Warnings) -> PlanFile | None:
    """The plan of a file that begins with front matter; None if it does not."""
    opening = _OPENING.match(text)
    if opening is None:
        return None
    start = opening.end()
    closing = _CLOSING.search(text, start)
    inside = text[start : closing.start() if closing else len(text)]
    if not _BEGINS.match(inside):
        return None
    first_line = text.count("\n", 0, start) + 1
    if closing is None:
        raise PlanFileError(first_line - 1, "front matter begins here and does not end: add a line ---")
    lines = _lines(inside, first_line)
    body = text[closing.end() :]
    _warn_of_second(body, text.count("\n", 0, closing.end()) + 1, warnings)
    reading = PlanReading(Fields(read_front_matter(lines, first_line, warnings), warnings))
    plan = _with_ids(reading.plan(_BLANK_LINE.sub("", body, count=1)))
    _warn_of_unknown(reading.needed, plan, warnings)
    return plan


def _lines(inside: str, first_line: int) -> list[str]:
    """The lines of front matter, which are text and not too many."""
    if inside.count("\n") > MOST_LINES:
        raise PlanFileError(first_line, f"front matter has at most {MOST_LINES:,} lines")
    text = inside.replace("\r\n", "\n")
    if found := CONTROL.search(text):
        line = first_line + text.count("\n", 0, found.start())
        words = f"{named(found[0])} is in the front matter, where YAML takes none: remove it"
        raise PlanFileError(line, words)
    return text.split("\n")[:-1]


def _warn_of_second(body: str, line: int, warnings: Warnings) -> None:
    second = _OPENING.match(body)
    if second and _BEGINS.match(body, second.end()) and _CLOSING.search(body, second.end()):
        line += body.count("\n", 0, body.index("---"))
        warnings.add(line, "a second front matter begins here: it is kept as part of the text")


def _markdown(text: str) -> PlanFile:
    if is_older_form(text):
        todos, rest = todos_and_rest(text)
        return PlanFile(name="", todos=with_ids(todos), body=rest, form=Form.OLDER)
    return PlanFile(name="", body=text, form=Form.MARKDOWN)


def _with_name(plan: PlanFile, file_name: str) -> PlanFile:
    if plan.name.strip():
        return plan
    return replace(plan, name=first_heading(plan.body) or title_of(file_name))


def _with_ids(plan: PlanFile) -> PlanFile:
    """The plan with an id for every todo, those of phases included."""
    named_todos = iter(with_ids(plan.all_todos()))
    todos = tuple(next(named_todos) for _ in plan.todos)
    phases = tuple(
        Phase(
            phase.name,
            tuple(next(named_todos) if isinstance(todo, Todo) else todo for todo in phase.todos),
            phase.extras,
        )
        for phase in plan.phases
    )
    return replace(plan, todos=todos, phases=phases)


def _warn_of_unknown(needed: Sequence[Needed], plan: PlanFile, warnings: Warnings) -> None:
    known = {todo.id for todo in plan.all_todos()}
    for need in needed:
        if need.id not in known:
            warnings.add(need.line, f"{shown(need.id)}, which a todo depends on, is no todo of this file")
