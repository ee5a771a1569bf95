"""Every command of docs/plan-files.md prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path

from tests.e2e.cookbook import commands_of
from tests.e2e.pages import at_home, follow
from tests.e2e.processes import ROOT
from tests.helpers.gate_process import gate_process
from tests.helpers.tokens import token_dir

PAGE = (ROOT / "docs" / "plan-files.md").read_text(encoding="utf-8")


def file_on_the_page() -> str:
    """The one in our own form."""
    (file,) = re.findall(r"^<!-- canonical -->\n```markdown\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert isinstance(file, str)
    return file


def prepare(folder: Path) -> None:
    """The files that the page takes to be there."""
    written = {
        "move_the_cache.plan.md": file_on_the_page(),
        "drafts/move_the_cache.plan.md": file_on_the_page(),
        "drafts/garden.plan.md": "# Tend the garden\n",
        "notes/todos.json": '{"todos": [{"content": "Sweep"}]}',
    }
    for name, text in written.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def test_every_command_prints_what_the_page_says(tmp_path: Path) -> None:
    """Run one after the other, by an agent and a person on one machine; the export is the page's own file."""
    prepare(tmp_path)
    with gate_process(tmp_path) as address:
        environment = {**at_home(tmp_path, token_dir()), "PLANGATE_TARGET": address}
        for command in commands_of(PAGE):
            follow(command, tmp_path, environment)
    (exported,) = tmp_path.glob("move_the_cache_????????.plan.md")
    assert exported.read_text(encoding="utf-8") == file_on_the_page().replace("completed", "pending")
