"""An export of the log: whatever is done to the file, it is found out."""

import hashlib
import json
from dataclasses import replace
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate._audit import Entry, Head
from plangate._audit_file import BadExport, Export, verify_export
from tests.helpers.audit_logs import NOW, as_file, export_of, exported_entries
from tests.helpers.examples import repeatable

TEXTS = ['{"event":1}', '{"says":"Küche"}', '{"says":"\u2028\x7f\u202e"}', "", '{"event":5}']
LOG = exported_entries([text.encode() for text in TEXTS])
LINES = export_of(LOG)
FILE = b"".join(LINES)
HEAD = Head(len(LOG), LOG[-1].hash)


def problem(lines: list[bytes], saved: Head | None = None) -> str:
    """Why an export does not hold."""
    with pytest.raises(BadExport) as caught:
        verify_export(as_file(lines), saved)
    return str(caught.value)


def with_last_line(lines: list[bytes], head: Head = HEAD) -> list[bytes]:
    """The lines as somebody ends them who knows the format, but not the chain."""
    said = {"sequence": head.sequence, "hash": head.hash}
    checksum = hashlib.sha256(b"".join(lines)).hexdigest()
    return [*lines, json.dumps({"head": said, "sha256": checksum}, separators=(",", ":")).encode() + b"\n"]


def with_field(line: bytes, **fields: object) -> bytes:
    return json.dumps(json.loads(line) | fields, separators=(",", ":")).encode() + b"\n"


def test_an_export_is_what_was_exported() -> None:
    """A line for the file, one for each entry, one for the end, all ASCII; and it holds."""
    first, *entries, last = map(json.loads, LINES)
    assert FILE.isascii()
    assert first == {
        "format": "plangate-audit",
        "version": 1,
        "workspace": "acme",
        "time": "2025-03-04T05:06:07+00:00",
    }
    assert [entry["content"] for entry in entries] == TEXTS
    assert [Entry(e["sequence"], e["entry"], e["hash"], e["content"].encode()) for e in entries] == LOG
    assert last["head"] == {"sequence": HEAD.sequence, "hash": HEAD.hash}
    assert last["sha256"] == hashlib.sha256(b"".join(LINES[:-1])).hexdigest()
    assert verify_export(BytesIO(FILE), HEAD).head == HEAD


def test_an_empty_log_is_exported_too() -> None:
    """Its export holds, unless something is known to have been there."""
    lines = export_of([])
    assert len(lines) == 2
    assert verify_export(as_file(lines)).head == Head()
    assert problem(lines, HEAD) == "entry 1 is missing: the log ends at entry 0, and entry 5 was saved"


def test_content_that_is_no_text_is_kept_byte_for_byte() -> None:
    """It cannot be the server's, and whoever looks into it needs to see what it is."""
    log = exported_entries([b"\xff\x00"])
    lines = export_of(log)
    assert json.loads(lines[1])["content_base64"] == "/wA="
    assert verify_export(as_file(lines)).head == Head(1, log[0].hash)


def test_removed_content_is_exported_as_none() -> None:
    """The export holds, and counts what is gone."""
    lines = export_of([*(replace(entry, content=None) for entry in LOG[:2]), *LOG[2:]])
    assert [json.loads(line)["content"] for line in lines[1:-1]] == [None, None, *TEXTS[2:]]
    assert verify_export(as_file(lines), HEAD).without_content == 2


def test_content_removed_while_it_is_exported_is_noticed() -> None:
    """What was written does not fit together, and the export knows the first entry of that."""
    export = Export()
    lines = list(export.lines([LOG[0], *(replace(entry, content=None) for entry in LOG[1:])], NOW))
    assert export.removed_meanwhile == 2
    assert problem(lines) == "line 3: the content of entry 2 is gone, and not by retention"


@repeatable
@given(st.integers(0, len(FILE) - 1), st.integers(1, 255))
def test_every_altered_byte_is_found(place: int, change: int) -> None:
    """Wherever it is, and whatever it becomes."""
    altered = bytearray(FILE)
    altered[place] ^= change
    assert problem([bytes(altered)])


@repeatable
@given(st.integers(0, len(FILE)), st.binary(min_size=1, max_size=3))
def test_every_inserted_byte_is_found(place: int, more: bytes) -> None:
    """Blanks and empty lines as well: what a file says twice, it says otherwise."""
    assert problem([FILE[:place], more, FILE[place:]])


@repeatable
@given(st.integers(0, len(FILE) - 1))
def test_every_file_that_was_cut_off_is_found(length: int) -> None:
    """Be it between two lines or inside one."""
    assert problem([FILE[:length]])


