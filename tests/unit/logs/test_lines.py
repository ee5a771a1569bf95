"""A line of the log is one line, in ASCII, whatever is in it."""

import json
import re
from pathlib import Path

import pytest

from plangate_server.logs.lines import line

HOSTILE = {
    "a line break": 'a\nb\r{"level":"error"}',
    "escape sequences": "\x1b[2J\x1b]0;title\x07",
    "a control character of 8 bits": "\x9b31m\x85",
    "delete": "a\x7fb",
    "nul": "a\0b",
    "bidi": "\u202ecod.exe\u202c\u2066\u2069",
    "zero width": "a\u200b\u200d\ufeff\u2060b",
    "line separators": "a\u2028b\u2029c",
    "quotes": '","level":"error","x":"',
    "half a pair": "a\ud800b\udcff",
    "other scripts": "计划 \N{PILE OF POO}",
}


def test_a_line_begins_with_its_time_level_event_and_message() -> None:
    """In this order, then the fields; the time has six digits and is in UTC."""
    written = line("info", "call", "call finished", {"status": "OK", "sent": 3}, 1_700_000_000_000_001_000)
    assert written == (
        b'{"time":"2023-11-14T22:13:20.000001Z","level":"info","event":"call",'
        b'"message":"call finished","status":"OK","sent":3}\n'
    )


def test_without_a_time_it_is_now() -> None:
    """RFC 3339 with microseconds, also where they are zero."""
    pattern = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"
    assert re.fullmatch(pattern, json.loads(line("info", "e", "m", {}))["time"])
    assert re.fullmatch(pattern, json.loads(line("info", "e", "m", {}, 0))["time"])


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_is_escaped_and_complete(kind: str) -> None:
    """Nothing but printable ASCII is written, on one line, and it reads back as it was."""
    text = HOSTILE[kind]
    written = line("info", "event", text, {"field": text, "list": [text]})
    assert re.fullmatch(rb"[\x20-\x7e]+\n", written)
    read = json.loads(written)
    assert (read["message"], read["field"], read["list"], read["level"]) == (text, text, [text], "info")


@pytest.mark.parametrize("text", ["plain", "umläut"])
def test_what_json_does_not_know_is_told_in_words(text: str) -> None:
    """A line never fails whoever has it written."""
    told = json.loads(line("info", "odd", text, {"path": Path("/var/p.db")}))
    assert (told["message"], told["path"]) == (text, "/var/p.db")
