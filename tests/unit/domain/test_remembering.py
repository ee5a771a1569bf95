"""A remembered yes covers what is beyond doubt the same; a remembered no also what may be the same."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from plangate_server.domain.calls import call_of
from plangate_server.domain.command_patterns import BadPattern, parse_pattern
from plangate_server.domain.errors import InvalidField, Reason
from plangate_server.domain.remembering import (
    Memory,
    Remembered,
    Scope,
    check_pattern,
    refusal_of,
    same_reach,
    suggested_pattern,
)
from plangate_server.domain.signatures import signature
from plangate_server.domain.tools import Call, ToolKind
from tests.helpers.domain import NOW
from tests.helpers.examples import repeatable, texts

PAGE = Path(__file__).parents[3] / "docs" / "remembering.md"
MOMENT = timedelta(microseconds=1)

words = st.text("abcxyz0123-_.é", min_size=1, max_size=4)
commands = st.builds(
    lambda program, rest: " ".join([program, *rest]),
    st.sampled_from(["ls", "cat", "echo"]),
    st.lists(words, max_size=3),
)


def an_answer(
    text: str,
    *,
    kind: ToolKind = ToolKind.TERMINAL,
    tool: str = "bash",
    allows: bool = True,
    pattern: str = "",
    expires_after: timedelta | None = None,
    number: int = 1,
) -> Remembered:
    """What is kept when a person answers a call, for that very call or for a pattern."""
    signed = (
        check_pattern(kind, tool, text, pattern, to_deny=not allows) if pattern else signature(kind, text)
    )
    assert signed is not None
    return Remembered(
        f"r{number}",
        kind,
        tool,
        signed,
        bool(pattern),
        allows,
        Scope.WORKSPACE,
        "ada",
        NOW,
        expire_time=NOW + expires_after if expires_after else None,
    )


def a_call(text: str, kind: ToolKind | None = ToolKind.TERMINAL, tool: str = "bash") -> Call:
    return Call(tool, text, kind=kind)


def allowed(answer: Remembered, text: str) -> bool:
    """Whether a remembered yes lets a call of its own tool and kind through."""
    return Memory([answer]).allowing(call_of(answer.tool, text, kind=answer.kind), NOW) is answer


def denied(answer: Remembered, text: str) -> bool:
    return Memory([answer]).denying(call_of(answer.tool, text, kind=answer.kind), NOW) is answer


def test_nothing_is_remembered_at_first() -> None:
    """An empty memory neither allows nor denies."""
    assert Memory().allowing(a_call("npm test"), NOW) is None
    assert Memory().denying(a_call("npm test"), NOW) is None


@pytest.mark.parametrize(
    ("kind", "text", "same", "other"),
    [
        (ToolKind.TERMINAL, "npm test", '  npm  "test"', "npm test x"),
        (ToolKind.TERMINAL, "ls ./a/b", "ls ./a//b", "ls ./a/b/"),
        (ToolKind.TERMINAL, "ls a/b", "ls  a/b", "ls a//b"),
        (ToolKind.EDIT, "+a\n", "+a\n", "+a"),
        (ToolKind.MCP, '{"a":1,"b":2}', '{ "b": 2, "a": 1 }', '{"a":1,"b":2.5}'),
        (ToolKind.MCP, '{"a":1}', '{"a":1.0}', '{"a":"1"}'),
        (ToolKind.MCP, "{}", "", '{"a":null}'),
    ],
)
def test_an_answer_covers_the_very_call(kind: ToolKind, text: str, same: str, other: str) -> None:
    """However the same call is written; another call is asked about."""
    yes, no = an_answer(text, kind=kind), an_answer(text, kind=kind, allows=False)
    assert allowed(yes, text)
    assert allowed(yes, same)
    assert not allowed(yes, other)
    assert denied(no, text)
    assert denied(no, same)
    if kind is not ToolKind.TERMINAL:
        assert not denied(no, other)


def test_a_yes_denies_nothing_and_a_no_allows_nothing() -> None:
    """Each is asked for by itself, and which comes first is for the caller to say: both are found."""
    yes, no = an_answer("npm test"), an_answer("npm test", allows=False, number=2)
    assert Memory([yes]).denying(a_call("npm test"), NOW) is None
    assert Memory([no]).allowing(a_call("npm test"), NOW) is None
    for memory in (Memory([yes, no]), Memory([no, yes])):
        assert memory.allowing(a_call("npm test"), NOW) is yes
        assert memory.denying(a_call("npm test"), NOW) is no


@pytest.mark.parametrize("tool", ["sh", "Bash", "bash ", "bas", "bash2", "", "*"])
def test_an_answer_is_for_its_tool_only(tool: str) -> None:
    """The same text in another tool may do something else."""
    for allows in (True, False):
        memory = Memory([an_answer("npm test", allows=allows), an_answer("npm test", pattern="npm test **")])
        call = a_call("npm test", tool=tool)
        assert memory.allowing(call, NOW) is None
        assert memory.denying(call, NOW) is None


@pytest.mark.parametrize("kind", ToolKind)
@pytest.mark.parametrize("other", [None, *ToolKind])
def test_a_yes_is_for_its_kind_only(kind: ToolKind, other: ToolKind | None) -> None:
    """A text that is a command, a patch and arguments at once is only what it was when it was allowed."""
    text = '{"a":1}' if kind is ToolKind.MCP else "npm test"
    memory = Memory([an_answer(text, kind=kind)])
    call = Call("bash", arguments=text, kind=other) if other is ToolKind.MCP else a_call(text, other)
    assert (memory.allowing(call, NOW) is not None) == (other is kind)


def test_a_pattern_for_all_calls_of_a_tool_is_for_its_kind_only() -> None:
    """Any patch of an editor is not any command of it."""
    memory = Memory([an_answer("+a", kind=ToolKind.EDIT, tool="editor", pattern="*")])
    assert memory.allowing(a_call("+b", ToolKind.EDIT, "editor"), NOW) is not None
    assert memory.allowing(a_call("+b", ToolKind.TERMINAL, "editor"), NOW) is None
    assert memory.allowing(a_call("{}", ToolKind.MCP, "editor"), NOW) is None


def test_arguments_are_looked_at_where_there_is_no_command() -> None:
    """A caller of an MCP tool may send its arguments beside a command or instead of one."""
    memory = Memory([an_answer('{"a":1}', kind=ToolKind.MCP)])
    assert memory.allowing(call_of("bash", arguments='{ "a": 1 }'), NOW) is not None
    assert memory.allowing(call_of("bash", '{ "a": 1 }'), NOW) is not None
    assert memory.allowing(call_of("bash", arguments='{"a":2}'), NOW) is None
    assert memory.allowing(call_of("bash", '{"a":2}', '{"a":1}'), NOW) is None


def test_a_yes_to_arguments_covers_no_call_that_has_others_beside_them() -> None:
    """Nobody knows which of the two the tool will get."""
    memory = Memory([an_answer('{"a":1}', kind=ToolKind.MCP)])
    assert memory.allowing(call_of("bash", '{"a":1}', '{"a":1.0}'), NOW) is not None
    assert memory.allowing(call_of("bash", '{"a":1}', '{"a":2}'), NOW) is None


@pytest.mark.parametrize("pattern", ["", "npm test **"])
def test_a_yes_to_a_command_covers_no_call_without_one(pattern: str) -> None:
    """What is not said cannot be the same; arguments are no command."""
    memory = Memory([an_answer("npm test", pattern=pattern)])
    for kind in (None, ToolKind.TERMINAL):
        assert memory.allowing(Call("bash", kind=kind), NOW) is None
        assert (
            memory.allowing(Call("bash", arguments="npm test", texts=("npm test",), kind=kind), NOW) is None
        )


@pytest.mark.parametrize("pattern", ["", "*"])
def test_a_yes_to_a_patch_covers_no_call_without_one(pattern: str) -> None:
    """Not even the pattern for any patch: there is nothing that a person could have meant."""
    memory = Memory([an_answer("+a", kind=ToolKind.EDIT, tool="editor", pattern=pattern)])
    assert memory.allowing(Call("editor", kind=ToolKind.EDIT), NOW) is None


@pytest.mark.parametrize("allows", [True, False])
@pytest.mark.parametrize("pattern", ["", "npm test **"])
def test_an_answer_runs_out(allows: bool, pattern: str) -> None:
    """Until the very moment that was named it covers, and from then on it does not."""
    span = timedelta(hours=1)
    answer = an_answer("npm test", allows=allows, pattern=pattern, expires_after=span)
    memory = Memory([answer])
    ask = memory.allowing if allows else memory.denying
    assert ask(a_call("npm test"), NOW + span - MOMENT) is answer
    assert ask(a_call("npm test"), NOW + span) is None
    assert ask(a_call("npm test"), NOW + span + MOMENT) is None


def test_an_answer_that_ran_out_hides_no_other() -> None:
    """One that still holds is found behind it."""
    old = an_answer("npm test", expires_after=MOMENT)
    other = an_answer("npm test", pattern="npm test **", number=2)
    assert Memory([old, other]).allowing(a_call("npm test"), NOW + MOMENT) is other


def test_an_answer_without_an_end_stays() -> None:
    """It is remembered until it is forgotten."""
    assert (
        Memory([an_answer("npm test")]).allowing(a_call("npm test"), NOW + timedelta(days=36500)) is not None
    )


@pytest.mark.parametrize(
    ("pattern", "covered", "not_covered"),
    [
        (
            "npm test *",
            ["npm test a", "npm test b"],
            ["npm test -x", "npm test", "npm test a b", "npm test `id`", "npm test $X"],
        ),
        (
            "npm test **",
            ["npm test", "npm test x -v"],
            ["npm", "npm test; id", "npm test\nid", "CI=1 npm test"],
        ),
        ("npm test", ["npm test"], ["npm test x", "npm *", "npm **"]),
    ],
)
def test_a_pattern_covers_plain_commands_only(
    pattern: str, covered: list[str], not_covered: list[str]
) -> None:
    """A remembered yes never covers what is compound or cannot be read."""
    answer = an_answer(covered[0], pattern=pattern)
    assert [text for text in (*covered, *not_covered) if allowed(answer, text)] == covered


@pytest.mark.parametrize(
    "text",
    [
        "npm publish",
        "npm publish --tag x",
        "npm --tag x publish",
        "npm test && npm publish",
        "npm test\nnpm publish",
        "sh -c 'npm publish'",
        "echo $(npm publish)",
        "CI=1 npm publish > x",
        "n''pm publish",
        "NPM publish",
        "npm\N{NO-BREAK SPACE}publish",
        "npm test" + " " * 5000 + "; npm publish",
    ],
)
@pytest.mark.parametrize("pattern", ["", "npm publish", "npm publish **"])
def test_a_no_also_catches_compound_forms(text: str, pattern: str) -> None:
    """What may run into the forbidden command is denied, though a yes would not cover it."""
    assert denied(an_answer("npm publish", allows=False, pattern=pattern), text)


@pytest.mark.parametrize("kind", [None, *ToolKind])
def test_a_no_to_a_command_holds_whatever_kind_is_said(kind: ToolKind | None) -> None:
    """A command does not become another one by being called a patch."""
    memory = Memory([an_answer("npm publish", allows=False)])
    assert memory.denying(a_call("npm publish", kind), NOW) is not None


def test_a_no_to_a_command_holds_for_a_command_among_the_arguments() -> None:
    """An agent that sends the command as an argument is denied it, as by an operator's rule."""
    memory = Memory([an_answer("npm publish", allows=False)])
    call = Call("bash", arguments='{"command": "npm publish"}', texts=("npm publish",))
    assert memory.denying(call, NOW) is not None


