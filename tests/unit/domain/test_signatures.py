"""A signature is the same for calls that do the same, and for no others."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate_server.domain.arguments import canonical
from plangate_server.domain.signatures import MOST_SHOWN, signature, signature_hash
from plangate_server.domain.tools import ToolKind
from tests.helpers.examples import repeatable, texts
from tests.unit.domain.test_commands import CONTROL, SPECIAL, commands, in_quotes, spaced_words

PATCH = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n"

documents = st.dictionaries(
    texts,
    st.recursive(
        st.none() | st.booleans() | st.integers() | texts,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
        max_leaves=8,
    ),
    max_size=4,
)


def turned(value: object) -> object:
    """The same document with every object's names in the opposite order."""
    if isinstance(value, dict):
        return {name: turned(each) for name, each in reversed(value.items())}
    return [turned(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm test", "npm test"),
        ("  npm    test ", "npm test"),
        ('"npm" "test"', "npm test"),
        ("ls ./src//a/./b", "ls ./src/a/b"),
        ("ls /src//a/./b", "ls /src/a/b"),
        ("ls src//a/./b", "ls src//a/./b"),
        ("sed /./d ./a//b", "sed /./d ./a//b"),
        ("ls src/", "ls src/"),
        ("ls a/../b", "ls a/../b"),
        ("curl https://example.org//a", "curl https://example.org//a"),
        ('git commit -m "two words"', 'git commit -m "two words"'),
        ('git commit "-m" "two words"', 'git commit -m "two words"'),
        ('echo ""', 'echo ""'),
        ('echo " "', 'echo " "'),
        ('"two words" x', '"two words" x'),
        ('ls "./a b//c"', 'ls "./a b/c"'),
        ("git show HEAD~1", "git show HEAD~1"),
        ("make A=1,2", "make A=1,2"),
        ("cat é", "cat é"),
    ],
)
def test_a_command_is_remembered_by_its_words(command: str, expected: str) -> None:
    """However it is spaced, quoted and however its paths are written."""
    assert signature(ToolKind.TERMINAL, command) == expected


@pytest.mark.parametrize(
    "command",
    [
        "",
        "npm test; id",
        "npm test && id",
        "npm test | id",
        "npm test &",
        "echo $(id)",
        "CI=1 npm test",
        "npm test > x",
        "npm test\nid",
        "echo *",
        "cat ~/x",
        'npm te"st"',
        "npm 'test'",
        "echo \N{SLIGHTLY SMILING FACE}",
        "n\N{CYRILLIC SMALL LETTER ER}m test",
    ],
)
def test_what_is_not_one_plain_command_cannot_be_remembered(command: str) -> None:
    """A command that is compound or leaves a doubt has no signature."""
    assert signature(ToolKind.TERMINAL, command) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("npm test", "npm test x"),
        ("npm test", "npm Test"),
        ("npm test", "./npm test"),
        ("echo a b", 'echo "a b"'),
        ("echo", 'echo ""'),
        ('echo ""', 'echo " "'),
        ("ls a", "ls a/"),
        ("ls b", "ls a/../b"),
        ("rm ./-rf", "rm -rf"),
        ("cat a", "cat \N{CYRILLIC SMALL LETTER A}"),
        ("x -a -b", "x -b -a"),
        ("x -ab", "x -a -b"),
        ("x --a=b", "x --a b"),
    ],
)
def test_other_commands_have_other_signatures(one: str, other: str) -> None:
    """What a program could tell apart is told apart."""
    first, second = signature(ToolKind.TERMINAL, one), signature(ToolKind.TERMINAL, other)
    assert first is not None
    assert second is not None
    assert first != second


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("npm install ./left-pad", "npm install left-pad", id="npm: a folder, a package"),
        pytest.param("pip install ./tools", "pip install tools", id="pip: a folder, a package"),
        pytest.param("git checkout ./main", "git checkout main", id="git: a file, a branch"),
        pytest.param("go test ./...", "go test ...", id="go: these packages, all packages"),
        pytest.param("sudo ./install x", "sudo install x", id="sudo: this program, one of the PATH"),
        pytest.param("source ./setup", "source setup", id="source: this script, one of the PATH"),
        pytest.param("docker run -v ./d:/d x", "docker run -v d:/d x", id="docker: a folder, a volume"),
        pytest.param("sed -i s/a// x", "sed -i s/./a/ x", id="sed: delete, replace"),
        pytest.param("git show HEAD:./a//b", "git show HEAD:./a/b", id="git: no path of the disk"),
        pytest.param("cat ///host/x", "cat //host/x", id="two slashes may be another machine"),
    ],
)
def test_a_path_is_not_made_into_something_else(one: str, other: str) -> None:
    """A word that is no path, or whose dot tells a path from a name, keeps what tells it apart."""
    first, second = signature(ToolKind.TERMINAL, one), signature(ToolKind.TERMINAL, other)
    assert first is not None
    assert first != second