@repeatable
@given(st.lists(st.integers(0, len(LINES) - 1), max_size=len(LINES) + 2))
def test_only_the_lines_in_their_order_hold(places: list[int]) -> None:
    """Lines that are removed, doubled or swapped are found."""
    if places != list(range(len(LINES))):
        assert problem([LINES[place] for place in places])


@pytest.mark.parametrize("number", range(1, len(LOG)))
def test_a_removed_line_is_named(number: int) -> None:
    """Although the last line was made to fit."""
    lines = with_last_line([*LINES[:number], *LINES[number + 1 : -1]])
    said = problem(lines)
    assert (
        said == f"line {number + 1}: entry {number} is missing: entry {number + 1} follows entry {number - 1}"
    )


def test_a_doubled_and_a_swapped_line_are_named() -> None:
    """By the place where the order ends."""
    doubled = [*LINES[:4], LINES[3], *LINES[4:-1]]
    swapped = [*LINES[:2], LINES[3], LINES[2], *LINES[4:-1]]
    assert problem(with_last_line(doubled)).endswith("entry 4 is missing: entry 3 comes again after entry 3")
    assert problem(with_last_line(swapped)).endswith("entry 2 is missing: entry 3 follows entry 1")


def test_entries_cut_off_at_the_end_need_a_saved_head() -> None:
    """Who makes the last line anew is found out by nothing else; without that the line gives it away."""
    shorter = LINES[:4]
    assert problem(shorter) == "the export was cut off: line 4, entry 3, is the last there is"
    assert "entry 4 is missing" in problem([*shorter, LINES[-1]])
    forged = with_last_line(shorter, Head(3, LOG[2].hash))
    assert verify_export(as_file(forged)).head.sequence == 3
    assert problem(forged, HEAD) == "entry 4 is missing: the log ends at entry 3, and entry 5 was saved"


def test_altered_fields_are_named() -> None:
    """With the line and the entry."""
    line = LINES[3]
    for altered, said in (
        (with_field(line, content="{}"), "line 4: the content of entry 3 was altered"),
        (with_field(line, content=None), "line 4: the content of entry 3 is gone, and not by retention"),
        (
            with_field(line, hash="0" * 64),
            "line 4: entry 3 was altered, or is not the one that followed entry 2",
        ),
        (with_field(line, sequence=7), "line 4: entry 3 is missing: entry 7 follows entry 2"),
        (with_field(line, sequence=True), "line 4 (entry 3 or the end of the log) was altered"),
        (with_field(line, entry=5), "line 4 (entry 3 or the end of the log) was altered"),
        (with_field(line, entry="\ud800"), "line 4 (entry 3 or the end of the log) was altered"),
        (with_field(line, content="\ud800"), "line 4 (entry 3 or the end of the log) was altered"),
        (with_field(line, content=5), "line 4 (entry 3 or the end of the log) was altered"),
        (with_field(line, more=1), "line 4 (entry 3 or the end of the log) was altered"),
        (b"[]\n", "line 4 (entry 3 or the end of the log) was altered"),
        (b"{}\n", "line 4 (entry 3 or the end of the log) was altered"),
        (b"[" * 100_000 + b"\n", "line 4 (entry 3 or the end of the log) was altered"),
    ):
        assert problem(with_last_line([*LINES[:3], altered, *LINES[4:-1]])).startswith(said)


def test_the_first_line_counts_too() -> None:
    """No chain covers when the file was made; the checksum does."""
    later = with_field(LINES[0], time="2026-03-04T05:06:07+00:00")
    assert problem([later, *LINES[1:]]).startswith("line 7: the checksum is not that of the lines before")
    other = with_field(LINES[0], workspace="elsewhere")
    assert problem([other, *LINES[1:]]).startswith("line 2: entry 1 of workspace 'elsewhere' says")


def test_what_is_no_export_is_said_to_be_none() -> None:
    """Nor one of a version that this client does not know."""
    assert problem([]) == "the file is empty: it is no export"
    assert problem([b"{}\n"]) == "line 1 does not say that this is an export: see 'plangate audit export'"
    assert problem([b"hello\n"]).startswith("line 1 was altered")
    newer = with_field(LINES[0], version=2)
    assert problem([newer]) == "line 1 says version 2, and this plangate reads version 1"


def test_nothing_may_follow_the_end() -> None:
    """Two exports in one file are none."""
    assert problem([*LINES, LINES[0]]) == "line 8 comes after the last line of the export"
