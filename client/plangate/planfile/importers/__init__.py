"""What other tools write, as plan files. What a file is, is seen from what it holds, not from its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from plangate.planfile.importers import acp, claude_code, codex, spec_kit, task_master, todo_write
from plangate.planfile.importers.json_text import Json, looks_like_json, parsed
from plangate.planfile.model import PlanFile
from plangate.planfile.problems import PlanFileError
from plangate.planfile.reader import read_plan_file

__all__ = ["FORMATS", "IN_MARKDOWN", "WORDS", "Format", "import_as", "import_plan"]


@dataclass(frozen=True, slots=True)
class Format:
    name: str
    word: str
    """For a command line."""
    read_json: Callable[[Json, str], PlanFile | None]
    """The plan in a JSON value, for a file of that name; None if it is something else."""


FORMATS: Final = (
    Format("TodoWrite", "todo-write", todo_write.read),
    Format("Codex update_plan", "codex", codex.read),
    Format("ACP plan", "acp", acp.read),
    Format("task-master", "task-master", task_master.read),
)
"""Those that are JSON, in the order of asking."""
MARKDOWN: Final = "markdown"
CLAUDE_CODE: Final = "claude-code"
SPEC_KIT: Final = "spec-kit"
IN_MARKDOWN: Final = (MARKDOWN, CLAUDE_CODE, SPEC_KIT)
WORDS: Final = (*IN_MARKDOWN, *(format.word for format in FORMATS))


def import_plan(data: bytes, name: str = "") -> PlanFile:
    """The plan in a file of that name, or a PlanFileError that says why nothing fits."""
    if not looks_like_json(data):
        plan = read_plan_file(data, name)
        return spec_kit.read(plan) or claude_code.read(plan)
    return _import_json(data, name, FORMATS)


def import_as(word: str, data: bytes, name: str = "") -> PlanFile:
    """The same for a file that is known to be one of ``WORDS``; a PlanFileError if it is not."""
    if word in {MARKDOWN, CLAUDE_CODE}:
        return claude_code.read(read_plan_file(data, name))
    if word == SPEC_KIT:
        if found := spec_kit.read(read_plan_file(data, name)):
            return found
        raise PlanFileError(1, "no line of this is a task of spec-kit, like: - [ ] T001 words")
    return _import_json(data, name, [format for format in FORMATS if format.word == word])


def _import_json(data: bytes, name: str, formats: Sequence[Format]) -> PlanFile:
    value = parsed(data)
    for format in formats:
        if found := format.read_json(value, name):
            return found
    known = ", ".join(format.name for format in formats)
    raise PlanFileError(1, f"this is JSON, and none that is known: {known}")
