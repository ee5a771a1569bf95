"""What an agent sends is read in one way, and where it cannot be, nothing is allowed by it."""

import json

import pytest

from plangate_server.domain.arguments import DEEPEST, MOST_TEXTS
from plangate_server.domain.calls import call_of, check_names, kind_of
from plangate_server.domain.errors import InvalidField
from plangate_server.domain.remembering import Memory, Remembered, Scope
from plangate_server.domain.tools import Access, Call, ToolKind
from tests.helpers.domain import NOW
from tests.helpers.policies import policy_of

EDIT, TERMINAL, MCP = ToolKind

POLICY = policy_of("""\
tools:
  read: [read_file]
  write: [write_file, move_file]
deny:
  - {name: secrets, paths: [".env", "secrets/**", "config/prod.yaml"]}
allow:
  - {name: docs, tools: [write_file, move_file], paths: ["docs/**"]}
""")


def said(arguments: object, tool: str = "write_file") -> str:
    """What the policy says to arguments: by which rule, or that a person is asked."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = call_of(tool, arguments=text, kind=MCP)
    denying, allowing = POLICY.denying(call), POLICY.allowing(call)
    if denying:
        return "deny"
    return "allow" if allowing else "ask"


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        ' {"a": 1, "b": {"c": 1, "c": 1}}',
        '{"path": "secrets/key", "path": "docs/a.md"}',
        '{"path": "docs/a.md", "p\\u0061th": "secrets/key"}',
        '[{"a": 1, "a": 2}]',
        '{"x": [[{"": 1, "": 2}]]}',
    ],
)
def test_a_name_that_is_there_twice_is_refused(text: str) -> None:
    """Some readers take the first and some the last: the field is named, and what to do."""
    with pytest.raises(InvalidField, match=r"has the name .* twice: send each name once") as refused:
        check_names("command", text)
    assert refused.value.field == "command"


@pytest.mark.parametrize(
    "text", ["", "npm test", "{ echo a; }", '{"a": {"b": 1}, "b": 1}', "{", "[1, 1]", '{"a"']
)
def test_other_texts_have_no_names(text: str) -> None:
    """What is no JSON is looked at by other rules, and a name may stand in several objects."""
    check_names("command", text)


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("", MCP),
        ('{"a": 1}', MCP),
        (' {"a": 1} ', MCP),
        ("npm test", TERMINAL),
        ('{"a": 1} ; id', TERMINAL),
        ("[1]", TERMINAL),
        ("--- a/x\n+++ b/x\n@@\n", EDIT),
        ("diff --git a/x b/x\n", EDIT),
        ("*** Begin Patch\n*** Update File: x\n", EDIT),
        ("echo --- a/x\n+++ b/x", TERMINAL),
        ("--- a/x", TERMINAL),
    ],
)
def test_a_call_is_of_one_kind(command: str, kind: ToolKind) -> None:
    """Where nobody says which, what it is beyond doubt, or else a command, which is the strictest."""
    assert kind_of("tool", command) is kind
    assert kind_of("bash", command) is (TERMINAL if kind is EDIT else kind)
    assert call_of("tool", command).kind is kind
    for said_to_be in ToolKind:
        assert call_of("tool", command, kind=said_to_be).kind is said_to_be


def test_arguments_may_stand_in_either_place() -> None:
    """In both, they are the same, or nobody knows which of them the tool will get."""
    text = '{"path": "docs/a.md"}'
    assert call_of("t", text, kind=MCP) == call_of("t", arguments=text) == call_of("t", text, text)
    assert not call_of("t", text, text).is_unsure
    assert call_of("t", text, '{"path": "docs/b.md"}').is_unsure
    assert call_of("t", text, "{}").is_unsure


@pytest.mark.parametrize("arguments", ["", "{}", '{"command": "npm test"}', '{"cmd": "npm test"}'])
def test_a_command_may_be_said_once_more(arguments: str) -> None:
    """That adds nothing to it."""
    assert not call_of("bash", "npm test", arguments).says_more


@pytest.mark.parametrize(
    "arguments",
    [
        '{"sudo": true}',
        '{"command": "npm test", "sudo": true}',
        '{"command": "npm test", "timeout": 5}',
        '{"command": "npm test", "env": null}',
        '{"command": "npm test", "cwd": "/"}',
        '{"command": ["npm test"]}',
        '{"command": "npm publish"}',
        '{"sudo": "npm test"}',
        '{"npm test": 1}',
        "not JSON",
    ],
)
def test_a_yes_to_a_command_is_none_to_what_else_the_tool_is_told(arguments: str) -> None:
    """Whatever else stands in the arguments, of whatever type, was not seen."""
    kept = Remembered("r", TERMINAL, "bash", "npm test", False, True, Scope.WORKSPACE, "ada", NOW)
    rule = policy_of("allow: [{name: test, tools: [bash], commands: [npm test]}]")
    for answer in (
        kept,
        Remembered("r", TERMINAL, "bash", "npm test **", True, True, Scope.WORKSPACE, "ada", NOW),
    ):
        assert Memory([answer]).allowing(call_of("bash", "npm test"), NOW) is answer
        assert Memory([answer]).allowing(call_of("bash", "npm test", arguments), NOW) is None
    assert rule.allowing(call_of("bash", "npm test")) is not None
    assert rule.allowing(call_of("bash", "npm test", arguments)) is None


def any_call(kind: ToolKind, tool: str) -> Remembered:
    return Remembered("r", kind, tool, "*", True, True, Scope.WORKSPACE, "ada", NOW)


@pytest.mark.parametrize("kind", [EDIT, MCP])
@pytest.mark.parametrize(
    "call",
    [
        call_of("bash", "rm -rf /"),
        call_of("bash", "rm -rf /", access=Access.READ),
        call_of("bash", "rm -rf /", kind=TERMINAL),
        call_of("bash", "rm -rf /", kind=EDIT),
        call_of("bash", "rm -rf /", '{"command": "rm -rf /"}'),
        call_of("bash", arguments='{"command": "rm -rf /"}'),
        call_of("bash", '{"command": "rm -rf /"}'),
        call_of("bash", arguments='{"input": {"shellCommand": "rm -rf /"}}'),
        call_of("bash", arguments="rm -rf /"),
        call_of("bash", "--- a/x\n+++ b/x\nrm -rf /"),
    ],
)
def test_any_call_of_a_tool_is_no_command(kind: ToolKind, call: Call) -> None:
    """A yes to any patch, or to any arguments, is none to a command, however it is sent."""
    assert Memory([any_call(kind, "bash")]).allowing(call, NOW) is None


def test_any_call_of_a_tool_is_what_was_meant() -> None:
    """Patches of one that edits, and arguments of one that runs nothing."""
    patch, arguments = call_of("editor", "--- a/x\n+++ b/x\n"), call_of("post", arguments='{"to": "ada"}')
    assert Memory([any_call(EDIT, "editor")]).allowing(patch, NOW) is not None
    assert Memory([any_call(MCP, "editor")]).allowing(patch, NOW) is None
    assert Memory([any_call(MCP, "post")]).allowing(arguments, NOW) is not None
    assert Memory([any_call(EDIT, "post")]).allowing(arguments, NOW) is None


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "docs/a.md"},
        {"path": "docs/a.md", "content": "hello"},
        {"path": "docs/a b.md", "text": "See the notes of src, please."},
        {"file_path": "docs/a.md", "old_string": "a", "new_string": "b", "replace_all": True},
        {"command": "create", "path": "docs/a.md", "file_text": "# Title\n"},
        {"paths": ["docs/a.md", "docs/sub/b.md"]},
        {"from": "docs/a.md", "to": "docs/b.md", "path": "docs"} | {"path": "docs/c.md"},
        {"edits": [{"file": "docs/a.md", "line": 3, "content": "x"}]},
        {"files": {"docs/a.md": {"content": "hello"}}},
        {"path": "docs/a.md", "mode": "w", "encoding": "utf-8"},
    ],
)
def test_arguments_whose_paths_are_all_meant_are_allowed(arguments: object) -> None:
    """What is written into a file is no path, and what a setting is set to is none."""
    assert said(arguments) == "allow"


@pytest.mark.parametrize(
    "extra",
    [
        {"to": "src/b.md"},
        {"to": "Makefile"},
        {"dest": "src"},
        {"target": "b.md"},
        {"destination": "other folder/b.md"},
        {"output": " docs/b.md"},
        {"out": "docs/b.md "},
        {"name": "b"},
        {"value": "some file"},
        {"x": "../a.md"},
        {"x": "docs/../src/a.md"},
        {"x": "~/a.md"},
        {"x": "$HOME/a.md"},
        {"x": "%USERPROFILE%"},
        {"x": "file:///etc/passwd"},
        {"x": "docs/%2e%2e/src"},
        {"x": "C:\\Windows"},
        {"x": "docs\\a.md"},
        {"x": "//host/share"},
        {"x": "DOCS/a.md"},
        {"x": "docs/a.md:stream"},
        {"x": "docs/a./b.md"},
        {"x": "docs/a /b.md"},
        {"x": "docs/*.md"},
        {"x": "docs/\u2025/a.md"},
        {"x": "docs\uff0fa.md"},
        {"x": ["docs/b.md", "src/b.md"]},
        {"x": {"y": [{"z": "src/b.md"}]}},
        {"src/b.md": 1},
        {"x": {"src/b.md": 1}},
        {"files": {"Makefile": {"content": "all:"}}},
        {"files": {"docs/b.md": {"to": "Makefile"}}},
        {"content": "src/main.py"},
        {"content": "..\\x"},
        {"mode": "src"},
        {"command": "reboot"},
    ],
)
def test_any_other_text_that_could_be_a_path_asks(extra: dict[str, object]) -> None:
    """Under whatever name, at whatever depth, as a name itself, in whatever way it is written."""
    assert said({"path": "docs/a.md"}) == "allow"
    assert said({"path": "docs/a.md", **extra}) == "ask"


SECRET = [
    "secrets/key",
    "./secrets/key",
    "/repo/secrets/key",
    "SECRETS/key",
    " secrets/key",
    "secrets/key\n",
    "'secrets/key'",
    '"secrets/key"',
    "docs/a.md secrets/key",
    "docs/a.md,secrets/key",
    "docs/a.md\nsecrets/key",
    "docs/a.md;secrets/key",
    "docs/../secrets/key",
    "docs/x/../../secrets/key",
    "secrets/my key",
    "~/secrets/key",
    "$HOME/secrets/key",
    "file:///repo/secrets/key",
    "file://secrets/key",
    "file:secrets/key",
    "secrets%2Fkey",
    "s%65crets/key",
    "secrets%252Fkey",
    "%73ecrets%25252Fkey",
    "secrets\\key",
    "C:\\repo\\secrets\\key",
    "C:secrets\\key",
    "\\\\?\\C:\\repo\\secrets\\key",
    "\\\\host\\share\\secrets\\key",
    "secrets./key",
    "secrets /key",
    "secrets::$DATA",
    "docs/a.md:../../secrets/key",
    "sec\u200brets/key",
    "secrets\uff0fkey",
    "--file=secrets/key",
    "@secrets/key",
    '{"path": "secrets/key"}',
    "['secrets/key']",
    "config/prod.yaml",
    ".env",
    "app/.env",
]


@pytest.mark.parametrize("secret", SECRET)
def test_a_denied_path_is_found_wherever_it_stands(secret: str) -> None:
    """Under any name, at any depth, in lists and as a name; for tools that read, too."""
    for arguments in (
        {"path": secret},
        {"path": "docs/a.md", "to": secret},
        {"path": "docs/a.md", "dest": secret},
        {"path": "docs/a.md", "anything": secret},
        {"path": "docs/a.md", "x": {"y": [{"z": secret}]}},
        {"path": "docs/a.md", "list": ["docs/b.md", secret]},
        {"path": "docs/a.md", secret: 1},
        {"path": "docs/a.md", "x": {secret: "docs/b.md"}},
        {"files": {secret: {"content": "x"}}},
    ):
        for tool in ("write_file", "read_file", "move_file"):
            assert said(arguments, tool) == "deny", arguments


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": ["config", "prod.yaml"]},
        {"dir": "config", "file": "prod.yaml"},
        {"folder": "config", "name": "prod.yaml"},
        {"path": "prod.yaml", "cwd": "/repo/config"},
        {"base_dir": "repo/config/", "entries": ["prod.yaml"]},
        {"root": "/repo", "path": "config/prod.yaml"},
    ],
)
def test_a_denied_path_is_found_in_its_parts(arguments: object) -> None:
    """A folder in one argument and a name in another one, or a list of parts."""
    assert said(arguments) == "deny"


@pytest.mark.parametrize(
    "text",
    [
        "{'path': 'secrets/key'}",
        '{"path": "secrets/key",}',
        '// x\n{"path": "secrets/key"}',
        "path=secrets/key",
        '["secrets/key"]',
        '"secrets/key"',
        '{"path": "secrets/key", "x": NaN}',
        '{"path": "secrets/key", "x": ' + "[" * DEEPEST + "]" * DEEPEST + "}",
        json.dumps({"path": "secrets/key", "x": ["a"] * MOST_TEXTS}),
    ],
)
def test_what_cannot_be_read_denies_what_it_may_name_and_allows_nothing(text: str) -> None:
    """Not what it says in any reading."""
    assert said(text) == "deny"
    assert said(text.replace("secrets/key", "docs/a.md")) == "ask"
    assert call_of("t", text, kind=MCP).is_unsure


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "docs/a.md", "content": "Keep your keys in secrets/ and not in .env, please."},
        {"path": "src/a.md", "message": "the secrets/key file is gone"},
        {"path": "src/secret.md"},
        {"path": "environment"},
    ],
)
def test_prose_may_mention_a_denied_path(arguments: object) -> None:
    """What is written into a file, or told to people, names nothing that is opened."""
    assert said(arguments) != "deny"


def test_what_is_too_long_to_look_through_is_denied() -> None:
    """By a rule about paths, and nothing allows it: nobody can say that it names none of them."""
    many = json.dumps({f"name{number}": "docs/a.md" for number in range(5000)})
    assert said(many) == "deny"
    some = json.dumps({f"name{number}": "docs/a.md" for number in range(1100)})
    assert said(some) == "ask"


def test_deep_arguments_are_no_fault() -> None:
    """However deep they are nested: what nobody reads is asked about."""
    for depth in (DEEPEST - 2, 3000, 100_000):
        text = '{"path": "docs/a.md", "x": ' + "[" * depth + "]" * depth + "}"
        assert said(text) == ("allow" if depth < DEEPEST else "ask")
        check_names("command", text)


def test_numbers_of_any_size_are_no_fault() -> None:
    """Also those with an exponent that no number has."""
    for number in ("1e99999999999999999999", "-1e-99999999999999999999", "9" * 5000, "0." + "9" * 5000):
        call = call_of("t", f'{{"a": {number}}}', kind=MCP)
        kept = Remembered("r", MCP, "t", f'{{"a":{number}}}', False, True, Scope.WORKSPACE, "ada", NOW)
        assert not call.is_unsure
        assert Memory([kept]).allowing(call, NOW) is (kept if len(number) < 1000 else None)
