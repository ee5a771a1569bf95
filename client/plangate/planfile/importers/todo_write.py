"""TodoWrite: ``{"todos": [{"content", "status", "activeForm"}]}``, the call of the tool, or the bare list."""

from __future__ import annotations

from plangate.planfile.importers.json_text import Json, unwrapped
from plangate.planfile.importers.listed import plan_from_list
from plangate.planfile.model import PlanFile


def read(value: Json, file_name: str) -> PlanFile | None:
    given = unwrapped(value, "input", "tool_input")
    listed = {"todos": given} if isinstance(given, list) else given
    return plan_from_list(listed, file_name, entries="todos", words="content")