@pytest.mark.parametrize("pattern", ["", "npm publish **"])
@pytest.mark.parametrize(
    "texts_of_call", [("npm publish",), ("x", "y && npm publish"), ("sh -c 'npm publish'",)]
)
def test_a_no_looks_at_every_text_of_a_call(pattern: str, texts_of_call: tuple[str, ...]) -> None:
    """Beside a harmless command, without any, and whatever kind of call it is said to be."""
    memory = Memory([an_answer("npm publish", allows=False, pattern=pattern)])
    for command in ("npm test", ""):
        for kind in (None, *ToolKind):
            assert memory.denying(Call("bash", command, kind=kind, texts=texts_of_call), NOW) is not None
            assert memory.denying(Call("bash", command, kind=kind, texts=("npm test", "x")), NOW) is None


@pytest.mark.parametrize("pattern", ["", "npm test **"])
def test_a_yes_to_a_command_covers_no_call_that_says_more(pattern: str) -> None:
    """A folder, a variable or another text among the arguments may change what the command does."""
    memory = Memory([an_answer("npm test", pattern=pattern)])
    for said in ((), ("npm test",), ("npm test", "npm test")):
        call = Call("bash", "npm test", kind=ToolKind.TERMINAL, texts=said)
        assert memory.allowing(call, NOW) is not None
    for kind in (None, ToolKind.TERMINAL):
        for said in (
            ("/elsewhere",),
            ("npm test", "/elsewhere"),
            ("npm  test",),
            ("npm test", ""),
            ("NPM test",),
        ):
            assert memory.allowing(Call("bash", "npm test", kind=kind, texts=said), NOW) is None


