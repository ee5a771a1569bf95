"""Whatever bytes a file has, it is read or refused with a line; what is read keeps every word."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate.planfile import PlanFile, PlanFileError, read_plan_file, write_plan_file
from plangate.planfile.importers import import_plan
from tests.helpers.examples import repeatable
from tests.helpers.plan_files import ALL

SIGNS = [
    *"-:#[]{}|>\"'&*!%@`?,\\~ \t\n\r\0\ufeff\u2028\u0085\x1b",
    *("---\n", "\n  ", "\n- ", ": ", " #", "<<: "),
]
KEYS = [
    "name",
    "overview",
    "todos",
    "isProject",
    "phases",
    "id",
    "content",
    "status",
    "dependencies",
    "own",
    "- id",
]
VALUES = [
    *(
        "{}",
        '"{}"',
        "'{}'",
        "{}: {}",
        "{} # {}",
        "# {}",
        "[{}, {}]",
        "{{{}: {}}}",
        "[{}] {}",
        '"{}" {}',
        "`{}`",
        "- {}",
    ),
    *(
        "",
        "|",
        ">-",
        "|+",
        '"{}',
        "{}:",
        "[{}, # {}",
        "{}]",
        "{}\\",
        "*{}",
        "&{}",
        "!{} {}",
        "{{a: [{}]}} # {}",
    ),
]


def read_or_refused(data: bytes) -> PlanFile | None:
    """The plan; None if the file is refused, then with a line of the file and with a reason."""
    refusal: PlanFileError
    try:
        return read_plan_file(data, "a.plan.md")
    except PlanFileError as refused:
        refusal = refused
    assert 1 <= refusal.line <= data.count(b"\n") + 1
    assert refusal.words
    return None


@st.composite
def damaged_files(draw: st.DrawFn) -> bytes:
    """A file of ours with signs of YAML put in, and pieces of it cut out."""
    text = draw(st.sampled_from(list(ALL.values()))).decode()
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 5))
        text = text[:start] + draw(st.sampled_from(SIGNS)) + text[start + cut :]
    return text.encode()


@st.composite
def written_files(draw: st.DrawFn) -> str:
    """Lines that look like front matter, right or wrong, every value with words of its own."""
    number = 0
    lines = ["---", "name: word0"]
    for _ in range(draw(st.integers(1, 12))):
        value = draw(st.sampled_from(VALUES))
        places = value.replace("{{", "").count("{}")
        said = value.format(*(f"word{number + place + 1}" for place in range(places)))
        number += places
        indent = draw(st.sampled_from(["", "", "  ", "    ", "      "]))
        key = draw(st.sampled_from([*(f"{key}: " for key in KEYS), "- ", ""]))
        lines.append(f"{indent}{key}{said}")
    return "\n".join([*lines, "---", f"body{number}", ""])


@repeatable
@given(st.binary(max_size=200) | damaged_files())
def test_any_bytes_are_read_or_refused_with_a_line(data: bytes) -> None:
    """No file makes the reader fail in another way, and what it took can be written and read again."""
    plan = read_or_refused(data)
    if plan is not None:
        written = write_plan_file(plan)
        again = read_plan_file(written, "a.plan.md")
        assert again == plan
        assert write_plan_file(again) == written


@repeatable
@given(written_files())
def test_every_word_is_kept_or_the_file_is_refused(text: str) -> None:
    """Each word of a value, of a comment or of the body is in what is written of the plan."""
    plan = read_or_refused(text.encode())
    if plan is not None:
        words = set(re.findall(r"[a-z]+\d+", text))
        assert words <= set(re.findall(r"[a-z]+\d+", write_plan_file(plan).decode()))


@repeatable
@given(
    st.binary(max_size=200) | damaged_files() | st.sampled_from([b"{", b"[{", b'{"todos":[{"content":1}]}'])
)
def test_any_bytes_are_imported_or_refused(data: bytes) -> None:
    """The same holds for files of other tools."""
    try:
        plan = import_plan(data, "a.json")
    except PlanFileError:
        pass
    else:
        assert read_plan_file(write_plan_file(plan), "a.json") == plan


@pytest.mark.parametrize("name", ALL)
def test_every_beginning_of_a_file_is_read_or_refused(name: str) -> None:
    """A file that was cut off anywhere does no harm."""
    for end in range(len(ALL[name])):
        read_or_refused(ALL[name][:end])
