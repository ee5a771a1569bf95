"""What we write as YAML is the same to every reader of YAML; what we read is what others read."""

from __future__ import annotations

import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from plangate.planfile import PlanFile, PlanFileError, read_plan_file, write_plan_file
from plangate.planfile.problems import Warnings
from plangate.planfile.yaml_subset import Items, Node, Scalar, Table, flow, read_front_matter, scalar
from plangate.planfile.yaml_subset.emit import is_plain
from tests.helpers.examples import repeatable
from tests.helpers.plan_files import ALL, plan_files, texts

Plain = str | list["Plain"] | dict[str, "Plain"]

LOOKALIKES = [
    *(
        "~",
        "null",
        "Null",
        "NULL",
        "yes",
        "No",
        "ON",
        "off",
        "true",
        "FALSE",
        "y",
        "n",
        "=",
        "<<",
        "<",
        "-",
        "--",
        "?",
        ":",
    ),
    *(
        "0",
        "00",
        "007",
        "08",
        "1",
        "-1",
        "+1",
        "1_000",
        "1.",
        "1.5",
        ".5",
        "1e3",
        "1E-3",
        "0x1F",
        "0b1",
        "0o7",
        "1:30",
        "1:30.5",
    ),
    *(
        ".inf",
        "-.INF",
        ".nan",
        "2024-01-02",
        "2024-1-2",
        "2024-01-02 03:04:05",
        "2024-01-02T03:04:05Z",
        "12:30:45",
        "190:20:30",
    ),
    *(
        "-a",
        "- a",
        "-",
        "?a",
        "? a",
        ":a",
        "a:b",
        "a: b",
        "a:",
        "a :",
        "a#b",
        "a #b",
        "# a",
        "#a",
        "a\tb",
        "a\t#b",
        "\ta",
    ),
    *(
        "[a",
        "]a",
        "{a",
        "}a",
        ",a",
        "&a",
        "*a",
        "!a",
        "|a",
        ">a",
        "'a",
        '"a',
        "%a",
        "@a",
        "`a",
        "a'b",
        'a"b',
        "a, b",
        "a [b]",
    ),
    *(
        "---",
        "--- a",
        "...",
        "... a",
        " a",
        "a ",
        "a\n",
        "a\nb",
        "\n",
        "",
        " ",
        "a\\b",
        "\\",
        "\\n",
        "\x7f",
        "\x85",
        "\xa0",
        "\u2028",
    ),
    *(
        "\ufeffa",
        "a\ufeff",
        "\ufffe",
        "😀",
        "計画",
        "a　b",
        "\u202e",
        "0.0.1",
        "1.2.3",
        "v1",
        "1 2",
        "12e",
        "0x",
        "1e",
        "+",
        ".",
        "e3",
    ),
]


def plain(node: Node) -> Plain:
    match node:
        case Scalar():
            return node.text
        case Items():
            return [plain(item) for item in node.items]
        case Table():
            return {key: plain(entry.value) for key, entry in node.entries.items()}


def ours(text: str) -> tuple[Plain, bool]:
    """What the text holds, and whether anything in it had to be mended."""
    warnings = Warnings()
    return plain(read_front_matter(text.split("\n"), 1, warnings).table), any(
        "quotes" in told.words for told in warnings.kept
    )


def theirs(text: str) -> Plain:
    """The same, read by PyYAML, with all types left out."""
    found: Plain = yaml.load(text, Loader=yaml.BaseLoader)
    return found


@pytest.mark.parametrize("text", LOOKALIKES)
def test_a_text_that_looks_like_something_else_stays_a_text(text: str) -> None:
    """As a value and as an item, in block and in flow style, for a reader that knows types."""
    assert yaml.safe_load(f"k: {scalar(text)}\nl:\n  - {scalar(text)}\n") == {"k": text, "l": [text]}
    assert yaml.safe_load(f"k: {flow({text: [text]})}") == {"k": {text: [text]}}
    assert ours(f"k: {scalar(text)}") == ({"k": text}, False)
    assert ours(f"k: {flow([text])}") == ({"k": [text]}, False)


