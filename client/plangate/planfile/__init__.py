"""Plan files: a plan as Markdown with front matter, read and written without a gate.

``plangate.planfile.api`` turns them into what the gate takes and gives, ``plangate.planfile.importers``
reads what other tools write, ``plangate.planfile.names`` says what files are called.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plangate.planfile.model import Extra, Form, Phase, PlanFile, Todo
    from plangate.planfile.problems import PlanFileError, PlanFileWarning
    from plangate.planfile.reader import read_plan_file
    from plangate.planfile.writer import write_plan_file

__all__ = [
    "Extra",
    "Form",
    "Phase",
    "PlanFile",
    "PlanFileError",
    "PlanFileWarning",
    "Todo",
    "read_plan_file",
    "write_plan_file",
]

# Loaded when first asked for: most commands need the names of files, and no reader.
_HOMES = {
    **dict.fromkeys(("Extra", "Form", "Phase", "PlanFile", "Todo"), "plangate.planfile.model"),
    **dict.fromkeys(("PlanFileError", "PlanFileWarning"), "plangate.planfile.problems"),
    "read_plan_file": "plangate.planfile.reader",
    "write_plan_file": "plangate.planfile.writer",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