UNREADABLE = ["npm 'a b' *", "npm ** x", "npm; *", "", "npm " + "x" * 5000]
"""Patterns that an earlier version may have taken."""
TOO_WIDE = ["bash *", "npm exec *", "npm *", "docker run box **", "tool **"]
"""Patterns that an earlier version took, and which leave open what a program could be."""


@pytest.mark.parametrize("pattern", [*UNREADABLE, *TOO_WIDE])
def test_a_pattern_that_is_refused_by_now_allows_nothing(pattern: str) -> None:
    """Nobody knows what it meant; asking costs a person a moment, and fails nothing."""
    memory = Memory([replace(an_answer("npm test"), signature=pattern, is_pattern=True)])
    assert refusal_of(replace(an_answer("npm test"), signature=pattern, is_pattern=True))
    for text in ("npm test", "bash x", "npm exec x", "docker run box x", "tool x", pattern, ""):
        for kind in (None, *ToolKind):
            assert memory.allowing(Call("bash", text, kind=kind), NOW) is None
            assert memory.denying(Call("bash", text, kind=kind), NOW) is None


@pytest.mark.parametrize("pattern", UNREADABLE)
def test_a_pattern_that_cannot_be_read_any_more_denies_every_command(pattern: str) -> None:
    """Nobody knows what it meant, so it may be any command of the tool, and none of another one."""
    no = replace(an_answer("npm test", allows=False), signature=pattern, is_pattern=True)
    memory = Memory([no])
    for text in ("npm test", "npm test; id", "anything $(at all)"):
        for kind in (None, ToolKind.TERMINAL):
            assert memory.denying(Call("bash", text, kind=kind), NOW) is no
            assert memory.denying(Call("zsh", text, kind=kind), NOW) is None
    assert memory.allowing(a_call("npm test"), NOW) is None


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(Call("bash", "npm test", texts=("npm test", "/elsewhere")), id="with other texts"),
        pytest.param(Call("bash", texts=("npm test",)), id="without a command"),
        pytest.param(Call("bash"), id="without anything"),
        pytest.param(Call("bash", "npm test", kind=ToolKind.EDIT), id="said to be a patch"),
        pytest.param(Call("bash", "npm test", kind=ToolKind.MCP), id="said to be arguments"),
    ],
)
def test_a_pattern_that_cannot_be_read_any_more_denies_every_call(call: Call) -> None:
    """However the call is sent: a no that meant something must not get lost."""
    no = replace(an_answer("npm test", allows=False), signature="npm ** x", is_pattern=True)
    assert Memory([no]).denying(call, NOW) is no


