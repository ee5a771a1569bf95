"""What other tools write, as plan files. What a file is, is seen from what it holds, not from its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from plangate.planfile.importers import acp, claude_code, codex, spec_kit, task_master, todo_write
from plangate.planfile.importers.json_text import Json, looks_like_json, parsed
from plangate.planfile.model import PlanFile
from plangate.planfile.problems import PlanFileError
from plangate.planfile.reader import read_plan_file

__all__ = ["FORMATS", "Format", "import_plan"]


@dataclass(frozen=True, slots=True)
class Format:
    name: str
    read_json: Callable[[Json, str], PlanFile | None]
    """The plan in a JSON value, for a file of that name; None if it is something else."""


FORMATS: Final = (
    Format("TodoWrite", todo_write.read),
    Format("Codex update_plan", codex.read),
    Format("ACP plan", acp.read),
    Format("task-master", task_master.read),
)
"""Those that are JSON, in the order of asking."""


def import_plan(data: bytes, name: str = "") -> PlanFile:
    """The plan in a file of that name, or a PlanFileError that says why nothing fits."""
    if not looks_like_json(data):
        plan = read_plan_file(data, name)
        return spec_kit.read(plan) or claude_code.read(plan)
    value = parsed(data)
    for format in FORMATS:
        if found := format.read_json(value, name):
            return found
    known = ", ".join(format.name for format in FORMATS)
    raise PlanFileError(1, f"this is JSON, and none that is known: {known}")
