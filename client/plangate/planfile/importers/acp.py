"""ACP: ``entries`` of ``{"content", "priority", "status"}``, alone or in a ``session/update``."""

from __future__ import annotations

from plangate.planfile.importers.json_text import Json, unwrapped
from plangate.planfile.importers.listed import plan_from_list
from plangate.planfile.model import PlanFile


def read(value: Json, file_name: str) -> PlanFile | None:
    update = unwrapped(value, "params", "update")
    return plan_from_list(update, file_name, entries="entries", words="content")