@pytest.mark.parametrize("kind", [ToolKind.EDIT, ToolKind.MCP])
@pytest.mark.parametrize("pattern", ["", "*"])
def test_a_no_to_a_patch_or_arguments_holds_whatever_kind_is_said(kind: ToolKind, pattern: str) -> None:
    """The same call does not become another one by being called something else."""
    memory = Memory([an_answer('{"a":1}', kind=kind, pattern=pattern, allows=False)])
    for said in (None, *ToolKind):
        assert memory.denying(a_call('{"a":1}', said), NOW) is not None


@pytest.mark.parametrize("text", ["npm test", "echo publish", "", "npm", "pnpm publish"])
def test_a_no_leaves_other_commands_alone(text: str) -> None:
    """A no to one command is none to all that a program does."""
    assert not denied(an_answer("npm publish", allows=False), text)


@pytest.mark.parametrize("kind", [ToolKind.EDIT, ToolKind.MCP])
def test_a_no_to_a_patch_or_arguments_is_for_those_only(kind: ToolKind) -> None:
    """In what is no command nothing is hidden: the very call is denied, or any call of the tool."""
    no = an_answer('{"a":1}', kind=kind, allows=False)
    assert denied(no, '{"a":1}')
    assert not denied(no, '[{"a":1}]')
    assert denied(an_answer('{"a":1}', kind=kind, allows=False, pattern="*"), '[{"a":1}]')


