"""What a policy knows of tools, of plans, and in which order its rules are asked."""

from datetime import timedelta

import pytest

from plangate_server.domain.plan import Plan
from plangate_server.domain.policy import AutoRule, CallRules, PlanRules, Policy, shorter
from plangate_server.domain.review import ReviewOptions
from plangate_server.domain.todos import TodoHint
from plangate_server.domain.tool_rules import ToolRule
from plangate_server.domain.tools import Access, Call, ToolKind
from tests.helpers.domain import a_draft, a_plan, a_todo

READ, WRITE, EXECUTE = Access
CLASSES = Policy(
    tools={"read_*": READ, "read_secret": WRITE, "write_file": WRITE, "bash": EXECUTE, "*_run": EXECUTE}
)
STRICT = Policy(tools=CLASSES.tools, trust_agent=False)


@pytest.mark.parametrize(
    ("call", "access"),
    [
        (Call("read_file"), READ),
        (Call("write_file"), WRITE),
        (Call("bash"), EXECUTE),
        # several classes: the strictest
        (Call("read_secret"), WRITE),
        (Call("read_run"), EXECUTE),
        # what the agent says can only make it stricter
        (Call("read_file", access=EXECUTE), EXECUTE),
        (Call("bash", access=READ), EXECUTE),
        # no class
        (Call("other", access=READ), READ),
        (Call("other", access=WRITE), WRITE),
        (Call("other"), EXECUTE),
        # a command that no class answers for
        (Call("other", "ls", access=READ), EXECUTE),
        (Call("other", "{}", kind=ToolKind.MCP, access=READ), EXECUTE),
        (Call("read_file", "ls"), READ),
        # kinds
        (Call("read_file", "ls", kind=ToolKind.TERMINAL), EXECUTE),
        (Call("other", kind=ToolKind.TERMINAL, access=READ), EXECUTE),
        (Call("read_file", "patch", kind=ToolKind.EDIT), WRITE),
        (Call("bash", "patch", kind=ToolKind.EDIT, access=READ), EXECUTE),
        (Call("other", "patch", kind=ToolKind.EDIT, access=READ), WRITE),
        (Call("other", "patch", kind=ToolKind.EDIT), WRITE),
        (Call("other", "patch", kind=ToolKind.EDIT, access=EXECUTE), EXECUTE),
        (Call("other", kind=ToolKind.MCP), EXECUTE),
        # another spelling makes nothing milder, and may make it stricter
        (Call("READ_FILE"), EXECUTE),
        (Call("READ_FILE", access=READ), READ),
        (Call("BASH", access=READ), EXECUTE),
    ],
)
def test_what_a_call_can_do(call: Call, access: Access) -> None:
    """The worst of what the operator, the agent and the kind say; all where nobody says anything."""
    assert CLASSES.access_of(call) is access


@pytest.mark.parametrize(
    ("call", "access"),
    [
        (Call("read_file"), READ),
        (Call("read_file", access=WRITE), WRITE),
        (Call("other", access=READ), EXECUTE),
        (Call("other", "patch", kind=ToolKind.EDIT, access=READ), EXECUTE),
        (Call("READ_FILE", access=READ), EXECUTE),
    ],
)
def test_an_agent_that_is_not_believed(call: Call, access: Access) -> None:
    """A tool without a class then executes, whatever the agent says."""
    assert STRICT.access_of(call) is access


def test_without_a_policy_every_tool_executes_unless_the_agent_says_otherwise() -> None:
    """The default knows no tools."""
    assert Policy().access_of(Call("read_file")) is EXECUTE
    assert Policy().access_of(Call("read_file", access=READ)) is READ


def test_the_first_rule_that_matches_is_named() -> None:
    """Of several, the one that stands first; of none, none."""
    one, two = ToolRule("one", tools=("a*",)), ToolRule("two", tools=("ab*",))
    policy = Policy(deny=(two, one), allow=(one, two))
    assert (policy.denying(Call("abc")), policy.allowing(Call("abc"))) == (two, one)
    assert (policy.denying(Call("b")), policy.allowing(Call("b"))) == (None, None)


