"""spec-kit: Markdown with ``- [ ] T001 [P] [US1] words`` under headings of phases."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from plangate.planfile.importers.listed import check_ids
from plangate.planfile.markdown import heading_of, lines_outside_code
from plangate.planfile.model import Extra, Phase, PlanFile, Todo
from plangate.planfile.statuses import COMPLETED, PENDING

_TASK: Final = re.compile(
    r"[ \t]*[-*][ \t]+\[([ xX])\][ \t]+(T\d{1,9})\b[ \t]*((?:\[[^\]\[]{1,40}\][ \t]*)*)(.*)\Z"
)
_FLAG: Final = re.compile(r"\[([^\]\[]+)\]")
_STORY: Final = re.compile(r"US\d+\Z")


def read(plan: PlanFile) -> PlanFile | None:
    """The plan with the tasks that its text has as todos; None if no line of it is one."""
    by_phase = _by_phase(plan.body)
    todos = tuple(todo for each in by_phase.values() for todo in each)
    if plan.todos or not todos:
        return None
    check_ids(todos, "the tasks")
    named = {heading: each for heading, each in by_phase.items() if heading and each}
    phases = tuple(Phase(heading, tuple(todo.id for todo in each)) for heading, each in named.items())
    return replace(plan, todos=todos, phases=phases, is_project=bool(phases))


def _by_phase(text: str) -> dict[str, list[Todo]]:
    """The tasks under each heading of the second level, in the order of the file."""
    heading = ""
    found: dict[str, list[Todo]] = {}
    for _, line in lines_outside_code(text):
        if level := heading_of(line):
            heading = level[1] if level[0] == 2 else heading if level[0] > 2 else ""
        elif task := _TASK.match(line):
            found.setdefault(heading, []).append(_todo(task))
    return found


def _todo(task: re.Match[str]) -> Todo:
    flags = _FLAG.findall(task[3])
    known = {flag for flag in flags if flag == "P" or _STORY.match(flag)}
    words = " ".join([*(f"[{flag}]" for flag in flags if flag not in known), task[4].strip()]).strip()
    extras = [Extra("parallel", "parallel: true")] if "P" in known else []
    stories = ", ".join(flag for flag in flags if _STORY.match(flag))
    extras += [Extra("story", f"story: {stories}")] if stories else []
    return Todo(
        id=task[2],
        content=words or task[2],
        status=PENDING if task[1] == " " else COMPLETED,
        extras=tuple(extras),
    )