def taken(text: str, pattern: str) -> Remembered | None:
    """A yes to calls like it, if the pattern is one that may be remembered."""
    try:
        return an_answer(text, pattern=pattern)
    except InvalidField:
        return None


@repeatable
@given(commands, commands)
def test_a_yes_covers_exactly_the_command_it_was_given_for(one: str, other: str) -> None:
    """The same words in the same order, and nothing else."""
    answer = an_answer(one)
    assert allowed(answer, one)
    assert allowed(answer, other) == (one.split() == other.split())
    assert denied(replace(answer, allows=False), one)


@repeatable
@given(commands, st.sampled_from(";&|<>()$`\\!*?[]{}#^%\n\r\t'\""), st.data())
def test_a_yes_covers_nothing_that_has_more_in_it(text: str, character: str, data: st.DataObject) -> None:
    """One special character anywhere, and neither the command nor its widest pattern covers the text."""
    place = data.draw(st.integers(0, len(text)))
    changed = text[:place] + character + text[place:]
    assert not allowed(an_answer(text), changed)
    widest = taken(text, f"{text.split(maxsplit=1)[0]} **")
    assert widest is None or not allowed(widest, changed)


@repeatable
@given(commands, st.text(max_size=20))
def test_a_yes_covers_nothing_that_is_hung_on_to_it(text: str, rest: str) -> None:
    """Whatever is put behind a command, only more spaces leave it the same."""
    assert allowed(an_answer(text), text + rest) == (not rest.strip(" "))


@repeatable
@given(texts.filter(bool), texts.filter(bool))
def test_a_yes_covers_exactly_the_patch_it_was_given_for(one: str, other: str) -> None:
    """A patch that differs in one character is another patch."""
    assert allowed(an_answer(one, kind=ToolKind.EDIT), one)
    assert allowed(an_answer(one, kind=ToolKind.EDIT), other) == (one == other)


@repeatable
@given(commands, st.data())
def test_a_pattern_that_is_taken_covers_its_call(text: str, data: st.DataObject) -> None:
    """Any words of a call may be made wildcards; what is stored covers the call and can be read again."""
    program, *rest = text.split()
    chosen = [word if word[0] == "-" or ".." in word or data.draw(st.booleans()) else "*" for word in rest]
    tail = data.draw(st.sampled_from([[], ["**"]]))
    answer = taken(text, " ".join([program, *chosen, *tail]))
    if answer is not None:
        assert allowed(answer, text)
        assert denied(replace(answer, allows=False), text)


@pytest.mark.parametrize(
    ("command", "pattern"),
    [("ls ./=x", "ls ./=x"), ("ls ./@x y", "ls ./@x *"), ("ls ./a", "ls ./a"), ('ls "a b"', 'ls "a b" **')],
)
def test_a_memory_can_hold_whatever_was_taken(command: str, pattern: str) -> None:
    """A pattern that is remembered never makes the next question fail."""
    assert allowed(an_answer(command, pattern=pattern), command)


@pytest.mark.parametrize(
    ("command", "pattern", "kept"),
    [
        ("npm test", "npm test", "npm test"),
        ("npm test", "  npm   test ", "npm test"),
        ("cat a", "  cat   * ", "cat *"),
        ("npm test", "npm test **", "npm test **"),
        ("cat a", '"cat" *', "cat *"),
        ("ls ./a//b", "ls ./a/./b *", None),
        ("ls ./a//b", "ls ./a/./b", "ls ./a/b"),
        ("ls a//b", "ls a/b", None),
        ("ls ./a", "ls a", None),
        ('git commit -m "two words"', 'git commit "-m" "two words"', 'git commit -m "two words"'),
        ('git commit -m "two words"', "git commit -m *", "git commit -m *"),
        ("git commit -m 'two words'", "git commit -m *", None),
        ("npm test", "npm run *", None),
        ("npm test", "npm", None),
        ("cat a", "cat * *", None),
        ("cat -v", "cat *", None),
        ("cat ../a", "cat *", None),
        ("git push origin :main", "git push origin *", None),
        ("npm test; id", "npm test **", None),
        ("npm test\nid", "npm test **", None),
        ("", "npm test **", None),
    ],
)
def test_a_pattern_must_cover_the_call_itself(command: str, pattern: str, kept: str | None) -> None:
    """Nobody remembers more than what they were asked about by mistake; it is kept in its plainest form."""
    if kept is not None:
        assert check_pattern(ToolKind.TERMINAL, "bash", command, pattern) == kept
        return
    with pytest.raises(InvalidField, match="does not cover this very call") as refused:
        check_pattern(ToolKind.TERMINAL, "bash", command, pattern)
    assert (refused.value.reason, refused.value.field) == (Reason.INVALID_FIELD, "remember.pattern")


