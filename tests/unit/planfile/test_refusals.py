"""What cannot be read without guessing is refused: at once, with the line and the reason."""

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from plangate.planfile import PlanFileError, read_plan_file
from plangate.planfile.importers import import_plan
from tests.helpers.hostile_plan_files import HOSTILE
from tests.helpers.thread_times import has_ratio

MOST_CALLS = 2000
MOST_CALLS_PER_BYTE = 2


ENDLESS: dict[str, tuple[str, str]] = {
    "brackets": ("own: ", "["),
    "braces": ("own: ", "{a: "),
    "dashes": ("own:\n  ", "- "),
    "anchors": ("own: ", "&a "),
    "tags": ("own: ", "!!"),
    "an open quote": ('own: "a\n', "  b\n"),
    "an open list": ("own: [a,\n", "  b,\n"),
    "backslashes": ('own: "', "\\"),
    "blanks": ("own: &a", " \t"),
}
"""What a line begins with, and what follows without an end."""


def calls_to_refuse(data: bytes) -> int:
    """How many functions are called for it: work that can be counted on any machine."""
    calls = 0

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        read_plan_file(data)
    except PlanFileError:
        return calls
    finally:
        sys.setprofile(None)
    raise AssertionError("it was read")


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_cost_little(what: str) -> None:
    """A file that was made to do harm leads to few calls for its size."""
    data, _, _ = HOSTILE[what]
    assert calls_to_refuse(data) <= MOST_CALLS + MOST_CALLS_PER_BYTE * len(data)


@pytest.mark.parametrize("what", ENDLESS)
def test_no_pattern_runs_wild_on_what_is_refused(what: str) -> None:
    """Four times as much takes no more than in proportion, regular expressions included."""
    begin, unit = ENDLESS[what]

    def refusing(units: int) -> Callable[[], None]:
        data = f"---\nname: a\n{begin}{unit * units}\n---\n\nbody\n".encode()

        def refuse() -> None:
            with pytest.raises(PlanFileError):
                read_plan_file(data)

        return refuse

    # Every place again for each place would take sixteen times as long.
    assert has_ratio(refusing(48_000), refusing(12_000), most=8)


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_are_refused_with_line_and_reason(what: str) -> None:
    """Nothing of such a file is taken."""
    data, line, word = HOSTILE[what]
    with pytest.raises(PlanFileError) as refused:
        read_plan_file(data)
    assert refused.value.line == line
    assert word in refused.value.words
    assert len(refused.value.words) < 250
    assert str(refused.value) == f"line {line}: {refused.value.words}"


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("{", 1, "not JSON"),
        ('{\n"todos": [}', 2, "not JSON"),
        ("{}", 1, "none that is known"),
        ('{"todos": []}', 1, "none that is known"),
        ('{"todos": [{"content": ""}]}', 1, "todos[0].content"),
        ('{"todos": [{"content": {"a": 1}}]}', 1, "todos[0].content"),
        ('{"todos": [{"content": "a\\u0000"}]}', 1, "character"),
        ('{"todos": [{"content": "\\ud800"}]}', 1, "character"),
        ('{"todos": [{"content": "a", "content": "b"}]}', 1, "twice"),
        ('{"todos": [{"content": "a", "id": 1}, {"content": "b", "id": "1"}]}', 1, "twice"),
        ('{"plan": [{"step": "a", "content": "b"}]}', 1, "does not belong"),
        ('{"plan": [{"step": "a", "dependencies": "b"}]}', 1, "list"),
        ('{"plan": [{"step": "a", "x": NaN}]}', 1, "NaN"),
        ('{"a": {"tasks": [{"id": 1, "title": ""}]}}', 1, "title"),
        ('{"a":' * 100_000, 1, "deep"),
        ('{"a":' * 30 + "1" + "}" * 30, 1, "deep"),
        ('{"a": ' + "1" * 5000 + "}", 1, "number"),
        ("", 1, "nothing"),
        ("---\nname: a\n---\n", 1, "nothing"),
    ],
)
def test_what_no_importer_knows_is_refused(text: str, line: int, word: str) -> None:
    """A file that is none of the known ones is named as such, and never half read."""
    with pytest.raises(PlanFileError) as refused:
        import_plan(text.encode())
    assert refused.value.line == line
    assert word in refused.value.words