def with_hints(*hints: TodoHint | None) -> Plan:
    """A plan with a todo for each hint, which may be missing."""
    ids = [f"t{place}" for place in range(len(hints))]
    given = {todo_id: hint for todo_id, hint in zip(ids, hints, strict=True) if hint is not None}
    return a_plan(draft=a_draft(todos=[a_todo(todo_id) for todo_id in ids], hints=given))


def reading(*labels: str) -> TodoHint:
    return TodoHint(access=READ, labels=labels)


@pytest.mark.parametrize(
    ("rule", "plan", "fits"),
    [
        (AutoRule("r", access=READ), with_hints(reading(), reading()), True),
        (AutoRule("r", access=WRITE), with_hints(reading(), TodoHint(access=WRITE)), True),
        (AutoRule("r", access=READ), with_hints(reading(), TodoHint(access=WRITE)), False),
        (AutoRule("r", access=WRITE), with_hints(TodoHint(access=EXECUTE)), False),
        (AutoRule("r", access=EXECUTE), with_hints(TodoHint(access=EXECUTE), None), True),
        # a todo of which nothing is said executes
        (AutoRule("r", access=WRITE), with_hints(reading(), None), False),
        (AutoRule("r", access=WRITE), with_hints(reading(), TodoHint("ada")), False),
        # labels: each todo has one of them
        (AutoRule("r", labels=("docs", "tests")), with_hints(reading("docs"), reading("x", "tests")), True),
        (AutoRule("r", labels=("docs",)), with_hints(reading("docs"), reading("Docs")), False),
        (AutoRule("r", labels=("docs",)), with_hints(reading("docs"), reading()), False),
        (AutoRule("r", labels=("docs",)), with_hints(reading("docs"), None), False),
        # all conditions together
        (AutoRule("r", 2, WRITE, ("docs",)), with_hints(reading("docs"), reading("docs")), True),
        (AutoRule("r", 1, WRITE, ("docs",)), with_hints(reading("docs"), reading("docs")), False),
        (AutoRule("r", 2, WRITE, ("docs",)), with_hints(TodoHint(labels=("docs",))), False),
        # a plan without todos says nothing about what it does
        (AutoRule("r", 2, WRITE), with_hints(), False),
        (AutoRule("r", labels=("docs",)), with_hints(), False),
        (AutoRule("r", 0), with_hints(), True),
        # a rule without conditions is none
        (AutoRule("r"), with_hints(), False),
        (AutoRule("r"), with_hints(reading("docs")), False),
    ],
)
def test_which_plans_a_rule_approves(rule: AutoRule, plan: Plan, *, fits: bool) -> None:
    """Those whose every todo is within what the rule says."""
    assert rule.fits(plan) is fits


HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.mark.parametrize(
    ("rules", "asked", "applied"),
    [
        (PlanRules(), ReviewOptions(DAY, 3), ReviewOptions(DAY, 3)),
        (PlanRules(2, HOUR), ReviewOptions(), ReviewOptions(HOUR, 2)),
        (PlanRules(2, HOUR), ReviewOptions(DAY, 1), ReviewOptions(HOUR, 2)),
        (PlanRules(2, DAY), ReviewOptions(HOUR, 3), ReviewOptions(HOUR, 3)),
        (PlanRules(1), ReviewOptions(None, 0), ReviewOptions(None, 1)),
    ],
)
def test_an_agent_gets_no_more_than_the_operator_lets_it(
    rules: PlanRules, asked: ReviewOptions, applied: ReviewOptions
) -> None:
    """It may ask for more approvals and less time, never for fewer or more."""
    assert rules.applied_to(asked) == applied


def test_the_shorter_span() -> None:
    """Of two that may have no end."""
    assert shorter(None, None) is None
    assert shorter(HOUR, None) == shorter(None, HOUR) == shorter(DAY, HOUR) == HOUR
    assert CallRules().expires_after is None
