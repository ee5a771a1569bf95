"""A policy file is taken as it says."""

from datetime import timedelta

import pytest

from plangate_server.domain.command_patterns import parse_pattern
from plangate_server.domain.policy import AutoRule, CallRules, PlanRules, Policy
from plangate_server.domain.tools import Access
from tests.helpers.policies import FULL, policy_of, problems_of

MINIMAL = "trust_agent_access: true\n"


def test_every_key_is_read() -> None:
    """What the file says is what the policy has."""
    policy = policy_of(FULL)
    assert policy.tools == {
        "read_file": Access.READ,
        "grep": Access.READ,
        "list_*": Access.READ,
        "write_file": Access.WRITE,
        "bash": Access.EXECUTE,
        "mcp__deploy__*": Access.EXECUTE,
    }
    assert policy.trust_agent is False
    assert policy.plans == PlanRules(
        2, timedelta(hours=2), require_reviewer=True, single_plan=True, keep_plan_mode=True
    )
    assert policy.auto_approve == (AutoRule("small-docs", 3, Access.WRITE, ("docs",)),)
    assert policy.calls == CallRules(timedelta(minutes=15))


def test_every_condition_of_a_rule_is_read() -> None:
    """Rules keep their order, their names, their conditions and their reason."""
    policy = policy_of(FULL)
    secrets, push, observers = policy.deny
    tests, docs = policy.allow
    assert (secrets.name, secrets.path_patterns, secrets.reason) == (
        "no-secrets",
        (".env", "secrets/**"),
        "secrets stay where they are",
    )
    force = parse_pattern("git push --force **", to_deny=True)
    assert (push.name, push.commands) == ("no-force-push", (force,))
    assert (observers.tools, observers.roles, observers.agents) == (("*",), ("observer",), ("rogue-*",))
    assert (tests.tools, tests.commands) == (
        ("bash",),
        (parse_pattern("pytest **"), parse_pattern("npm test")),
    )
    assert (docs.path_patterns, docs.roles, docs.agents) == (("docs/**",), ("agent",), ("writer",))


def test_what_is_left_out_is_the_default() -> None:
    """A file with one entry differs from no file in that entry only."""
    assert policy_of(MINIMAL) == Policy()
    assert policy_of("calls: {expires_after: 7d}") == Policy(calls=CallRules(timedelta(days=7)))


def test_a_reason_may_have_several_lines() -> None:
    """It is told on one."""
    policy = policy_of("deny:\n  - name: x\n    tools: [a]\n    reason: >\n      one\n      two\n")
    assert policy.deny[0].reason == "one two"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1s", 1), ("90s", 90), ("15m", 900), ("2h", 7200), ("7d", 604800), ("3650d", 315360000)],
)
def test_durations(text: str, seconds: int) -> None:
    """A number and a unit, up to ten years."""
    assert policy_of(f"calls: {{expires_after: {text}}}").calls.expires_after == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "text",
    ["0s", "-1s", "2", "2 h", "2hours", "1h30m", "3651d", "999999999d", "1e3s", "\u0661s", "P1D", "never"],
)
def test_what_is_no_duration(text: str) -> None:
    """The refusal shows how to write one."""
    (problem,) = problems_of(f"calls:\n  expires_after: {text}\n")
    assert problem.startswith(f"2: calls.expires_after is {text!r}: write a number and a unit, like 90s")


def test_sudo_may_be_denied_with_a_wildcard() -> None:
    """Where a wildcard after a program that runs others could only deny more, it is taken."""
    policy_of("deny: [{name: x, commands: ['sudo **', 'bash **']}]")