@pytest.mark.parametrize(
    "pattern",
    ["*", "**", "npm ** test", "npm t*", "npm; *", "bash *", "npm 't'", "npm x *", "python3 -c *", "tool *"],
)
def test_a_bad_pattern_is_refused_with_the_reason(pattern: str) -> None:
    """The refusal names the field and says what is wrong."""
    with pytest.raises(BadPattern) as bad:
        parse_pattern(pattern)
    with pytest.raises(InvalidField) as refused:
        check_pattern(ToolKind.TERMINAL, "bash", "npm test", pattern)
    assert refused.value.field == "remember.pattern"
    assert str(bad.value) in str(refused.value)


@pytest.mark.parametrize("kind", [ToolKind.EDIT, ToolKind.MCP])
@pytest.mark.parametrize("pattern", ["**", "a *", "npm test", "* *", "{}", ""])
def test_only_commands_have_patterns_of_words(kind: ToolKind, pattern: str) -> None:
    """For a patch or arguments there is the very call, or any call of the tool."""
    assert check_pattern(kind, "editor", "{}", " * ") == "*"
    with pytest.raises(InvalidField, match=r"can only be \* for this kind: any call of editor"):
        check_pattern(kind, "editor", "{}", pattern)


def test_an_answer_takes_the_place_of_one_with_the_same_reach() -> None:
    """Who, when, for how long and yes or no do not matter for that; all that says which calls does."""
    one = an_answer("npm test")
    same: list[dict[str, object]] = [
        {"remembered_id": "r9"},
        {"allows": False},
        {"reviewer": "bob"},
        {"create_time": NOW + MOMENT},
        {"expire_time": NOW},
    ]
    assert [change for change in same if same_reach(one, replace(one, **change))] == same
    others: list[dict[str, object]] = [
        {"kind": ToolKind.EDIT},
        {"tool": "sh"},
        {"signature": "npm tests"},
        {"is_pattern": True},
        {"scope": Scope.SESSION},
        {"session_id": "s"},
    ]
    assert not [change for change in others if same_reach(one, replace(one, **change))]


# The page for people.


def code(cell: str) -> str:
    """What stands in a cell as code; one space beside a backtick belongs to Markdown."""
    if cell.startswith("``"):
        return cell.removeprefix("``").removesuffix("``").removesuffix(" ")
    return cell.strip("`") if cell.startswith("`") else cell


def rows(*header: str) -> list[list[str]]:
    """The rows of every table with these headings."""
    found: list[list[str]] = []
    inside = False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if tuple(cells) == header:
            inside = True
        elif not cells:
            inside = False
        elif inside and set(cells) != {"---"}:
            found.append([code(cell) for cell in cells])
    return found


HEADERS = {
    ("kind", "a call is the same if"): 3,
    ("command", "remembered as"): 14,
    ("command", "why it is never remembered"): 20,
    ("arguments", "remembered as"): 8,
    ("pattern", "command", "covers?"): 36,
    ("pattern", "why it is refused"): 18,
    ("a no to", "command", "covers?"): 14,
}


def test_every_row_of_the_page_is_read() -> None:
    """No table and no row of the page is left unchecked."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    assert {header: len(rows(*header)) for header in HEADERS} == HEADERS
    assert len(lines) == sum(HEADERS.values()) + 2 * len(HEADERS)


def test_the_page_names_every_kind() -> None:
    """Whoever adds a kind says when its calls are the same."""
    assert [kind for kind, _ in rows("kind", "a call is the same if")] == [
        kind.name for kind in (ToolKind.TERMINAL, ToolKind.EDIT, ToolKind.MCP)
    ]
    assert len(ToolKind) == 3


@pytest.mark.parametrize(("command", "kept"), rows("command", "remembered as"))
def test_the_page_says_how_commands_are_remembered(command: str, kept: str) -> None:
    """Each row's command has the signature that stands beside it."""
    assert signature(ToolKind.TERMINAL, command) == kept


