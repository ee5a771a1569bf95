"""What cannot be read without guessing is refused: at once, with the line and the reason."""

import time

import pytest

from plangate.planfile import PlanFileError, read_plan_file
from plangate.planfile.importers import import_plan
from tests.helpers.hostile_plan_files import HOSTILE


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_are_refused_with_line_and_reason(what: str) -> None:
    """Nothing of such a file is taken; it costs no time to say so (the bench holds it to 50 ms)."""
    data, line, word = HOSTILE[what]
    started = time.perf_counter()
    with pytest.raises(PlanFileError) as refused:
        read_plan_file(data)
    assert time.perf_counter() - started < 1
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
