"""From a file's tree to a policy. Whatever is not understood is a problem: a rule that is lost, or one that
allows more than it says, would be worse than no policy at all.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from plangate_server.domain.limits import LONGEST_WAIT
from plangate_server.domain.policy import AutoRule, CallRules, PlanRules, Policy
from plangate_server.domain.review import MAX_APPROVALS
from plangate_server.domain.tools import Access
from plangate_server.plainyaml.notes import Notes, shown
from plangate_server.plainyaml.section import Section
from plangate_server.plainyaml.tree import Node, Table
from plangate_server.plainyaml.values import duration, flag, name, number
from plangate_server.policyfile.rules import (
    AUTO_RULE,
    TOOL_RULE,
    Names,
    allow_rule,
    auto_rule,
    deny_rule,
    opened_program,
)

POLICY: Final = (
    "four_eyes",
    "tools",
    "trust_agent_access",
    "open_programs",
    "deny",
    "allow",
    "plans",
    "calls",
)
PLANS: Final = (
    "required_approvals",
    "expires_after",
    "require_reviewer",
    "single_plan",
    "keep_plan_mode",
    "auto_approve",
)
CALLS: Final = ("expires_after",)


def read_policy(tree: Node | None, notes: Notes, *, folder: Path) -> Policy:
    """The policy in a file of the folder. It counts only if nothing was noted."""
    if not isinstance(tree, Table) or not tree.entries:
        notes.add(1, "", f"the file holds no policy: write a table of {', '.join(POLICY)}")
        return Policy()
    root = Section(tree, "", notes, POLICY)
    names = Names()
    trust = root.value("trust_agent_access", flag)
    opened = frozenset(root.values("open_programs", opened_program))
    plans = root.section("plans", PLANS)
    return Policy(
        four_eyes=root.value("four_eyes", flag) or False,
        tools=_classes(root),
        trust_agent=trust is not False,
        open_programs=opened,
        deny=tuple(deny_rule(rule, names, folder) for rule in root.sections("deny", TOOL_RULE)),
        allow=tuple(allow_rule(rule, names, opened) for rule in root.sections("allow", TOOL_RULE)),
        auto_approve=_auto_rules(plans, names) if plans else (),
        plans=_plan_rules(plans) if plans else PlanRules(),
        calls=_call_rules(root),
    )


def _classes(root: Section) -> dict[str, Access]:
    section = root.section("tools", tuple(Access))
    classes: dict[str, Access] = {}
    for access in Access if section else ():
        assert section is not None
        for tool in section.values(access, name):
            if classes.setdefault(tool, access) is not access:
                wrong = f"has {shown(tool)}, which {classes[tool]} has as well: keep one"
                section.note(wrong, access)
    return classes


def _plan_rules(section: Section) -> PlanRules:
    return PlanRules(
        section.value("required_approvals", number(1, MAX_APPROVALS)),
        section.value("expires_after", duration(LONGEST_WAIT)),
        section.value("require_reviewer", flag) or False,
        section.value("single_plan", flag) or False,
        section.value("keep_plan_mode", flag) or False,
    )


def _auto_rules(section: Section, names: Names) -> tuple[AutoRule, ...]:
    return tuple(auto_rule(rule, names) for rule in section.sections("auto_approve", AUTO_RULE))


def _call_rules(root: Section) -> CallRules:
    section = root.section("calls", CALLS)
    return CallRules(section.value("expires_after", duration(LONGEST_WAIT)) if section else None)
