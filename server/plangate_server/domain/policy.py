"""What the operator lets pass, and what never: always by a rule that has a name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import reduce

from msgspec import Struct

from plangate_server.domain.name_patterns import alike, named
from plangate_server.domain.plan import Plan
from plangate_server.domain.reach import Reach
from plangate_server.domain.review import ReviewOptions
from plangate_server.domain.todos import TodoHint
from plangate_server.domain.tool_names import sounds_like
from plangate_server.domain.tool_rules import ToolRule
from plangate_server.domain.tools import SEVERITY, Access, Call, ToolKind, stricter

AT_LEAST: Mapping[ToolKind | None, Access] = {
    ToolKind.EDIT: Access.WRITE,
    ToolKind.TERMINAL: Access.EXECUTE,
}
"""What a call of a kind does, whatever is said about its tool."""


class AutoRule(Struct, frozen=True):
    """Approves plans without asking. Every condition that is given must hold; without any it fits none."""

    name: str
    max_todos: int | None = None
    access: Access | None = None
    """The most that the tools of any todo do; where the agent does not say, they execute."""
    labels: tuple[str, ...] = ()
    """Every todo has one of these."""

    def fits(self, plan: Plan) -> bool:
        todos = plan.revision.content.todos
        if self.access is None and not self.labels:
            return self.max_todos is not None and len(todos) <= self.max_todos
        hints = [plan.revision.hints.get(todo.id, TodoHint()) for todo in todos]
        return (
            bool(todos)
            and (self.max_todos is None or len(todos) <= self.max_todos)
            and all(self._covers(hint) for hint in hints)
        )

    def _covers(self, hint: TodoHint) -> bool:
        harmless = self.access is None or SEVERITY[hint.access or Access.EXECUTE] <= SEVERITY[self.access]
        return harmless and (not self.labels or not set(self.labels).isdisjoint(hint.labels))


def rule_for(plan: Plan, rules: Iterable[AutoRule]) -> str | None:
    """The name of the first rule that approves the plan."""
    return next((rule.name for rule in rules if rule.fits(plan)), None)


class PlanRules(Struct, frozen=True):
    """What holds for every plan, whatever its agent asks for."""

    required_approvals: int | None = None
    """The fewest."""
    expires_after: timedelta | None = None
    """The longest."""
    require_reviewer: bool = False
    single_plan: bool = False
    """Whether a session has one unfinished plan at most, whoever proposes."""
    keep_plan_mode: bool = False
    """Whether a session stays in plan mode when a person approves a plan of it."""

    def applied_to(self, asked: ReviewOptions) -> ReviewOptions:
        """How a plan is reviewed: as its agent asks, within what the operator lets it."""
        approvals = asked.required_approvals
        if 0 <= approvals < (self.required_approvals or 0):  # what makes no sense is refused, not mended
            approvals = self.required_approvals or 0
        return ReviewOptions(shorter(asked.expires_after, self.expires_after), approvals)


class CallRules(Struct, frozen=True):
    """What holds for every tool call that waits for a person."""

    expires_after: timedelta | None = None
    """The longest."""


def shorter(one: timedelta | None, other: timedelta | None) -> timedelta | None:
    """The shorter of two spans, of which either may be without an end."""
    return min((span for span in (one, other) if span is not None), default=None)


class Policy(Struct, frozen=True):
    """The operator's rules. Those of the service itself stand in ``authorization``."""

    tools: Mapping[str, Access] = {}
    """Patterns of tool names, and what those tools do; where several match, the strictest holds."""
    four_eyes: bool = False
    """Whether nobody approves what a token of the same person asked for or last edited."""
    trust_agent: bool = True
    """Whether an agent is believed what a tool does that has no class here."""
    open_programs: frozenset[tuple[str, ...]] = frozenset()
    """Programs, with verbs or without, that the operator vouches for: their arguments may be left open."""
    deny: tuple[ToolRule, ...] = ()
    allow: tuple[ToolRule, ...] = ()
    auto_approve: tuple[AutoRule, ...] = ()
    plans: PlanRules = PlanRules()
    calls: CallRules = CallRules()

    def access_of(self, call: Call) -> Access:
        """What the call can do to the world: the worst of what is known, and all where nothing is."""
        said = [access for access in (call.access, AT_LEAST.get(call.kind)) if access]
        if not named(call.tool, self.tools):
            if not (said and self._believes(call)):
                return Access.EXECUTE
            said.append(sounds_like(call.tool))
        classes = [access for pattern, access in self.tools.items() if alike(call.tool, [pattern])]
        return reduce(stricter, (*classes, *said))

    def _believes(self, call: Call) -> bool:
        """Whether the word of the agent is enough; for a tool that may run something it never is."""
        runs = bool(call.command or call.commands)
        return self.trust_agent and (call.kind is ToolKind.EDIT or not runs)

    def denying(self, call: Call) -> ToolRule | None:
        """The first rule that may mean the call."""
        if not self.deny:
            return None
        reach = Reach(call, self.access_of(call))
        return next((rule for rule in self.deny if rule.denies(reach)), None)

    def allowing(self, call: Call) -> ToolRule | None:
        """The first rule that means the call beyond doubt."""
        if not self.allow:
            return None
        access = self.access_of(call)
        return next((rule for rule in self.allow if rule.allows(call, access)), None)
