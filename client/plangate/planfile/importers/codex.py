"""Codex: ``update_plan`` with ``{"explanation", "plan": [{"step", "status"}]}``, or the call of the tool."""

from __future__ import annotations

from plangate.planfile.importers.json_text import Json, unwrapped
from plangate.planfile.importers.listed import plan_from_list
from plangate.planfile.model import PlanFile


def read(value: Json, file_name: str) -> PlanFile | None:
    return plan_from_list(unwrapped(value, "arguments"), file_name, entries="plan", words="step")
