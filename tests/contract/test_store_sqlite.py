"""What only the embedded database has to promise: its file, and what goes wrong with files."""

import sqlite3
import threading
from pathlib import Path

import pytest

from plangate_server.storage.hub import Hub
from plangate_server.storage.schema import CannotOpen, NewerSchema
from plangate_server.storage.sqlite import DatabaseInUse, open_sqlite
from tests.helpers.backends import plan_in, save
from tests.helpers.domain import a_plan, a_proposal, plan_id

OTHER_VERSION = "9999"


@pytest.fixture
def of_another_version(tmp_path: Path) -> Path:
    """A database that a newer server has made."""
    path = tmp_path / "plangate.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
    connection.execute("INSERT INTO alembic_version VALUES (?)", (OTHER_VERSION,))
    connection.commit()
    connection.close()
    return path


def files_in(folder: Path) -> list[str]:
    """What holds data: the lock beside it is empty."""
    return [file.name for file in folder.iterdir() if file.suffix != ".lock"]


async def test_the_file_and_its_folder_are_made(tmp_path: Path) -> None:
    """A first start needs nothing prepared."""
    path = tmp_path / "not" / "there" / "plangate.db"
    async with open_sqlite(path, Hub()) as store:
        await save(store, a_proposal(1))
    assert path.is_file()


async def test_a_closed_store_is_one_file(tmp_path: Path) -> None:
    """After closing, everything is in the one file, which can be copied as it is."""
    path = tmp_path / "plangate.db"
    async with open_sqlite(path, Hub()) as store:
        await save(store, a_proposal(1))
    assert files_in(tmp_path) == ["plangate.db"]
    copy = tmp_path / "copy" / "plangate.db"
    copy.parent.mkdir()
    copy.write_bytes(path.read_bytes())
    async with open_sqlite(copy, Hub()) as store:
        assert await plan_in(store, "acme", plan_id(1)) == a_plan(1)


async def test_a_library_that_is_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server says so when it starts, and makes no file."""
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 32, 3))
    with pytest.raises(CannotOpen, match="or newer"):
        async with open_sqlite(tmp_path / "plangate.db", Hub()):
            pass
    assert files_in(tmp_path) == []


async def test_a_file_of_a_newer_version_is_not_opened(of_another_version: Path) -> None:
    """The refusal names the schema and says what to do."""
    with pytest.raises(NewerSchema) as refused:
        async with open_sqlite(of_another_version, Hub()):
            pass
    assert f"has schema {OTHER_VERSION}," in str(refused.value)
    assert "use that one, or another database" in str(refused.value)


async def test_a_file_of_a_newer_version_is_not_changed(of_another_version: Path) -> None:
    """The server that made it can still use it."""
    with pytest.raises(NewerSchema):
        async with open_sqlite(of_another_version, Hub()):
            pass
    connection = sqlite3.connect(of_another_version)
    assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(OTHER_VERSION,)]
    assert connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall() == [
        ("alembic_version",)
    ]
    connection.close()


async def test_what_is_no_database_is_refused_and_not_changed(tmp_path: Path) -> None:
    """Somebody's own file is named in the refusal and left as it was."""
    path = tmp_path / "notes.txt"
    path.write_text("These are my notes, and no database at all.\n" * 100)
    before = path.read_bytes()
    with pytest.raises(CannotOpen) as refused:
        async with open_sqlite(path, Hub()):
            pass
    assert str(path) in str(refused.value)
    assert path.read_bytes() == before


async def test_a_store_that_did_not_open_leaves_nothing_behind(of_another_version: Path) -> None:
    """No thread waits for the work of a store that never was, and the file can be opened by others."""
    before = set(threading.enumerate())
    for _ in range(2):
        with pytest.raises(NewerSchema):
            async with open_sqlite(of_another_version, Hub()):
                pass
    assert set(threading.enumerate()) <= before


async def test_a_second_server_is_refused(tmp_path: Path) -> None:
    """Two servers on one file would not see each other's streams; after the first, the next is let in."""
    path = tmp_path / "plangate.db"
    async with open_sqlite(path, Hub()) as store:
        await save(store, a_proposal(1))
        with pytest.raises(DatabaseInUse) as refused:
            async with open_sqlite(path, Hub()):
                pass
        assert str(path) in str(refused.value)
        await save(store, a_proposal(2))
    async with open_sqlite(path, Hub()) as store:
        assert await plan_in(store, "acme", plan_id(2)) == a_plan(2)


async def test_a_closed_store_leaves_no_thread(tmp_path: Path) -> None:
    """Opening and closing does not add up."""
    before = set(threading.enumerate())
    async with open_sqlite(tmp_path / "plangate.db", Hub()) as store:
        await save(store, a_proposal(1))
        await plan_in(store, "acme", plan_id(1))
    left = [thread.name for thread in set(threading.enumerate()) - before]
    assert not [name for name in left if name.startswith("plangate")]


@pytest.mark.parametrize("name", ["with space.db", "ha#sh.db", "計画.db", "per%20cent.db", "what?.db"])
async def test_the_file_has_the_name_that_was_given(tmp_path: Path, name: str) -> None:
    """Characters that mean something in a URL are part of a path like any other."""
    async with open_sqlite(tmp_path / name, Hub()) as store:
        await save(store, a_proposal(1))
    assert files_in(tmp_path) == [name]