@pytest.mark.parametrize(("command", "why"), rows("command", "why it is never remembered"))
def test_the_page_says_which_commands_are_not_remembered(command: str, why: str) -> None:
    """Each row's command has no signature, and the page says why."""
    assert signature(ToolKind.TERMINAL, command) is None
    assert why


@pytest.mark.parametrize(("arguments", "kept"), rows("arguments", "remembered as"))
def test_the_page_says_how_arguments_are_remembered(arguments: str, kept: str) -> None:
    """Each row's arguments have the form that stands beside them, or none."""
    assert signature(ToolKind.MCP, arguments) == (None if kept == "never" else kept)


@pytest.mark.parametrize(("pattern", "command", "covers"), rows("pattern", "command", "covers?"))
def test_the_page_says_what_a_pattern_covers(pattern: str, command: str, covers: str) -> None:
    """Each row's pattern, remembered as a yes, covers the command or does not."""
    answer = replace(an_answer("npm test"), signature=parse_pattern(pattern).text, is_pattern=True)
    assert allowed(answer, command) == {"yes": True, "no": False}[covers]


@pytest.mark.parametrize(("pattern", "why"), rows("pattern", "why it is refused"))
def test_the_page_says_which_patterns_are_refused(pattern: str, why: str) -> None:
    """Each row's pattern is refused with the words that stand beside it."""
    with pytest.raises(BadPattern, match=f"^{re.escape(why)}"):
        parse_pattern(pattern)


@pytest.mark.parametrize(("no", "command", "covers"), rows("a no to", "command", "covers?"))
def test_the_page_says_what_a_no_covers(no: str, command: str, covers: str) -> None:
    """Each row's no, remembered, denies the command or does not."""
    signed = parse_pattern(no, to_deny=True).text
    answer = replace(an_answer("npm test", allows=False), signature=signed, is_pattern=True)
    assert denied(answer, command) == {"yes": True, "no": False}[covers]


@pytest.mark.parametrize(
    ("command", "suggested"),
    [
        ("npm run lint", "npm run *"),
        ("npm test", "npm test **"),
        ("git log", "git log **"),
        ("git push origin main", "git push origin *"),
        ("make test", "make *"),
        ("git push origin :main", ""),
        ("git push origin --force", ""),
        ("cat ../a", ""),
        ("python3 x.py", ""),
        ("docker run box ls", ""),
        ("mytool x", ""),
        ("npm test; id", ""),
        ("bash", ""),
    ],
)
def test_a_pattern_is_suggested_only_if_it_is_taken(command: str, suggested: str) -> None:
    """Nobody is offered what would be refused."""
    kind = ToolKind.TERMINAL
    assert suggested_pattern(kind, "bash", command, frozenset()) == suggested
    if suggested:
        assert check_pattern(kind, "bash", command, suggested) == suggested
    vouched = frozenset({("mytool",)})
    assert suggested_pattern(kind, "bash", "mytool x", vouched) == "mytool *"


@pytest.mark.parametrize(
    ("kind", "tool", "command", "suggested"),
    [
        (ToolKind.MCP, "post", '{"to": "ada"}', "*"),
        (ToolKind.MCP, "post", '{"command": "id"}', ""),
        (ToolKind.MCP, "post", "no JSON", ""),
        (ToolKind.EDIT, "editor", "+a", "*"),
        (ToolKind.EDIT, "bash", "+a", ""),
        (ToolKind.EDIT, "bash", "--- a/x\n+++ b/x\n", "*"),
    ],
)
def test_any_call_is_suggested_only_if_it_is_taken(
    kind: ToolKind, tool: str, command: str, suggested: str
) -> None:
    """A yes to any call of a tool is none to what runs what nobody has seen."""
    assert suggested_pattern(kind, tool, command, frozenset()) == suggested
    if not suggested and signature(kind, command):
        with pytest.raises(InvalidField, match="does not cover this very call"):
            check_pattern(kind, tool, command, "*")
        assert check_pattern(kind, tool, command, "*", to_deny=True) == "*"
