"""Whatever policy, memory, mode and call come together: nothing makes a no softer."""

from datetime import timedelta
from typing import TypeAlias

from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from plangate_server.domain.authorization import Situation, authorize, explain
from plangate_server.domain.command_patterns import parse_pattern
from plangate_server.domain.policy import Policy
from plangate_server.domain.remembering import Memory, Remembered, Scope
from plangate_server.domain.sessions import SessionMode
from plangate_server.domain.signatures import signature
from plangate_server.domain.tool_rules import ToolRule
from plangate_server.domain.tools import Access, AuthorizationResult, Call, ToolKind
from tests.helpers.domain import NOW
from tests.helpers.profiles import examples

ALLOW, CONFIRM, DENY = AuthorizationResult
often = examples(200)

TOOLS = ["bash", "read_file", "mcp__files__read", "write_file", "Bash"]
COMMANDS = ["", "make", "make test", "git push --force", "ls; rm -rf .", "git  push", '{"path": "a.txt"}']
PATTERNS = ["make", "make **", "git push **", "ls *"]

tool_names = st.sampled_from(TOOLS) | st.text(max_size=6)
name_patterns = st.sampled_from([*TOOLS, "*", "mcp__*", "read_*", "b?sh"])
command_patterns = st.sampled_from(PATTERNS).map(parse_pattern)
accesses = st.sampled_from(Access)
moments = st.integers(-2, 2).map(lambda hours: NOW + timedelta(hours=hours))

calls = st.builds(
    Call,
    tool=tool_names,
    command=st.sampled_from(COMMANDS),
    arguments=st.sampled_from(["", "{}", '{"path": "a.txt"}']),
    kind=st.none() | st.sampled_from(ToolKind),
    access=st.none() | accesses,
    texts=st.lists(st.sampled_from(COMMANDS), max_size=2).map(tuple),
    paths=st.lists(st.sampled_from(["a.txt", "docs/b.md", "/etc/passwd", "../x"]), max_size=2).map(tuple),
    agent_id=st.sampled_from(["", "coder", "rogue-1"]),
    role=st.sampled_from(["", "agent", "reviewer"]),
)

tool_rules = st.builds(
    ToolRule,
    name=st.sampled_from(["one", "two"]),
    tools=st.lists(name_patterns, max_size=2).map(tuple),
    commands=st.lists(command_patterns, max_size=2).map(tuple),
    paths=st.sampled_from([None, lambda path: path.endswith(".txt"), lambda _: True]),
    roles=st.lists(st.sampled_from(["agent", "reviewer"]), max_size=1).map(tuple),
    agents=st.lists(st.sampled_from(["coder", "rogue-*"]), max_size=1).map(tuple),
)
some_rules = st.lists(tool_rules, max_size=3).map(tuple)

policies = st.builds(
    Policy,
    tools=st.dictionaries(name_patterns, accesses, max_size=4),
    trust_agent=st.booleans(),
    deny=some_rules,
    allow=some_rules,
)


@st.composite
def memories(draw: st.DrawFn, *, allows: bool | None = None) -> Remembered:
    """Any answer that may be remembered, of the very call or of calls like it."""
    kind = draw(st.sampled_from(ToolKind))
    if is_pattern := draw(st.booleans()):
        signed = draw(st.sampled_from(PATTERNS)) if kind is ToolKind.TERMINAL else "*"
    else:
        signed = signature(kind, draw(st.sampled_from(COMMANDS))) or "make"
    return Remembered(
        f"{draw(st.integers(0, 99)):032x}",
        kind,
        draw(st.sampled_from(TOOLS)),
        signed,
        is_pattern=is_pattern,
        allows=draw(st.booleans()) if allows is None else allows,
        scope=Scope.WORKSPACE,
        reviewer="ada",
        create_time=NOW,
        expire_time=draw(st.none() | moments),
    )


many = st.lists(memories(), max_size=4)
cases = st.tuples(calls, st.sampled_from(SessionMode), policies, many)
Case: TypeAlias = tuple[Call, SessionMode, Policy, list[Remembered]]


def a_situation(call: Call, mode: SessionMode, policy: Policy, memory: list[Remembered]) -> Situation:
    return Situation(call, mode, policy, Memory(memory), NOW)