@repeatable
@given(commands, st.lists(spaced_words, max_size=3))
def test_a_signature_is_a_command_of_its_own_signature(words: tuple[str, ...], rest: list[str]) -> None:
    """What is shown to people as remembered is again the same command."""
    signed = signature(ToolKind.TERMINAL, " ".join([*words, *map(in_quotes, rest)]))
    assert signed is not None
    assert signature(ToolKind.TERMINAL, signed) == signed


@repeatable
@given(commands, st.sampled_from(SPECIAL + CONTROL))
def test_nothing_can_be_hung_on_to_a_signature(words: tuple[str, ...], character: str) -> None:
    """A command with anything special behind it has no signature, so it cannot have that of the command."""
    assert signature(ToolKind.TERMINAL, f"{' '.join(words)}{character}id") is None
    assert signature(ToolKind.TERMINAL, f"{' '.join(words)} {character} id") is None


def test_a_patch_is_remembered_by_its_hash() -> None:
    """The very same patch, to the byte, and no other."""
    signed = signature(ToolKind.EDIT, PATCH)
    assert signed == f"sha256:{hashlib.sha256(PATCH.encode()).hexdigest()}"
    for other in (PATCH + "\n", PATCH.replace("two", "too"), PATCH.replace("\n", "\r\n"), f" {PATCH}"):
        assert signature(ToolKind.EDIT, other) != signed


@repeatable
@given(texts, texts)
def test_patches_are_the_same_exactly_if_their_signatures_are(one: str, other: str) -> None:
    """Nothing in a patch is left out of what it is remembered by."""
    assert (signature(ToolKind.EDIT, one) == signature(ToolKind.EDIT, other)) == (one == other)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", "{}"),
        ("{}", "{}"),
        (" { } ", "{}"),
        ('{"b": 1, "a": [1, 2]}', '{"a":[1,2],"b":1}'),
        ('{"a":{"d":null,"c":true}}', '{"a":{"c":true,"d":null}}'),
        ('{"a": [1, 1.0, 1.00, 1e0, 10E-1, 0.1e+1]}', '{"a":[1,1,1,1,1,1]}'),
        ('{"a": [100, 1e2, 1E2]}', '{"a":[100,100,100]}'),
        ('{"a": [-7, -7.0, -70e-1]}', '{"a":[-7,-7,-7]}'),
        ('{"a": [0, 0.0, -0, -0.0, 0e9]}', '{"a":[0,0,0,0,0]}'),
        ('{"a": [9007199254740992, 9007199254740992.0]}', '{"a":[9007199254740992,9007199254740992]}'),
        ('{"a": [-9007199254740992.0]}', '{"a":[-9007199254740992]}'),
        ('{"a": [9007199254740994, 1e16, 1e99, 1e999]}', '{"a":[9007199254740994,1e16,1e99,1e999]}'),
        ('{"a": [0.1, 0.10, 1.5e0, -2.50]}', '{"a":[0.1,0.10,1.5e0,-2.50]}'),
        ('{"a": 12345678901234567890123}', '{"a":12345678901234567890123}'),
        ('{"a": "1"}', '{"a":"1"}'),
        ('{"a": "é"}', '{"a":"\\u00e9"}'),
        ('{"a": "\\u00e9"}', '{"a":"\\u00e9"}'),
        ('{"a": "\\/"}', '{"a":"/"}'),
    ],
)
def test_arguments_are_remembered_in_one_form(arguments: str, expected: str) -> None:
    """Order of names, spaces and escapes do not matter, nor how a whole number was sent; others stay."""
    assert signature(ToolKind.MCP, arguments) == expected


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param('{"a":1,"a":2}', id="a name twice"),
        pytest.param('{"a":1,"\\u0061":2}', id="a name twice, once escaped"),
        pytest.param('{"b":{"a":1,"a":1}}', id="a name twice further in"),
        pytest.param('{"b":[{"a":1,"a":1}]}', id="a name twice in a list"),
        pytest.param("[]", id="a list"),
        pytest.param('"a"', id="a text"),
        pytest.param("1", id="a number"),
        pytest.param("null", id="null"),
        pytest.param("true", id="true"),
        pytest.param(" ", id="only spaces"),
        pytest.param("{", id="half an object"),
        pytest.param("{}{}", id="two objects"),
        pytest.param("{} x", id="something after it"),
        pytest.param("{'a':1}", id="single quotes"),
        pytest.param('{"a":1,}', id="a last comma"),
        pytest.param('{"a":NaN}', id="NaN"),
        pytest.param('{"a":Infinity}', id="Infinity"),
        pytest.param('{"a":-Infinity}', id="-Infinity"),
        pytest.param('{"a":01}', id="a leading zero"),
        pytest.param('{"a":"\n"}', id="a bare newline in a text"),
        pytest.param("\N{ZERO WIDTH NO-BREAK SPACE}{}", id="a byte order mark"),
        pytest.param('{"a":' * 100_000 + "1" + "}" * 100_000, id="too deep"),
        pytest.param("npm test", id="a command"),
    ],
)
def test_what_is_no_plain_object_cannot_be_remembered(arguments: str) -> None:
    """What two programs could read differently is asked about each time."""
    assert canonical(arguments) is None
    assert signature(ToolKind.MCP, arguments) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"a":1}', '{"a":"1"}'),
        ('{"a":1}', '{"a":-1}'),
        ('{"a":1}', '{"a":1.5}'),
        ('{"a":9007199254740991}', '{"a":9007199254740992}'),
        ('{"a":9007199254740992}', '{"a":9007199254740993}'),
        ('{"a":-9007199254740992}', '{"a":-9007199254740993}'),
        ('{"a":9007199254740993}', '{"a":9007199254740994}'),
        ('{"a":10000000000000000}', '{"a":10000000000000001}'),
        ('{"a":1}', '{"a":1.00000000000000001}'),
        ('{"a":0}', '{"a":1e-400}'),
        ('{"a":0.1}', '{"a":0.10}'),
        ('{"a":null}', "{}"),
        ('{"a":[1,2]}', '{"a":[2,1]}'),
        ('{"a":true}', '{"a":1}'),
        ('{"a":"x"}', '{"A":"x"}'),
        ('{"a":"\\u00e9"}', '{"a":"e\\u0301"}'),
        ('{"a":"x\\",\\"b\\":\\"y"}', '{"a":"x","b":"y"}'),
    ],
)
def test_other_arguments_have_other_signatures(one: str, other: str) -> None:
    """What any program could tell apart is told apart: some keep every digit of a number."""
    assert signature(ToolKind.MCP, one) != signature(ToolKind.MCP, other)


