"""A policy file that is not sound is refused with everything that is wrong with it, and never guessed at."""

import pytest

from tests.helpers.policies import FULL, problems_of


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        # nothing in it
        ("", "1: the file holds no policy"),
        ("# soon\n", "1: the file holds no policy"),
        ("{}", "1: the file holds no policy"),
        ("[]", "1: the file holds no policy"),
        ("rules", "1: the file holds no policy"),
        # names that nobody knows
        ("trust_agent_acces: false", "1: the file has 'trust_agent_acces': did you mean trust_agent_access?"),
        ("Deny: []", "1: the file has 'Deny': did you mean deny?"),
        (
            "zzz: x",
            "1: the file has 'zzz': known are four_eyes, tools, trust_agent_access, open_programs",
        ),
        ("tools: {reads: [a]}", "1: tools has 'reads': did you mean read?"),
        ("deny:\n- name: x\n  path: [a]", "3: deny[0] has 'path': did you mean paths?"),
        ("deny:\n- name: x\n  comands: [a]", "3: deny[0] has 'comands': did you mean commands?"),
        ("plans: {auto_aprove: []}", "1: plans has 'auto_aprove': did you mean auto_approve?"),
        ("calls: {expire_after: 1h}", "1: calls has 'expire_after': did you mean expires_after?"),
        ("plans:\n  auto_approve:\n  - name: x\n    label: [a]", "4: plans.auto_approve[0] has 'label'"),
        # empty
        ("tools:", "1: tools is empty: write a table"),
        ("tools: {}", "1: tools is empty: fill it in"),
        ("tools: {read: []}", "1: tools.read is an empty list"),
        ("tools: {read: }", "1: tools.read is empty: write a list"),
        ("tools: {read: ['']}", "1: tools.read[0] is empty"),
        ("deny: []", "1: deny is an empty list"),
        ("deny:", "1: deny is empty: write a list"),
        ("deny: [{}]", "1: deny[0] denies everything"),
        ("deny: [{name: x, paths: ['  ']}]", "1: deny[0].paths[0] is empty"),
        ("plans: {auto_approve: []}", "1: plans.auto_approve is an empty list"),
        ("plans:\n  required_approvals:", "2: plans.required_approvals is empty"),
        ("trust_agent_access:", "1: trust_agent_access is empty"),
        # other kinds
        ("deny: {name: x, tools: [a]}", "1: deny is a table: write a list"),
        ("allow: {tools: [a]}", "1: allow is a table: write a list"),
        ("deny: [x]", "1: deny[0] is the text 'x': write a table"),
        ("deny: [[x]]", "1: deny[0] is a list: write a table"),
        ("tools: [bash]", "1: tools is a list: write a table of read, write, execute"),
        ("tools: {execute: bash}", "1: tools.execute is the text 'bash': write a list, like [one, two]"),
        ("tools: {execute: [[bash]]}", "1: tools.execute[0] is a list: write a text"),
        ("tools: {execute: [{a: b}]}", "1: tools.execute[0] is a table: write a text"),
        ("deny: [{name: [x], tools: [a]}]", "1: deny[0].name is a list: write a text"),
        ("plans: 3", "1: plans is the text '3': write a table"),
        ("trust_agent_access: [true]", "1: trust_agent_access is a list: write a text"),
        # words that are none of those
        ("trust_agent_access: no", "1: trust_agent_access is 'no': write true or false"),
        ("trust_agent_access: False", "1: trust_agent_access is 'False': write true or false"),
        ("plans: {require_reviewer: yes}", "1: plans.require_reviewer is 'yes': write true or false"),
        ("plans: {required_approvals: 0}", "1: plans.required_approvals is '0': write a whole number from 1"),
        ("plans: {required_approvals: -1}", "1: plans.required_approvals is '-1': write a whole number"),
        ("plans: {required_approvals: 1.5}", "1: plans.required_approvals is '1.5': write a whole number"),
        ("plans: {required_approvals: 101}", "1: plans.required_approvals is '101': write a whole number"),
        ("plans: {required_approvals: two}", "1: plans.required_approvals is 'two': write a whole number"),
        ("deny: [{name: x, roles: [agnt]}]", "1: deny[0].roles[0] is 'agnt': did you mean agent?"),
        ("deny: [{name: x, roles: [root]}]", "1: deny[0].roles[0] is 'root': known are agent, reviewer"),
        ("tools: {read: ['a, b']}", "1: tools.read[0] is 'a, b': write each name as an entry of its own"),
        ('tools: {read: [" a"]}', "1: tools.read[0] is ' a': remove the blanks at its ends"),
        (
            'tools: {read: ["a\u200bb"]}',
            "1: tools.read[0] is 'a\\u200bb': remove line breaks and",
        ),
        ('deny: [{name: "a\\nb", tools: [a]}]', "1: deny[0].name is 'a\\nb': remove line breaks"),
        (f"tools: {{read: [{'a' * 1001}]}}", "1: tools.read[0] has 1001 characters: at most 1000"),
        ("open_programs: mytool", "1: open_programs is the text 'mytool': write a list"),
        ("open_programs: [mytool, bash]", "1: open_programs[1] is 'bash', which is bash, which runs what"),
        ("open_programs: ['kubectl exec']", "1: open_programs[0] is 'kubectl exec', which is kubectl"),
        ("open_programs: ['mytool *']", "1: open_programs[0] is 'mytool *', which names no program"),
    ],
)
def test_what_is_not_understood_is_refused(text: str, problem: str) -> None:
    """With the line, the place and what to do."""
    said = problems_of(text)
    assert any(each.startswith(problem) for each in said), said


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("{name: x}", "deny[0] denies everything: give it a condition"),
        ("{name: x, reason: y}", "deny[0] denies everything: give it a condition"),
        ("{tools: [a]}", "deny[0] has no name: give it one"),
        ("{name: , tools: [a]}", "deny[0].name is empty"),
        ("{name: x, commands: ['a; b']}", "deny[0].commands[0] is 'a; b', which cannot be read"),
        ("{name: x, commands: ['* x']}", "deny[0].commands[0] is '* x', which begins with a wildcard"),
        ("{name: x, paths: ['!a']}", "deny[0].paths[0] is '!a', which begins with !"),
        ("{name: x, paths: ['#a']}", "deny[0].paths[0] is '#a', which begins with #"),
    ],
)
def test_a_deny_rule_that_is_none(rule: str, problem: str) -> None:
    """A rule that would deny everything, or nothing, is not taken."""
    (said,) = problems_of(f"deny: [{rule}]")
    assert said.startswith(f"1: {problem}")


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("{name: x}", "allow[0] has no tools: say which tools it allows"),
        ("{name: x, commands: [ls]}", "allow[0] has no tools"),
        ("{name: x, paths: [docs]}", "allow[0] has no tools"),
        ("{name: x, roles: [agent], agents: [a]}", "allow[0] has no tools"),
        ("{name: x, tools: []}", "allow[0].tools is an empty list"),
        ("{name: x, tools: [bash], commands: []}", "allow[0].commands is an empty list"),
        ("{name: x, tools: [bash], paths: []}", "allow[0].paths is an empty list"),
        ("{name: x, tools: [bash], roles: []}", "allow[0].roles is an empty list"),
        ("{name: x, tools: [bash], commands: ls}", "allow[0].commands is the text 'ls': write a list"),
        (
            "{name: x, tools: [bash], commands: ['sh **']}",
            "allow[0].commands[0] is 'sh **', which has a",
        ),
        (
            "{name: x, tools: [bash], commands: ['mytool **']}",
            "allow[0].commands[0] is 'mytool **', which has a wildcard after mytool, and nobody has said",
        ),
        ("{name: x, tools: [bash], commands: ['**']}", "allow[0].commands[0] is '**', which begins with a"),
        (
            "{name: x, tools: [bash], commands: ['ls | sh']}",
            "allow[0].commands[0] is 'ls | sh', which",
        ),
        ("{tools: [bash]}", "allow[0] has no name"),
    ],
)
def test_an_allow_rule_that_is_too_wide(rule: str, problem: str) -> None:
    """A rule allows what it names and nothing by leaving something out."""
    (said,) = problems_of(f"allow: [{rule}]")
    assert said.startswith(f"1: {problem}")


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("{name: x}", "plans.auto_approve[0] approves every plan: give it a condition"),
        ("{max_todos: 3}", "plans.auto_approve[0] has no name"),
        ("{name: x, max_todos: -1}", "plans.auto_approve[0].max_todos is '-1': write a whole number"),
        ("{name: x, max_todos: 5001}", "plans.auto_approve[0].max_todos is '5001': write a whole number"),
        ("{name: x, access: any}", "plans.auto_approve[0].access is 'any': known are read, write, execute"),
        ("{name: x, access: }", "plans.auto_approve[0].access is empty"),
        ("{name: x, labels: []}", "plans.auto_approve[0].labels is an empty list"),
        ("{name: x, labels: docs}", "plans.auto_approve[0].labels is the text 'docs': write a list"),
    ],
)
def test_an_auto_rule_that_is_too_wide(rule: str, problem: str) -> None:
    """Plans pass without being asked about only by a condition that is written down."""
    (said,) = problems_of(f"plans: {{auto_approve: [{rule}]}}")
    assert said.startswith(f"1: {problem}")