@repeatable
@given(texts)
def test_every_text_is_the_same_to_others(text: str) -> None:
    """What we write for a text, others read as that text, and so do we."""
    assert yaml.safe_load(f"k: {scalar(text)}") == {"k": text}
    assert ours(f"k: {scalar(text)}") == ({"k": text}, False)


@pytest.mark.parametrize(
    "text", ["Move the cache", "a, b", "it's", 'say "so"', "see a:b", "issue#3", "a [b] {c}", "計画 (ä)"]
)
def test_words_need_no_quotes(text: str) -> None:
    """What people write is mostly written as they wrote it."""
    assert is_plain(text)


@repeatable
@given(plan_files())
def test_others_read_the_plans_that_we_write(plan: PlanFile) -> None:
    """Name, overview, todos and phases are the same values to a reader that knows types."""
    _assert_same(plan)


@pytest.mark.parametrize("name", ALL)
def test_others_read_what_we_make_of_any_file(name: str) -> None:
    """What was mended is sound YAML once it is written, with the keys of others in it."""
    _assert_same(read_plan_file(ALL[name], "a.plan.md"))


def _assert_same(plan: PlanFile) -> None:
    written = write_plan_file(plan).decode().removeprefix("\ufeff").replace(plan.newline, "\n")
    found = yaml.safe_load(written.split("\n---\n")[0])
    assert found["name"] == plan.name
    assert found["overview"] == plan.overview
    assert found["isProject"] is plan.is_project
    assert [
        (t["id"], t["content"], t["status"], tuple(t.get("dependencies", ()))) for t in found["todos"]
    ] == [(t.id, t.content, t.status, t.dependencies) for t in plan.todos]
    assert [phase["name"] for phase in found.get("phases", ())] == [phase.name for phase in plan.phases]
    assert {extra.key for extra in plan.extras} <= found.keys()


VALUES = [
    *(
        "a",
        "a b",
        "'it''s'",
        '"q \\n \\u00e4"',
        "[a, 'b c', \"d\"]",
        "[]",
        "{a: b, c: [d]}",
        "a:b",
        "a#b",
        "{}",
        "~",
        '""',
    ),
    *(
        "|\n    one\n     two\n\n    three",
        ">\n    one\n    two\n\n    three\n     four\n    five",
        "|-\n    a\n\n",
        ">-\n\n    a\n",
    ),
    *(
        "|+\n    a\n\n",
        "|2\n     a\n    b",
        "'one\n      two\n\n      three'",
        '"one \\\n      two\n      three"',
        "one\n      two\n\n      three",
    ),
    *(
        "\n    - a\n    - b: c\n      d: e\n    -\n      - f\n    - - g\n      - h",
        "\n    x: y\n    z:\n      - 1",
        "[a,\n      b, # c\n    ]",
    ),
    *("\n    text below", "# comment", "a # comment", "\n    # comment\n    - a", ""),
]


@repeatable
@given(st.lists(st.sampled_from(VALUES), min_size=1, max_size=5))
def test_we_read_what_others_read(values: list[str]) -> None:
    """Every kind of value, side by side and in a list of tables, is to us what it is to PyYAML."""
    indented = "\n".join(f"  k{place}: {value}" for place, value in enumerate(values))
    for text in (f"t:\n{indented}\nend: 1", f"t:\n- {indented.lstrip()}\nend: 1"):
        assert ours(text) == (theirs(text), False)


@repeatable
@given(st.text(st.sampled_from("ab:#-[]{},'\"|> \n"), max_size=25))
def test_what_we_take_without_a_word_is_what_others_take(text: str) -> None:
    """If nothing had to be mended, PyYAML reads the same, or refuses what we do not."""
    document = f"k: {text}\nend: 1"
    try:
        found, mended = ours(document)
        expected = theirs(document)
    except (PlanFileError, yaml.YAMLError):
        return
    if not mended and not re.search(r"(?m)^(?:---|\.\.\.)", document):
        assert found == expected
