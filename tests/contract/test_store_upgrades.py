"""What an older version stored is found by this one: what new columns say is read out of the records."""

from datetime import timedelta
from pathlib import Path

from msgspec.structs import replace
from sqlalchemy import Connection, create_engine, text

from plangate_server.domain.sessions import Session, SessionMode
from plangate_server.ports import SessionFilter
from plangate_server.storage import records
from plangate_server.storage.schema import NEWEST, migrate
from plangate_server.storage.upgrading import known, upgrade
from tests.contract.test_store_session_lists import pages
from tests.contract.test_store_sessions import a_session, change
from tests.helpers.backends import Backend, every_database
from tests.helpers.domain import NOW
from tests.helpers.postgres import shared_server

MANY = 1003
"""More than are moved at once."""


def stored_before(connection: Connection, *sessions: Session) -> None:
    """The schema before sessions were listed, with sessions in it."""
    upgrade(connection, "0003")
    row = "INSERT INTO sessions VALUES (:workspace, :session_id, 1, 0, 0, :record)"
    for each in sessions:
        named = {"workspace": each.workspace, "session_id": each.session_id}
        connection.execute(text(row), {**named, "record": records.encode(each)})


def url_of(backend: Backend, folder: Path) -> str:
    """A database with nothing in it, where the backend of the folder looks for it."""
    if backend.name == "sqlite":
        return f"sqlite:///{folder / 'plangate.db'}"
    url = shared_server().url("upgraded")
    shared_server().create_database("upgraded")
    (folder / "postgres.url").write_text(url)
    return url.replace("postgresql:", "postgresql+psycopg:")


def test_the_newest_schema_is_the_last_that_there_is() -> None:
    """A database that has it is opened without a look at the scripts."""
    assert max(known()) == NEWEST


@every_database
async def test_sessions_of_an_older_version_are_listed(backend: Backend, tmp_path: Path) -> None:
    """All of them in their order and with their modes; and they go on as any other."""
    old = [
        replace(a_session(f"s{number:04}"), create_time=NOW + timedelta(microseconds=number))
        for number in range(MANY)
    ]
    old[7] = replace(old[7], mode=SessionMode.PLAN)
    engine = create_engine(url_of(backend, tmp_path))
    with engine.begin() as connection:
        stored_before(connection, *old)
    with engine.begin() as connection:
        migrate(connection)
    engine.dispose()
    async with backend.open(tmp_path) as node:
        found = await node.store.read("acme", lambda reading: pages(reading, SessionFilter(), 500))
        assert found == old[::-1]
        changed = await change(node.store, "s0009", mode=SessionMode.PLAN)
        planning = SessionFilter((SessionMode.PLAN,))
        assert await node.store.read("acme", lambda r: pages(r, planning, 5)) == [changed, old[7]]