def test_no_two_rules_share_a_name() -> None:
    """A verdict names its rule, so it must be clear which one that is, in whatever list."""
    said = problems_of(
        "deny: [{name: x, tools: [a]}]\n"
        "allow: [{name: x, tools: [a]}, {name: y, tools: [a]}]\n"
        "plans: {auto_approve: [{name: y, max_todos: 1}]}\n"
    )
    assert said == [
        "2: allow[0].name is also the name of deny[0]: give each its own",
        "3: plans.auto_approve[0].name is also the name of allow[1]: give each its own",
    ]


def test_a_tool_has_one_class() -> None:
    """The same pattern in two classes is a contradiction."""
    said = problems_of("tools:\n  read: [a, b]\n  execute: [b]\n")
    assert said == ["3: tools.execute has 'b', which read has as well: keep one"]


def test_all_problems_are_told_in_the_order_of_the_file() -> None:
    """Somebody who mends the file sees everything at once."""
    text = (
        FULL.replace("read:", "reed:")
        .replace("2h", "2")
        .replace("pytest **", "pytest ;")
        .replace("[docs]", "docs")
    )
    assert [problem.partition(" ")[0] for problem in problems_of(text)] == ["3:", "21:", "29:", "34:"]


def test_a_hopeless_file_is_told_in_part() -> None:
    """After a hundred problems the rest is counted."""
    said = problems_of("".join(f"x{number}: y\n" for number in range(250)))
    assert len(said) == 101
    assert said[-1] == " and 150 more"
