"""Every command of docs/operations.md does what the page says, in the order in which operators run them."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests.e2e.cookbook import commands_of
from tests.e2e.pages import SEARCH_PATH, at_home, follow
from tests.e2e.processes import ROOT
from tests.helpers.audit_logs import fill_log
from tests.helpers.gate_process import gate_process
from tests.helpers.postgres import shared_server
from tests.helpers.tokens import token_dir

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
PARTS = re.split(r"^##+ (.+)$", PAGE, flags=re.MULTILINE)
SECTIONS = dict(zip(PARTS[1::2], PARTS[2::2], strict=True))


def run(section: str, folder: Path, tools: str = "", **variables: str) -> None:
    """Run the section's commands; each must print what the page says."""
    search = os.pathsep.join(filter(None, [tools, SEARCH_PATH]))
    environment = {**at_home(folder, token_dir()), "PATH": search, **variables}
    for command in commands_of(SECTIONS[section]):
        follow(command, folder, environment)


def test_backup_and_restore_of_sqlite(tmp_path: Path) -> None:
    """Backed up while the gate runs, restored while it does not, checked when it runs again."""
    database = f"sqlite:///{tmp_path / 'plangate.db'}"
    with gate_process(tmp_path) as address:
        fill_log(address)
        run("Back up SQLite", tmp_path, PLANGATE_TARGET=address, PLANGATE_DATABASE=database)
        fill_log(address, "lost")
    run("Restore SQLite", tmp_path)
    assert (tmp_path / "plangate.db").stat().st_mode & 0o777 == 0o600
    with gate_process(tmp_path) as address:
        run("Check what was restored", tmp_path, PLANGATE_TARGET=address)


def test_backup_and_restore_of_postgresql(tmp_path: Path) -> None:
    """The same, into another database of the same server."""
    server = shared_server()
    server.create_database("dumped")
    settings = {"PLANGATE_DATABASE": server.url("dumped"), "RESTORED": server.url("restored")}
    tools = str(server.binaries)
    with gate_process(tmp_path, server.url("dumped")) as address:
        fill_log(address)
        run("Back up PostgreSQL", tmp_path, tools, PLANGATE_TARGET=address, **settings)
        fill_log(address, "lost")
    assert (tmp_path / "backup.dump").stat().st_mode & 0o777 == 0o600
    run("Restore PostgreSQL", tmp_path, tools, **settings)
    with gate_process(tmp_path, server.url("restored")) as address:
        run("Check what was restored", tmp_path, PLANGATE_TARGET=address)


def test_the_doctor(tmp_path: Path) -> None:
    """What is well, and what is not."""
    with gate_process(tmp_path) as address:
        fill_log(address)
        run("When something does not work", tmp_path, PLANGATE_TARGET=address, PYTHONUTF8="1")


def test_no_command_of_the_page_is_left_out() -> None:
    """A new section with commands needs a test that runs them."""
    run_above = {
        *("Back up SQLite", "Restore SQLite", "Back up PostgreSQL", "Restore PostgreSQL"),
        *("Check what was restored", "When something does not work"),
    }
    assert {title for title, text in SECTIONS.items() if list(commands_of(text))} == run_above
