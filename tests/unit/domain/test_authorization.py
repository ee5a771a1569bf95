"""Whether a tool may be used: the first rule that applies says so, and what denies comes first."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise

import pytest

from plangate_server.domain.authorization import RULES, Situation, authorize, explain
from plangate_server.domain.command_patterns import parse_pattern
from plangate_server.domain.policy import Policy
from plangate_server.domain.remembering import Memory, Remembered, Scope
from plangate_server.domain.sessions import SessionMode
from plangate_server.domain.tool_rules import ToolRule
from plangate_server.domain.tools import Access, AuthorizationResult, Call, ToolKind, Verdict
from tests.helpers.domain import LATER, NOW

ALLOW, CONFIRM, DENY = AuthorizationResult
MAKE = Call("bash", "make", kind=ToolKind.TERMINAL)
READING = Policy(tools={"read_file": Access.READ})
READ = Call("read_file")

ALLOW_RULE = ToolRule("builds", tools=("bash",), commands=(parse_pattern("make"),))
DENY_RULE = ToolRule("no-builds", commands=(parse_pattern("make", to_deny=True),), reason="builds are slow")


def a_memory(*, allows: bool, expires_after: timedelta | None = None) -> Remembered:
    return Remembered(
        "d" * 32 if allows else "e" * 32,
        ToolKind.TERMINAL,
        "bash",
        "make",
        is_pattern=False,
        allows=allows,
        scope=Scope.WORKSPACE,
        reviewer="ada",
        create_time=NOW,
        expire_time=NOW + expires_after if expires_after else None,
    )


YES, NO = a_memory(allows=True), a_memory(allows=False)


def a_situation(
    call: Call = MAKE,
    mode: SessionMode = SessionMode.AGENT,
    policy: Policy | None = None,
    memory: Sequence[Remembered] = (),
) -> Situation:
    return Situation(call, mode, policy or Policy(), Memory(memory), LATER)


def test_the_rules_are_these() -> None:
    """Their names and priorities are what people see in docs and logs; they do not change by the way."""
    assert [(rule.name, rule.priority, rule.result) for rule in RULES] == [
        ("plan_mode", 100, DENY),
        ("deny", 90, DENY),
        ("remembered_deny", 80, DENY),
        ("full_access", 70, ALLOW),
        ("remembered", 60, ALLOW),
        ("allow", 50, ALLOW),
        ("read_only", 40, ALLOW),
        ("default", 0, CONFIRM),
    ]


def test_the_rules_stand_in_the_order_of_their_priorities() -> None:
    """No two have the same, and the list is asked from the highest to the lowest."""
    assert all(one.priority > other.priority for one, other in pairwise(RULES))


def test_what_denies_stands_above_all_else() -> None:
    """No rule that allows or asks comes before one that denies."""
    results = [rule.result for rule in RULES]
    assert DENY not in results[results.count(DENY) :]


@pytest.mark.parametrize("access", [Access.WRITE, Access.EXECUTE])
def test_plan_mode_denies_what_changes_the_world(access: Access) -> None:
    """The reason names the tool, what it does, and what to do instead."""
    policy = Policy(tools={"bash": access})
    verdict = authorize(a_situation(Call("bash"), SessionMode.PLAN, policy))
    assert (verdict.result, verdict.rule) == (DENY, "plan_mode")
    assert f"bash can {access.value}" in verdict.reason
    assert "propose a plan" in verdict.reason


def test_plan_mode_lets_read() -> None:
    """Whoever plans must look around."""
    assert authorize(a_situation(READ, SessionMode.PLAN, READING)).rule == "read_only"


def test_the_operators_no_is_final() -> None:
    """The rule is named by its entry, and its reason is passed on."""
    verdict = authorize(a_situation(policy=Policy(deny=(DENY_RULE,))))
    assert verdict == Verdict(DENY, "deny:no-builds", "builds are slow")


def test_a_no_without_a_reason_says_whose_it_is() -> None:
    """Nobody is left without any reason at all."""
    silent = ToolRule("no-builds", commands=DENY_RULE.commands)
    assert authorize(a_situation(policy=Policy(deny=(silent,)))).reason == "the operator's policy denies it"


def test_a_remembered_no_is_final() -> None:
    """It is named by its id, and the reason tells who said so, to what."""
    verdict = authorize(a_situation(memory=[NO]))
    assert verdict == Verdict(DENY, f"remembered_deny:{'e' * 32}", "ada said no to calls like this: make")


def test_full_access_allows() -> None:
    """Whatever no rule denies."""
    verdict = authorize(a_situation(Call("anything"), SessionMode.FULL_ACCESS))
    assert (verdict.result, verdict.rule) == (ALLOW, "full_access")
    assert "a person confirmed" in verdict.reason


def test_a_remembered_yes_allows() -> None:
    """It is named by its id, and the reason tells who said so, to what."""
    verdict = authorize(a_situation(memory=[YES]))
    assert verdict == Verdict(ALLOW, f"remembered:{'d' * 32}", "ada said yes to calls like this: make")


@pytest.mark.parametrize("allows", [True, False])
def test_what_is_out_of_date_says_nothing(allows: bool) -> None:
    """A remembered decision counts until its time is over, and not at that moment any more."""
    lasting = a_memory(allows=allows, expires_after=LATER - NOW + timedelta(microseconds=1))
    over = a_memory(allows=allows, expires_after=LATER - NOW)
    assert authorize(a_situation(memory=[lasting])).result is (ALLOW if allows else DENY)
    assert authorize(a_situation(memory=[over])).rule == "default"


def test_the_operators_yes_allows() -> None:
    """The rule is named by its entry."""
    verdict = authorize(a_situation(policy=Policy(allow=(ALLOW_RULE,))))
    assert verdict == Verdict(ALLOW, "allow:builds", "the operator's policy allows it")


def test_reading_is_free() -> None:
    """A tool that only reads needs nobody's yes."""
    assert authorize(a_situation(READ, policy=READING)) == Verdict(ALLOW, "read_only", "read_file only reads")


