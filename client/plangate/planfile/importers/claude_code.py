"""Claude Code, and everybody who writes plans as plain Markdown: the text is the plan, and has no todos."""

from __future__ import annotations

from plangate.planfile.model import PlanFile
from plangate.planfile.problems import PlanFileError


def read(plan: PlanFile) -> PlanFile:
    """The plan as it was read, or a PlanFileError if there is nothing in it."""
    if not plan.body.strip() and not plan.all_todos():
        raise PlanFileError(1, "the file has neither a text nor todos: there is nothing to review")
    return plan
