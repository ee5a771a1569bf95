"""The list of patterns: what may be left open, what may not, and what wildcards never stand for."""

from collections.abc import Iterator, Sequence

import pytest

from plangate_server.domain.command_patterns import BadPattern, parse_pattern
from plangate_server.domain.commands import read_command
from plangate_server.domain.errors import InvalidField
from plangate_server.domain.remembering import check_pattern
from plangate_server.domain.tools import Call, ToolKind
from tests.helpers.open_patterns import ALLOWED, COVERED, NOT_COVERED, REFUSED, filled
from tests.helpers.policies import policy_of, problems_of

ALL_ALLOWED = "allow:\n  - name: list\n    tools: [bash]\n    commands:\n" + "".join(
    f"      - '{pattern}'\n" for pattern in ALLOWED
)


def batched(patterns: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    yield from (patterns[start : start + size] for start in range(0, len(patterns), size))


def covers(pattern: str, command: str) -> bool:
    words = read_command(command)
    assert words is not None
    return parse_pattern(pattern).matches(words)


def test_the_list_is_long_enough() -> None:
    """Shapes of every sort of launcher, and as many of what is rightly left open."""
    assert len({*REFUSED, *ALLOWED}) == len(REFUSED) + len(ALLOWED)
    assert len(REFUSED) >= 300
    assert len(ALLOWED) >= 150


def test_what_could_name_a_program_is_not_kept() -> None:
    """A yes to such a pattern is refused with the reason, for the very call that it would cover."""
    for pattern in REFUSED:
        with pytest.raises(InvalidField, match="has a wildcard after ") as refused:
            check_pattern(ToolKind.TERMINAL, "bash", filled(pattern), pattern)
        assert refused.value.field == "remember.pattern", pattern


def test_what_could_name_a_program_may_still_be_denied() -> None:
    """A no is never too wide."""
    for pattern in REFUSED:
        assert parse_pattern(pattern, to_deny=True).text == pattern


def test_what_could_name_a_program_is_no_rule() -> None:
    """Each such line of a policy file is a problem of its own, with its line and the reason."""
    for some in batched(REFUSED, 50):
        lines = [f"    - '{pattern}'" for pattern in some]
        text = "\n".join(["allow:", "- name: list", "  tools: [bash]", "  commands:", *lines, ""])
        for place, (problem, pattern) in enumerate(zip(problems_of(text), some, strict=True)):
            assert problem.startswith(f"{place + 5}: allow[0].commands[{place}] is ")
            assert "has a wildcard after " in problem, pattern


def test_what_names_no_program_is_kept() -> None:
    """It covers the call that it was made of, as a remembered answer and as a rule of the policy."""
    policy = policy_of(ALL_ALLOWED)
    for pattern in ALLOWED:
        command = filled(pattern)
        assert check_pattern(ToolKind.TERMINAL, "bash", command, pattern) == parse_pattern(pattern).text
        assert covers(pattern, command), pattern
        assert policy.allowing(Call("bash", command, kind=ToolKind.TERMINAL)) is not None, pattern


@pytest.mark.parametrize(("pattern", "command"), NOT_COVERED)
def test_a_wildcard_is_no_word_that_changes_the_meaning(pattern: str, command: str) -> None:
    """Neither another place, nor a range or refspec, nor an option that names a program or settings."""
    assert not covers(pattern, command)


@pytest.mark.parametrize(("pattern", "command"), COVERED)
def test_a_wildcard_is_any_plain_argument(pattern: str, command: str) -> None:
    """What people mean by a pattern is what it covers."""
    assert covers(pattern, command)


def test_a_wildcard_is_no_option_that_nobody_knows() -> None:
    """Of no program in the list, whatever verbs it has: neither alone, nor with a value, nor after ``--``."""
    for pattern in ALLOWED:
        if pattern.endswith(" **"):
            words = tuple(filled(pattern).split()[:-1])
            for more in (["--frobnicate"], ["--frobnicate=x"], ["--frobnicate", "x"], ["--", "--frobnicate"]):
                assert not parse_pattern(pattern).matches((*words, *more)), pattern


def test_what_is_covered_is_much() -> None:
    """What people do each day, of programs of every sort."""
    assert len(COVERED) >= 100
    assert len({pattern for pattern, _ in NOT_COVERED}) >= 40


@pytest.mark.parametrize(
    "word",
    [
        *("-x", "--x", "+x", ":x", "@x", "=x", "a=b", "..", "../a", "a/..", "a/../b", "a..b", "~x"),
        *("https://example.org", "ssh://x/y", "file:///etc/passwd", "FILE:x", "ext::x", "git:x", "C:/x"),
    ],
)
def test_no_family_takes_such_a_word(word: str) -> None:
    """Whatever program it goes to, after whatever verbs."""
    for pattern in ALLOWED:
        if pattern.endswith(" *"):
            words = tuple(filled(pattern).split()[:-1])
            assert not parse_pattern(pattern).matches((*words, word)), pattern


def test_long_patterns_and_commands_are_no_work() -> None:
    """Matching takes one look at each word: thousands of them are done in no time."""
    words = ("git", "log", *(["--all", "x"] * 1000))
    assert parse_pattern("git log **").matches(words)
    with pytest.raises(BadPattern):
        parse_pattern(f"tool {'x ' * 1500}**")
