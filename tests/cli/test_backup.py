"""`plangate backup`: a copy that is whole, or none."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Stopped
from tests.helpers.audit_logs import fill_log, tamper
from tests.helpers.command_line import CommandLine, Done
from tests.helpers.gate_process import gate_process


@pytest.fixture
def folder(stopped: Stopped, tmp_path: Path) -> Path:
    """The folder of a gate that has stopped, with something in its log."""
    stopped.copy_to(tmp_path)
    return tmp_path


@pytest.fixture
def plangate(folder: Path) -> CommandLine:
    return CommandLine("127.0.0.1:1", folder)


def backup(plangate: CommandLine, file: str = "copy.db", database: str = "plangate.db") -> Done:
    return plangate("backup", file, "--database", f"sqlite:///{database}")


def files(folder: Path) -> Iterator[str]:
    return (path.name for path in sorted(folder.iterdir()) if path.suffix not in {".log", ".lock"})


def test_a_copy_of_a_gate_that_runs(tmp_path: Path) -> None:
    """It has what the log of the server beside it ends in, which the file alone has not."""
    with gate_process(tmp_path) as address:
        fill_log(address)
        assert (tmp_path / "plangate.db-wal").stat().st_size > 0
        plangate = CommandLine(address, tmp_path)
        done = backup(plangate)
        head = plangate("audit", "verify").out.split()[-1]
    copy = tmp_path / "copy.db"
    said = [f"copy.db: {copy.stat().st_size} bytes, checked", f"workspace default: 10 entries, head {head}"]
    assert done == Done(0, "\n".join([*said, ""]), "")
    assert copy.stat().st_mode & 0o777 == 0o600
    copy.rename(tmp_path / "plangate.db")
    with gate_process(tmp_path) as address:
        assert CommandLine(address, tmp_path)("audit", "verify", "--head", head).code == 0


def test_a_copy_is_one_file(plangate: CommandLine, folder: Path) -> None:
    """Nothing lies beside it, nor beside the database of a stopped gate; an older one is replaced."""
    (folder / "copy.db").write_text("the old one", encoding="utf-8")
    assert backup(plangate).code == 0
    assert list(files(folder)) == ["copy.db", "plangate.db"]
    with closing(sqlite3.connect(folder / "copy.db")) as copy:
        assert copy.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert copy.execute("SELECT * FROM logs").fetchall() == []


def test_the_database_is_found_like_that_of_serve(plangate: CommandLine, folder: Path) -> None:
    """--help names the default and the variable."""
    said = " ".join(plangate("backup", "--help").out.split())
    assert "plangate.db; PLANGATE_DATABASE)" in said
    assert "Exits with 0 if the copy is whole and its log holds; otherwise with 1" in said


def test_a_log_that_does_not_hold(plangate: CommandLine, folder: Path) -> None:
    """The first bad entry is named, and the good backup from before stays."""
    (folder / "copy.db").write_text("the good one", encoding="utf-8")
    tamper(folder / "plangate.db", "UPDATE events SET actor = 'mallory' WHERE sequence = 4")
    complaint = backup(plangate).complaint
    assert complaint.startswith("the event log of workspace default does not hold: entry 4 was altered")
    assert (folder / "copy.db").read_text(encoding="utf-8") == "the good one"
    assert list(files(folder)) == ["copy.db", "plangate.db"]


def test_a_damaged_database(plangate: CommandLine, folder: Path) -> None:
    """Pages that are not what they were are found before the copy replaces anything."""
    database = folder / "plangate.db"
    data = bytearray(database.read_bytes())
    data[4096 * 3 : 4096 * 8] = b"\xff" * (4096 * 5)
    database.write_bytes(data)
    assert "database" in backup(plangate).complaint
    assert list(files(folder)) == ["plangate.db"]


@pytest.mark.parametrize(
    ("file", "database", "problem"),
    [
        ("copy.db", "nowhere.db", "nowhere.db is no database: name the one that the server uses"),
        ("copy.db", "notes.txt", "notes.txt cannot be copied: file is not a database"),
        ("plangate.db", "plangate.db", "plangate.db is the database itself: choose another file"),
        ("busy.db", "plangate.db", "busy.db is a database in use (see busy.db-wal): choose another file"),
        ("folder", "plangate.db", "folder is there and no file: choose another one"),
        ("nowhere/copy.db", "plangate.db", "nowhere/copy.db cannot be written: No such file or directory"),
    ],
)
def test_what_cannot_be_copied(
    plangate: CommandLine, folder: Path, file: str, database: str, problem: str
) -> None:
    """One line says what and what to do; nothing is made, changed or left behind."""
    (folder / "notes.txt").write_text("These are my notes, and no database at all.\n" * 100)
    (folder / "busy.db").touch()
    (folder / "busy.db-wal").touch()
    (folder / "folder").mkdir()
    before = list(files(folder))
    assert backup(plangate, file, database).complaint.startswith(problem)
    assert list(files(folder)) == before


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("postgresql://ada:secret@db/gate", "a PostgreSQL database is copied with pg_dump"),
        ("mysql://ada:secret@db/gate", "'mysql://…' is neither sqlite:///PATH nor postgresql://…"),
    ],
)
def test_databases_that_are_no_file(plangate: CommandLine, url: str, problem: str) -> None:
    """The exit code is that of wrong usage, and no secret is repeated."""
    done = plangate("backup", "copy.db", "--database", url)
    assert done.code == 2
    assert problem in done.err
    assert "secret" not in done.out + done.err


def test_a_link_stays_a_link(plangate: CommandLine, folder: Path) -> None:
    """The copy goes where it leads, as for every program that writes there."""
    (folder / "latest.db").symlink_to("monday.db")
    assert plangate("backup", "latest.db", "--database", "sqlite:///plangate.db").code == 0
    assert (folder / "latest.db").is_symlink()
    assert (folder / "monday.db").stat().st_size
