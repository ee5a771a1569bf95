"""No slip of the hand makes a policy that lets more pass than the one that was meant."""

import re
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from plangate_server.domain.authorization import Situation, authorize
from plangate_server.domain.command_patterns import parse_pattern
from plangate_server.domain.policy import Policy
from plangate_server.domain.remembering import Memory
from plangate_server.domain.sessions import SessionMode
from plangate_server.domain.tool_rules import ToolRule
from plangate_server.domain.tools import Access, AuthorizationResult, Call, ToolKind
from plangate_server.policyfile.reader import CALLS, PLANS, POLICY
from plangate_server.policyfile.rules import AUTO_RULE, TOOL_RULE
from tests.helpers.examples import repeatable
from tests.helpers.policies import FULL, policy_of, problems_of
from tests.helpers.profiles import examples

IGNORED = Path(__file__).with_name("agentignore")
TRIED = FULL.replace("deny:\n", f'deny:\n  - name: ignored\n    paths_from: "{IGNORED}"\n')
"""Every key that there is, also the one that names another file."""
LINES = TRIED.splitlines()
KEY = re.compile(r"(?<=[ {])[a-z_]+(?=: )|(?<=[ {])[a-z_]+(?=:$)|^[a-z_]+(?=:)")
KEYS = [(place, found.span()) for place, line in enumerate(LINES) for found in KEY.finditer(line)]
VALUES = [place for place, line in enumerate(LINES) if re.search(r": \S", line) and "{" not in line]
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-"

PROBES = [
    Call(tool, command, kind=kind, access=Access.READ, paths=paths, agent_id=agent, role=role)
    for tool in ("bash", "write_file", "read_file", "other")
    for command in ("", "pytest -q", "rm -rf /", "git push --force", "cat .env")
    for kind in (None, ToolKind.TERMINAL)
    for paths in ((), ("docs/a.md",), ("src/a.py",), (".env",))
    for agent, role in (("writer", "agent"), ("", ""), ("rogue-1", "observer"))
]
MILDNESS = {AuthorizationResult.DENY: 0, AuthorizationResult.CONFIRM: 1, AuthorizationResult.ALLOW: 2}


def verdict(policy: Policy, call: Call) -> AuthorizationResult:
    now = datetime(2025, 1, 1, tzinfo=UTC)
    return authorize(Situation(call, SessionMode.AGENT, policy, Memory(), now)).result


MEANT = [verdict(policy_of(TRIED), call) for call in PROBES]


def lets_more_pass(text: str) -> bool:
    policy = policy_of(text)
    said = (verdict(policy, call) for call in PROBES)
    return any(MILDNESS[now] > MILDNESS[meant] for now, meant in zip(said, MEANT, strict=True))


def with_line(place: int, line: str) -> str:
    return "\n".join([*LINES[:place], line, *LINES[place + 1 :], ""])


def test_the_whole_file_is_tried() -> None:
    """The keys that are misspelt below are all that there are, and the probes meet every verdict."""
    known = {*POLICY, *Access, *TOOL_RULE, *PLANS, *AUTO_RULE, *CALLS}
    assert {LINES[place][slice(*span)] for place, span in KEYS} == known
    assert set(MEANT) == set(AuthorizationResult)
    assert not lets_more_pass(TRIED)


@repeatable
@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode(errors="surrogatepass")))
def test_any_bytes_are_a_policy_or_problems(data: bytes) -> None:
    """Nothing but PolicyProblems comes out of a file, whatever is in it."""
    problems_of(data)


@repeatable
@given(
    st.integers(0, len(TRIED)),
    st.integers(0, 40),
    st.text(st.sampled_from("\n -:[]{},#'\"*&!|>ax0\0"), max_size=8),
)
def test_any_damage_leaves_a_policy_or_problems(place: int, removed: int, added: str) -> None:
    """The same for a sound file in which something was removed, or written over."""
    problems_of(TRIED[:place] + added + TRIED[place + removed :])


@examples(300)
@given(st.sampled_from(KEYS), st.data())
def test_a_misspelt_key_is_refused(key: tuple[int, tuple[int, int]], data: st.DataObject) -> None:
    """A letter more, less, or another one in any key of the file: none is passed over."""
    place, (start, end) = key
    word = LINES[place][start:end]
    at = data.draw(st.integers(0, len(word) - 1))
    letter = data.draw(st.sampled_from(["", *LETTERS]))
    other = data.draw(st.sampled_from([word[:at] + letter + word[at + 1 :], word[:at] + letter + word[at:]]))
    text = with_line(place, LINES[place][:start] + other + LINES[place][end:])
    assert other == word or problems_of(text)


def test_a_value_that_was_forgotten_is_refused() -> None:
    """A key with nothing after it is never taken for no condition."""
    for place in VALUES:
        assert problems_of(with_line(place, LINES[place].partition(": ")[0] + ":")), LINES[place]


def test_a_line_that_slipped_lets_nothing_more_pass() -> None:
    """A line with more or fewer blanks before it is refused, or changes nothing for the worse."""
    for place, line in enumerate(LINES):
        for blanks in range(8):
            text = with_line(place, " " * blanks + line.lstrip())
            assert problems_of(text) or not lets_more_pass(text), text


names = st.sampled_from(["*", "bash", "write_file", "mcp__*", "ba*", "read_file"])
commands = st.sampled_from(["git push **", "git push --force", "cat **", "pytest **", "rm *"]).map(
    parse_pattern
)
allow_rules = st.builds(
    ToolRule,
    name=st.just("allowed"),
    tools=st.lists(names, max_size=2).map(tuple),
    commands=st.lists(commands, max_size=2).map(tuple),
    paths=st.sampled_from([None, lambda _: True]),
    roles=st.lists(st.sampled_from(["agent", "admin"]), max_size=1).map(tuple),
)


@repeatable
@given(st.lists(allow_rules, max_size=4).map(tuple), st.booleans())
def test_no_allow_rule_undoes_a_deny(rules: tuple[ToolRule, ...], first: bool) -> None:
    """Whatever is allowed beside it, what was denied stays so."""
    policy = policy_of(TRIED)
    wider = replace(policy, allow=(*rules, *policy.allow) if first else (*policy.allow, *rules))
    for call, meant in zip(PROBES, MEANT, strict=True):
        if meant is AuthorizationResult.DENY:
            assert verdict(wider, call) is AuthorizationResult.DENY
