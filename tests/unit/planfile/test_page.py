"""Every file of docs/plan-files.md is read as the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from plangate.planfile import PlanFileError, read_plan_file, write_plan_file
from plangate.planfile.importers import FORMATS, import_plan

PAGE = (Path(__file__).parents[3] / "docs" / "plan-files.md").read_text(encoding="utf-8")
FILES = re.findall(
    r"^<!-- (\w+):?([^\n]*?) -->\n```(?:markdown|json)\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL
)


def files(kind: str) -> list[tuple[str, bytes]]:
    found = [(expected.strip(), text.encode()) for said, expected, text in FILES if said == kind]
    assert found
    return found


def test_the_whole_file_is_written_as_we_write_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Byte for byte, and the snippet of the page says so itself."""
    [(_, data)] = files("canonical")
    assert write_plan_file(read_plan_file(data)) == data
    (tmp_path / "move_the_cache_0123abcd.plan.md").write_bytes(data)
    monkeypatch.chdir(tmp_path)
    [snippet] = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    said: dict[str, object] = {}
    exec(snippet, said)
    assert "request" in said


def test_names_warnings_and_refusals_are_those_of_the_page() -> None:
    """What is read, what is told and what is refused."""
    for name, data in files("named"):
        assert read_plan_file(data).name == name
    for lines, data in files("warned"):
        assert [str(warning.line) for warning in read_plan_file(data).warnings] == lines.split()
    for expected, data in files("refused"):
        line, _, words = expected.partition(" ")
        with pytest.raises(PlanFileError, match=words) as refused:
            read_plan_file(data)
        assert refused.value.line == int(line)


def test_files_of_other_tools_are_imported() -> None:
    """Each format that is known has a row in the table, and an example with so many todos."""
    for count, data in files("imported"):
        assert len(import_plan(data).todos) == int(count)
    assert all(format.name.removesuffix(" plan").split()[0] in PAGE for format in FORMATS)


def test_every_file_of_the_page_is_one_of_these() -> None:
    """No example is left out."""
    assert len(FILES) == len(re.findall(r"^```(?:markdown|json)$", PAGE, flags=re.MULTILINE))
