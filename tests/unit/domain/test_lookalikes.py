"""What only looks like an allowed command is never let through: a person is asked."""

import pytest

from plangate_server.domain.authorization import Situation, authorize, explain
from plangate_server.domain.command_patterns import parse_pattern
from plangate_server.domain.commands import read_command
from plangate_server.domain.policy import Policy
from plangate_server.domain.remembering import Memory, Remembered, Scope, check_pattern
from plangate_server.domain.sessions import SessionMode
from plangate_server.domain.signatures import signature
from plangate_server.domain.tool_rules import ToolRule
from plangate_server.domain.tools import Access, AuthorizationResult, Call, ToolKind
from tests.helpers.domain import NOW
from tests.helpers.lookalikes import ALLOWED, PATTERNS, VARIANTS

EXAMPLES = {"npm test **": "npm test", "git status **": "git status", "git log *": "git log main"}
"""For each pattern, a call about which a person may have been asked."""


def remembered(signed: str | None, *, is_pattern: bool) -> Remembered:
    assert signed is not None
    return Remembered(
        f"r-{signed}", ToolKind.TERMINAL, "bash", signed, is_pattern, True, Scope.WORKSPACE, "ada", NOW
    )


EXACTLY = Memory(remembered(signature(ToolKind.TERMINAL, each), is_pattern=False) for each in ALLOWED)
BY_PATTERN = Memory(
    remembered(check_pattern(ToolKind.TERMINAL, "bash", EXAMPLES[each], each), is_pattern=True)
    for each in PATTERNS
)
POLICY = Policy(
    tools={"bash": Access.EXECUTE},
    allow=(
        ToolRule("words", ("bash",), tuple(map(parse_pattern, ALLOWED))),
        ToolRule("patterns", ("*",), tuple(map(parse_pattern, PATTERNS))),
        ToolRule("any tool", (), tuple(map(parse_pattern, (*ALLOWED, *PATTERNS)))),
    ),
)
EVERYTHING = Memory(
    [
        *(remembered(signature(ToolKind.TERMINAL, each), is_pattern=False) for each in ALLOWED),
        *(remembered(each, is_pattern=True) for each in PATTERNS),
    ]
)

every_variant = pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in VARIANTS])


def test_the_table_is_broad_and_without_repetition() -> None:
    """Every variant has a name and a text of its own, and none is what was allowed."""
    names, texts = zip(*VARIANTS, strict=True)
    assert len(VARIANTS) > 150
    assert len(set(names)) == len(set(texts)) == len(VARIANTS)
    assert not {*ALLOWED, *EXAMPLES.values()} & set(texts)


@pytest.mark.parametrize(
    "text", [*ALLOWED, *EXAMPLES.values(), " npm   test ", "git status -s", '"git" log x']
)
def test_what_was_allowed_is_let_through(text: str) -> None:
    """The rules under test do allow something: the plain commands themselves."""
    call = Call("bash", text, kind=ToolKind.TERMINAL)
    for policy, memory in ((POLICY, Memory()), (Policy(), EVERYTHING)):
        verdict = authorize(Situation(call, SessionMode.AGENT, policy, memory, NOW))
        assert verdict.result is AuthorizationResult.ALLOW


@every_variant
def test_nothing_that_was_allowed_covers_it(text: str) -> None:
    """A command is that one, and a wildcard stands for words of one plain command, never for a second one.

    An operator's rule that allows is read as narrowly as a person's answer.
    """
    for kind in (None, *ToolKind):
        call = Call("bash", text, kind=kind)
        assert EXACTLY.allowing(call, NOW) is None
        assert BY_PATTERN.allowing(call, NOW) is None
        assert POLICY.allowing(call) is None


@every_variant
def test_a_person_is_asked(text: str) -> None:
    """In AGENT mode it is not let through, whatever kind it is said to be and whatever it is said to do."""
    for kind in (None, *ToolKind):
        for access in (None, Access.READ):
            call = Call("bash", text, text, kind, access, (text,))
            situation = Situation(call, SessionMode.AGENT, POLICY, EVERYTHING, NOW)
            assert authorize(situation).result is AuthorizationResult.CONFIRM
            assert [verdict.rule for _, verdict in explain(situation) if verdict] == ["default"]
    # Without a class for the tool, an agent's word that it only reads does not let a command through.
    unclassed = Call("shell", text, access=Access.READ)
    situation = Situation(unclassed, SessionMode.AGENT, Policy(allow=POLICY.allow), EVERYTHING, NOW)
    assert authorize(situation).result is AuthorizationResult.CONFIRM


WIDE = tuple(
    parse_pattern(pattern, to_deny=True) for pattern in ("npm **", "git **", "npm *", "git *", "git * *")
)
"""Wider than anything that may be remembered."""
OTHER_COMMANDS = {
    "a Cyrillic letter in a word",
    "a full-width word",
    "an option before the word",
    "a longer word",
    "a word with a folder",
}
"""What is one plain command, only another one: a pattern for all of npm or git does mean it."""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, id=name)
        for name, text in VARIANTS
        if not name.startswith("git log *") and name.partition(": ")[2] not in OTHER_COMMANDS
    ],
)
def test_not_even_the_widest_pattern_covers_it(text: str) -> None:
    """A pattern for everything that a program does is still one for that program alone."""
    words = read_command(text)
    assert words is None or not any(pattern.matches(words) for pattern in WIDE)
