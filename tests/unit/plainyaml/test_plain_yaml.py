"""A YAML file is texts, lists and tables; whatever has a meaning beyond that is refused, with its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate_server.plainyaml.characters import MOST_BYTES
from plangate_server.plainyaml.plain_yaml import DEEPEST, read_yaml
from plangate_server.plainyaml.tree import Items, Node, Table, Text, YamlProblems
from tests.helpers.examples import repeatable
from tests.helpers.thread_times import has_ratio

Plain = str | list["Plain"] | dict[str, "Plain"] | None


def plain(node: Node | None) -> Plain:
    match node:
        case Text():
            return node.value
        case Items():
            return [plain(item) for item in node.items]
        case Table():
            return {name: plain(entry.value) for name, entry in node.entries.items()}
        case None:
            return None


def read(text: str) -> Plain:
    return plain(read_yaml(text.encode()))


def problems(data: str | bytes) -> list[tuple[int, str]]:
    with pytest.raises(YamlProblems) as refused:
        read_yaml(data if isinstance(data, bytes) else data.encode(errors="surrogatepass"))
    return [(problem.line, problem.what) for problem in refused.value.problems]


def read_or_refuse(data: bytes) -> None:
    """Read it; if that cannot be, every problem has a line and words."""
    found = []
    try:
        read_yaml(data)
    except YamlProblems as refused:
        found = refused.problems
    assert all(problem.line >= 1 and problem.what for problem in found)


def test_texts_lists_and_tables() -> None:
    """What stands in the file is what is read, in block and in flow style."""
    text = "a: b\nlist:\n  - one\n  - {two: 3, four: [5]}\nempty:\n"
    assert read(text) == {"a": "b", "list": ["one", {"two": "3", "four": ["5"]}], "empty": ""}


@pytest.mark.parametrize(
    "text", ["no", "007", "1.50", "0x1F", "null", "~", "2024-01-02", "12:30:45", "1e3", "True", "=", ".nan"]
)
def test_a_text_keeps_its_type(text: str) -> None:
    """Nothing turns into a number, a date or a yes by itself, as a value or as a name."""
    assert read(f"- {text}") == [text]
    assert read(f"{text}: x") == {text: "x"}


def test_every_node_knows_its_line() -> None:
    """Tables, lists, names and texts tell where they stand."""
    tree = read_yaml(b"# first\na:\n  - x\n  -\n    b: y\n")
    assert isinstance(tree, Table)
    entry = tree.entries["a"]
    assert isinstance(entry.value, Items)
    first, second = entry.value.items
    assert isinstance(second, Table)
    assert (tree.line, entry.line, first.line, second.line, second.entries["b"].line) == (2, 2, 3, 5, 5)


@pytest.mark.parametrize("text", ["", "# nothing\n", "\n\n", "---\n...\n"])
def test_a_file_may_hold_nothing(text: str) -> None:
    """What that means is for the reader to say."""
    assert read(text) in {None, ""}


@pytest.mark.parametrize("text", ["\N{ZERO WIDTH NO-BREAK SPACE}a: b\n", "a: b\r\n", "---\na: b\n...\n"])
def test_other_editors_are_fine(text: str) -> None:
    """A byte order mark at the beginning, Windows line ends and document marks change nothing."""
    assert read(text) == {"a": "b"}


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("a: &x b", 1, "&x is an anchor"),
        ("a: b\nc: *x", 2, "*x is an alias"),
        ("- &x [a]", 1, "&x is an anchor"),
        ("- &x {a: b}", 1, "&x is an anchor"),
        ("a: !!int 3", 1, "a tag"),
        ("a: !x b", 1, "a tag"),
        ("a: ! b", 1, "a tag"),
        ("a: !!python/object/apply:os.system [id]", 1, "a tag"),
        ("a: !!map {}", 1, "a tag"),
        ("a: b\n<<: {c: d}", 2, "<< would merge"),
        ("a: b\nc: d\na: e", 3, "'a' stands here twice, first in line 1"),
        ("{a: b, 'a': c}", 1, "'a' stands here twice"),
        ("a: b\n---\nc: d", 2, "a second document"),
        ("%YAML 1.1\n---\na: b", 1, "a directive"),
        ("%TAG ! tag:x,2000:\n---\na: b", 1, "a directive"),
        ("? [a]\n: b", 1, "a name must be a text"),
        ("{{a: b}: c}", 1, "a name must be a text"),
        ("a: b\nc: [d", 2, "this is not YAML"),
        ("a: b\n\tc: d", 2, "this is not YAML"),
        ("a: b: c", 1, "this is not YAML"),
        ("- **/x", 1, "put it in quotes"),
        ("- @x", 1, "put it in quotes"),
        ('a: "\\UFFFFFFFF"', 1, "a number that YAML cannot take"),
        (f"%YAML 1.{'9' * 5000}\n---\na", 1, "a number that YAML cannot take"),
        ('a: b\nc: "\\0"', 2, "U+0000 is written as an escape"),
        ('a: "\\e[2J"', 1, "U+001B is written as an escape"),
        ('a: "\\ud800"', 1, "U+D800 is written as an escape"),
        ('"\\x07": a', 1, "U+0007 is written as an escape"),
        ("a: b\nc: \0", 2, "U+0000 is in the text"),
        ("a: \x1b[2J", 1, "U+001B is in the text"),
        ("a: b\x85c: d", 1, "U+0085 is in the text"),
        ("a: b\u2028c: d", 1, "U+2028 is in the text"),
        ("a: b\rc: d", 1, "U+000D is in the text"),
        ("a: \ufeffb", 1, "U+FEFF is in the text"),
    ],
)
def test_what_is_not_plain_is_refused(text: str, line: int, what: str) -> None:
    """Each with the line it stands on, and in words."""
    (found_line, said), *_ = problems(text)
    assert found_line == line
    assert what in said


@pytest.mark.parametrize("data", [b"a: b\nc: \xff", b"a: b\nc: \xc0\xae", b"a: b\nc: \xed\xa0\x80"])
def test_bytes_that_are_no_text_are_refused(data: bytes) -> None:
    """Bad, overlong and surrogate UTF-8 is refused with its line."""
    ((line, said),) = problems(data)
    assert (line, "not UTF-8" in said) == (2, True)


def test_other_encodings_are_refused() -> None:
    """UTF-16 is not guessed."""
    assert "UTF-8" in problems("a: b".encode("utf-16"))[0][1]


def test_all_problems_are_told_at_once() -> None:
    """Somebody who mends a file sees everything there is to mend."""
    assert [line for line, _ in problems("a: &x b\nc: *x\nd: !y z\na: b\n<<: c\n")] == [1, 2, 3, 4, 5]


def test_a_file_has_a_largest_size() -> None:
    """256 KiB are read, a byte more is not."""
    largest = b"#" * MOST_BYTES
    assert read_yaml(largest) is None
    assert "256 KiB" in problems(largest + b"#")[0][1]


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}")])
def test_nesting_has_a_deepest_level(opening: str, closing: str) -> None:
    """Twenty levels are read, one more is not."""
    read(opening * DEEPEST + "x" + closing * DEEPEST)
    deeper = DEEPEST + 1
    assert "20 levels" in problems(opening * deeper + "x" + closing * deeper)[0][1]


@pytest.mark.parametrize(
    "part", ["[", "{", "- ", "? ", "a: ", "[a,", "&a ", "*a ", "!a ", "'", '"', "a ", "%\n"]
)
def test_no_file_takes_long(part: str) -> None:
    """Nothing up to the largest size crashes the process, and the time to read it grows as its size."""
    largest = (part * MOST_BYTES).encode()[:MOST_BYTES]
    quarter = largest[: MOST_BYTES // 4]
    # Work for each pair of places would take sixteen times as long.
    assert has_ratio(lambda: read_or_refuse(largest), lambda: read_or_refuse(quarter), most=8)


@repeatable
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode(errors="surrogatepass")))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """Nothing but YamlProblems comes out of what is no YAML."""
    read_or_refuse(data)


marks = st.sampled_from(
    [*"{}[],:?-&*!|>'\"%@`#~<= \n\t\\", "a", "0", "---\n", "...\n", "<<: ", "\\U", "\\x", "  "]
)


@repeatable
@given(st.lists(marks, max_size=60).map("".join))
def test_any_marks_are_read_or_refused(text: str) -> None:
    """The same for texts made of what has a meaning in YAML."""
    read_or_refuse(text.encode())
