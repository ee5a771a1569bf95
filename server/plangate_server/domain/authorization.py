"""Whether a tool may be used: one list of rules, asked from the top; the first that applies decides.

What denies stands above what allows, so that a deny is final whatever else is true.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

from msgspec import Struct

from plangate_server.domain.persons import same_person
from plangate_server.domain.policy import Policy
from plangate_server.domain.remembering import Memory, Remembered
from plangate_server.domain.sessions import SessionMode
from plangate_server.domain.tools import Access, AuthorizationResult, Call, Verdict


class Situation(Struct, frozen=True):
    """A call, and everything that decides about it."""

    call: Call
    mode: SessionMode
    policy: Policy
    memory: Memory
    now: datetime
    full_access_by: str = ""
    """The person who confirmed full access."""

    @property
    def own_person(self) -> str:
        """Whose yes does not count, because it would be to a call of their own; empty if everybody's does."""
        return self.call.person if self.policy.four_eyes else ""


class Applied(Struct, frozen=True):
    """Why a rule applies, and the name of the entry that made it, if it has entries."""

    reason: str
    entry: str = ""


class Rule(Struct, frozen=True):
    name: str
    priority: int
    result: AuthorizationResult
    when: str
    """For the docs: when it applies."""
    applies: Callable[[Situation], Applied | None]

    def verdict(self, situation: Situation) -> Verdict | None:
        applied = self.applies(situation)
        if applied is None:
            return None
        name = f"{self.name}:{applied.entry}" if applied.entry else self.name
        return Verdict(self.result, name, applied.reason)


def authorize(situation: Situation) -> Verdict:
    """What the first rule that applies says; the last one always does."""
    for rule in RULES:
        verdict = rule.verdict(situation)
        if verdict is not None:
            return verdict
    raise AssertionError("the last rule always applies")


def explain(situation: Situation) -> list[tuple[Rule, Verdict | None]]:
    """Every rule in its order, with what it would say if it were asked."""
    return [(rule, rule.verdict(situation)) for rule in RULES]


def _plan_mode(situation: Situation) -> Applied | None:
    if situation.mode is not SessionMode.PLAN:
        return None
    access = situation.policy.access_of(situation.call)
    if access is Access.READ:
        return None
    return Applied(
        f"the session is in plan mode, which is read only, and {situation.call.tool} can {access}: "
        "propose a plan, and wait until it is approved and plan mode is off"
    )


def _denied(situation: Situation) -> Applied | None:
    rule = situation.policy.denying(situation.call)
    if rule is None:
        return None
    return Applied(rule.reason or "the operator's policy denies it", rule.name)


def _remembered_deny(situation: Situation) -> Applied | None:
    return _by_memory(situation.memory.denying(situation.call, situation.now), "said no to calls like this")


def _full_access(situation: Situation) -> Applied | None:
    if situation.mode is not SessionMode.FULL_ACCESS:
        return None
    own, by = situation.own_person, situation.full_access_by
    if own and (not by or same_person(own, by)):
        return None
    return Applied("the session has full access, which a person confirmed")


def _remembered_allow(situation: Situation) -> Applied | None:
    found = situation.memory.allowing(
        situation.call,
        situation.now,
        not_by=situation.own_person,
        opened=situation.policy.open_programs,
    )
    return _by_memory(found, "said yes to calls like this")


def _by_memory(remembered: Remembered | None, said: str) -> Applied | None:
    if remembered is None:
        return None
    return Applied(f"{remembered.reviewer} {said}: {remembered.signature}", remembered.remembered_id)


def _allowed(situation: Situation) -> Applied | None:
    rule = situation.policy.allowing(situation.call)
    if rule is None:
        return None
    return Applied(rule.reason or "the operator's policy allows it", rule.name)


def _read_only(situation: Situation) -> Applied | None:
    if situation.policy.access_of(situation.call) is not Access.READ:
        return None
    return Applied(f"{situation.call.tool} only reads")


def _default(situation: Situation) -> Applied:
    return Applied("no rule answers it: ask a person (RequestApproval)")


ALLOW, CONFIRM, DENY = AuthorizationResult

RULES: Final = (
    Rule("plan_mode", 100, DENY, "the session is in PLAN mode, and the tool writes or executes", _plan_mode),
    Rule("deny", 90, DENY, "a deny rule of the policy file matches", _denied),
    Rule("remembered_deny", 80, DENY, "a person's remembered no covers the call", _remembered_deny),
    Rule("full_access", 70, ALLOW, "the session is in FULL_ACCESS mode, confirmed by a person", _full_access),
    Rule("remembered", 60, ALLOW, "a person's remembered yes covers the call", _remembered_allow),
    Rule("allow", 50, ALLOW, "an allow rule of the policy file matches", _allowed),
    Rule("read_only", 40, ALLOW, "the tool only reads", _read_only),
    Rule("default", 0, CONFIRM, "nothing above applies", _default),
)