@repeatable
@given(documents, st.sampled_from([None, 2, "\t"]), st.booleans())
def test_neither_order_nor_spaces_matter(
    document: dict[str, object], indent: int | str | None, escaped: bool
) -> None:
    """However a client writes its arguments, they are remembered alike; and the form stands for them."""
    plain = signature(ToolKind.MCP, json.dumps(document))
    other = json.dumps(turned(document), indent=indent, ensure_ascii=escaped)
    assert signature(ToolKind.MCP, other) == plain
    form = canonical(other)
    assert form is not None
    assert json.loads(form) == document
    assert canonical(form) == form


@repeatable
@given(documents, documents)
def test_arguments_are_the_same_exactly_if_their_signatures_are(
    one: dict[str, object], other: dict[str, object]
) -> None:
    """Different arguments are never remembered by the same form."""
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    signed = [signature(ToolKind.MCP, json.dumps(each)) for each in (one, other)]
    assert (signed[0] == signed[1]) == same


def test_long_arguments_are_remembered_by_a_hash() -> None:
    """What is kept and shown stays short, and is still that of these arguments only."""
    fits = json.dumps({"a": "x" * (MOST_SHOWN - len('{"a":""}'))}, separators=(",", ":"))
    assert signature(ToolKind.MCP, fits) == fits
    longer = fits.replace("x", "xx", 1)
    form = canonical(longer)
    assert form is not None
    assert signature(ToolKind.MCP, longer) == f"sha256:{hashlib.sha256(form.encode()).hexdigest()}"
    assert signature(ToolKind.MCP, longer.replace(":", ": ")) == signature(ToolKind.MCP, longer)
    assert signature(ToolKind.MCP, longer.replace("x", "y", 1)) != signature(ToolKind.MCP, longer)


def test_the_hash_of_a_signature_tells_kinds_and_tools_apart() -> None:
    """Calls of one sort have one hash, and calls of different sorts different ones."""
    hashes = {
        signature_hash(ToolKind.TERMINAL, "bash", "npm test"),
        signature_hash(ToolKind.TERMINAL, "zsh", "npm test"),
        signature_hash(ToolKind.EDIT, "bash", "npm test"),
        signature_hash(ToolKind.MCP, "bash", "npm test"),
        signature_hash(ToolKind.TERMINAL, "bash", "npm test; id"),
        signature_hash(ToolKind.TERMINAL, "bash", "npm test ; id"),
    }
    assert len(hashes) == 6
    assert signature_hash(ToolKind.TERMINAL, "bash", " npm  test") in hashes
    assert all(len(each) == 64 and set(each) <= set("0123456789abcdef") for each in hashes)
