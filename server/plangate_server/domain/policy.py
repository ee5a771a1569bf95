"""What the operator lets pass without asking anyone; always by a rule that has a name."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from plangate_server.domain.plan import Plan


class AutoRule(Struct, frozen=True):
    """Approves plans with at most so many todos."""

    name: str
    max_todos: int

    def fits(self, plan: Plan) -> bool:
        return len(plan.revision.content.todos) <= self.max_todos


def rule_for(plan: Plan, rules: Iterable[AutoRule]) -> str | None:
    """The name of the first rule that approves the plan."""
    return next((rule.name for rule in rules if rule.fits(plan)), None)
