"""What cannot be read without guessing is refused: at once, with the line and the reason."""

import time

import pytest

from plangate.planfile import PlanFileError, read_plan_file
from plangate.planfile.importers import import_plan
from tests.helpers.hostile_plan_files import HOSTILE

MOST_SECONDS = 0.05


def seconds_to_refuse(data: bytes) -> float:
    """Of work, however much else the machine does."""
    started = time.thread_time()
    with pytest.raises(PlanFileError):
        read_plan_file(data)
    return time.thread_time() - started


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_cost_no_time(what: str) -> None:
    """A file that was made to do harm is refused within 50 ms of work; the best of three counts."""
    data, _, _ = HOSTILE[what]
    assert min(seconds_to_refuse(data) for _ in range(3)) < MOST_SECONDS


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