def test_otherwise_a_person_is_asked() -> None:
    """Where no rule applies, the answer is CONFIRM, and says which call to make."""
    verdict = authorize(a_situation())
    assert (verdict.result, verdict.rule) == (CONFIRM, "default")
    assert "RequestApproval" in verdict.reason


@pytest.mark.parametrize(
    ("mode", "deny", "memory", "allow", "rule"),
    [
        (SessionMode.PLAN, True, [NO, YES], True, "plan_mode"),
        (SessionMode.FULL_ACCESS, True, [NO, YES], True, "deny:no-builds"),
        (SessionMode.FULL_ACCESS, False, [NO, YES], True, f"remembered_deny:{'e' * 32}"),
        (SessionMode.FULL_ACCESS, False, [YES], True, "full_access"),
        (SessionMode.AGENT, False, [YES], True, f"remembered:{'d' * 32}"),
        (SessionMode.AGENT, False, [], True, "allow:builds"),
        (SessionMode.AGENT, False, [], False, "default"),
    ],
)
def test_the_highest_rule_that_applies_decides(
    mode: SessionMode, deny: bool, memory: list[Remembered], allow: bool, rule: str
) -> None:
    """Taken away from the top, one after the other, the next one speaks."""
    policy = Policy(deny=(DENY_RULE,) if deny else (), allow=(ALLOW_RULE,) if allow else ())
    assert authorize(a_situation(MAKE, mode, policy, memory)).rule == rule


def test_an_explanation_tells_of_every_rule() -> None:
    """What each would say if it were asked, in their order; the first that says anything is the verdict."""
    situation = a_situation(MAKE, SessionMode.FULL_ACCESS, Policy(allow=(ALLOW_RULE,)), [YES])
    explained = explain(situation)
    assert [rule for rule, _ in explained] == list(RULES)
    said = [verdict.rule for _, verdict in explained if verdict]
    assert said == ["full_access", f"remembered:{'d' * 32}", "allow:builds", "default"]
    assert next(verdict for _, verdict in explained if verdict) == authorize(situation)
