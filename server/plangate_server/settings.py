"""What an operator can set, by flag or by environment; a flag wins."""

from __future__ import annotations

import argparse
import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import platformdirs

DEFAULT_LISTEN: Final = "127.0.0.1:50061"
SQLITE: Final = "sqlite:///"


@dataclass(frozen=True, slots=True)
class Settings:
    listen: str
    database: Path


def read_settings(arguments: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """The settings, or an exit with what is wrong and what to do."""
    parser = argparse.ArgumentParser(
        prog="plangate serve", description="Start the gate. Ctrl-C or SIGTERM stops it."
    )
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        default=environment.get("PLANGATE_LISTEN", DEFAULT_LISTEN),
        help=f"loopback address for gRPC, port 0 for a free one (default {DEFAULT_LISTEN}; PLANGATE_LISTEN)",
    )
    parser.add_argument(
        "--database",
        metavar="URL",
        default=environment.get("PLANGATE_DATABASE", _default_database()),
        help="where plans are kept: sqlite:///PATH (default %(default)s; PLANGATE_DATABASE)",
    )
    given = parser.parse_args(arguments)
    try:
        return Settings(_loopback(given.listen), _sqlite_path(given.database))
    except ValueError as problem:
        parser.error(str(problem))


def _default_database() -> str:
    return f"{SQLITE}{platformdirs.user_data_path('plangate', appauthor=False) / 'plangate.db'}"


def _loopback(listen: str) -> str:
    """Callers are not told apart yet, so nobody but this machine may be let in."""
    host, _, port = listen.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise ValueError(f"--listen {listen!r} is not HOST:PORT, like {DEFAULT_LISTEN}")
    if host != "localhost" and not _is_loopback(host):
        raise ValueError(
            f"--listen {listen!r} is not a loopback address: this version cannot tell callers "
            "apart, so it serves only this machine"
        )
    return listen


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _sqlite_path(database: str) -> Path:
    path = database.removeprefix(SQLITE)
    if path == database or not path:
        raise ValueError(f"--database {_without_secrets(database)!r} is not {SQLITE}PATH")
    return Path(path).expanduser()


def _without_secrets(url: str) -> str:
    """The scheme alone: what follows it may hold a password."""
    scheme, found, _ = url.partition("://")
    return f"{scheme}://…" if found else url