@often
@given(calls, policies, many)
def test_plan_mode_is_read_only(call: Call, policy: Policy, memory: list[Remembered]) -> None:
    """A tool that writes or executes is denied, whatever else allows it and whatever is said about it."""
    verdict = authorize(a_situation(call, SessionMode.PLAN, policy, memory))
    if policy.access_of(call) is not Access.READ:
        assert (verdict.result, verdict.rule) == (DENY, "plan_mode")
    assert verdict.rule != "full_access"


@often
@given(calls, policies, many, st.sampled_from([ToolKind.EDIT, ToolKind.TERMINAL]))
def test_plan_mode_denies_patches_and_commands(
    call: Call, policy: Policy, memory: list[Remembered], kind: ToolKind
) -> None:
    """Also of a tool that the policy and the agent take for one that reads."""
    situation = a_situation(replace(call, kind=kind), SessionMode.PLAN, policy, memory)
    assert authorize(situation).result is DENY


@often
@given(calls, policies, many, accesses, st.sampled_from([Access.WRITE, Access.EXECUTE]))
def test_plan_mode_believes_the_operator(
    call: Call, policy: Policy, memory: list[Remembered], claimed: Access, known: Access
) -> None:
    """What the policy knows to write or execute is denied, whatever the agent claims."""
    tools = {**policy.tools, "tool": known}
    situation = a_situation(
        replace(call, tool="tool", access=claimed), SessionMode.PLAN, replace(policy, tools=tools), memory
    )
    assert authorize(situation).result is DENY


@often
@given(calls, policies, many, st.booleans())
def test_plan_mode_denies_what_nobody_knows(
    call: Call, policy: Policy, memory: list[Remembered], silent: bool
) -> None:
    """A tool without a class executes, unless the agent says what it does and is believed."""
    unknown = replace(call, tool="\N{SNOWMAN}", access=None if silent else call.access, kind=None)
    distrusted = replace(policy, tools={"only": Access.READ}, trust_agent=policy.trust_agent and silent)
    assert authorize(a_situation(unknown, SessionMode.PLAN, distrusted, memory)).result is DENY


@often
@given(cases, some_rules, st.lists(memories(allows=True), max_size=4))
def test_more_yes_never_softens_a_no(case: Case, allow: tuple[ToolRule, ...], yes: list[Remembered]) -> None:
    """Allow rules and remembered allows, before or after the others, leave every DENY and its rule."""
    verdict = authorize(a_situation(*case))
    assume(verdict.result is DENY)
    call, mode, policy, memory = case
    before = replace(policy, allow=(*allow, *policy.allow))
    after = replace(policy, allow=(*policy.allow, *allow))
    assert authorize(a_situation(call, mode, before, [*yes, *memory])) == verdict
    assert authorize(a_situation(call, mode, after, [*memory, *yes])) == verdict


@often
@given(calls, policies, many)
def test_full_access_never_softens_a_no(call: Call, policy: Policy, memory: list[Remembered]) -> None:
    """What is denied in the usual mode is denied with full access by the same rule; all else is allowed."""
    usual = authorize(a_situation(call, SessionMode.AGENT, policy, memory))
    powerful = authorize(a_situation(call, SessionMode.FULL_ACCESS, policy, memory))
    assert powerful == usual if usual.result is DENY else powerful.result is ALLOW


@often
@given(cases, st.lists(memories(allows=True), min_size=1, max_size=3))
def test_a_remembered_yes_never_beats_a_no(case: Case, yes: list[Remembered]) -> None:
    """Where any rule would say DENY, the verdict is DENY."""
    call, mode, policy, memory = case
    situation = a_situation(call, mode, policy, [*yes, *memory])
    said = [verdict.result for _, verdict in explain(situation) if verdict]
    assert authorize(situation).result is said[0]
    assert DENY not in said or said[0] is DENY


@often
@given(cases, st.lists(memories(allows=False), max_size=3), some_rules)
def test_more_no_never_loosens(case: Case, no: list[Remembered], deny: tuple[ToolRule, ...]) -> None:
    """Deny rules and remembered denies turn a verdict into DENY or leave its result as it is."""
    before = authorize(a_situation(*case)).result
    call, mode, policy, memory = case
    stricter = replace(policy, deny=(*policy.deny, *deny))
    assert authorize(a_situation(call, mode, stricter, [*memory, *no])).result in {before, DENY}


@often
@given(cases)
def test_there_is_always_a_verdict_with_a_name_and_a_reason(case: Case) -> None:
    """No call falls through, and none is answered without saying why."""
    verdict = authorize(a_situation(*case))
    assert verdict.rule
    assert verdict.reason
