"""What an operator can set, by flag or by environment; a flag wins."""

from __future__ import annotations

import argparse
import ipaddress
import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final

import platformdirs
from msgspec import Struct

DEFAULT_LISTEN: Final = "127.0.0.1:50061"
SQLITE: Final = "sqlite:///"
POSTGRESQL: Final = "postgresql://"
NO_FILE: Final = (SQLITE, f"{SQLITE}:memory:")
"""Plans are kept: a database that ends with the process is none."""


class Settings(Struct, frozen=True):
    listen: str
    database: str
    """sqlite:///PATH or postgresql://…"""
    keep_events: timedelta | None = None
    """How long the content of events is kept; None for ever."""
    policy: Path | None = None
    """The file with the operator's rules; None for none."""

    @property
    def sqlite_path(self) -> Path | None:
        """The file of an embedded database; None for a server's."""
        return sqlite_path(self.database)

    @property
    def shown_database(self) -> str:
        """Where plans are kept, without a password."""
        return str(self.sqlite_path or without_secrets(self.database))


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
    add_database(parser, environment)
    parser.add_argument(
        "--keep-events",
        metavar="DAYS",
        default=environment.get("PLANGATE_KEEP_EVENTS", ""),
        help="how long the content of events is kept; their hashes stay (default for ever; "
        "PLANGATE_KEEP_EVENTS)",
    )
    parser.add_argument(
        "--policy",
        metavar="FILE",
        default=environment.get("PLANGATE_POLICY"),
        help="what is denied, allowed and approved without asking, in YAML; SIGHUP reads it again "
        "(default no rules; PLANGATE_POLICY)",
    )
    given = parser.parse_args(arguments)
    try:
        return Settings(
            _loopback(given.listen),
            _database(given.database),
            _days(given.keep_events),
            _policy(given.policy),
        )
    except ValueError as problem:
        parser.error(str(problem))


def add_database(parser: argparse.ArgumentParser, environment: Mapping[str, str]) -> None:
    """The option that every command has that needs the database."""
    parser.add_argument(
        "--database",
        metavar="URL",
        default=environment.get("PLANGATE_DATABASE", _default_database()),
        help="where plans are kept: sqlite:///PATH or postgresql://… "
        f"(default {_default_database()}; PLANGATE_DATABASE)".replace("%", "%%"),
    )


def sqlite_path(database: str) -> Path | None:
    """The file of an embedded database; None for a server's. Raises ValueError if the URL is neither."""
    path = _database(database).removeprefix(SQLITE)
    return None if path == database else Path(path).expanduser()


def _default_database() -> str:
    return f"{SQLITE}{platformdirs.user_data_path('plangate', appauthor=False) / 'plangate.db'}"


def _loopback(listen: str) -> str:
    """Callers are not told apart yet, so nobody but this machine may be let in."""
    host, _, port = listen.rpartition(":")
    if not host or not re.fullmatch(r"[0-9]{1,5}", port) or int(port) > 65535:
        raise ValueError(f"--listen {listen!r} is not HOST:PORT, like {DEFAULT_LISTEN}")
    if host != "localhost" and not _is_loopback(host):
        raise ValueError(
            f"--listen {listen!r} is not a loopback address: this version cannot tell callers "
            "apart, so it serves only this machine"
        )
    return listen


def _is_loopback(host: str) -> bool:
    try:
        bracketed = re.fullmatch(r"\[(.*)\]", host)
        address = ipaddress.ip_address(bracketed[1] if bracketed else host)
        return address.is_loopback and (address.version == 6) == bool(bracketed)
    except ValueError:
        return False


def _days(text: str) -> timedelta | None:
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) == 0:
        raise ValueError(f"--keep-events {text!r} is not a number of days, like 90")
    return timedelta(days=int(text))


def _policy(path: str | None) -> Path | None:
    """Empty is not left out: a variable that somebody forgot to set must not mean that there are no rules."""
    if path == "":
        raise ValueError("--policy (or PLANGATE_POLICY) is empty: name a file, or leave it out")
    return None if path is None else Path(path)


def _database(url: str) -> str:
    if url.startswith(POSTGRESQL) or (url.startswith(SQLITE) and url not in NO_FILE):
        return url
    raise ValueError(f"--database {without_secrets(url)!r} is neither {SQLITE}PATH nor {POSTGRESQL}…")


def without_secrets(url: str) -> str:
    """The scheme alone: what follows it may hold a password."""
    scheme, found, _ = url.partition("://")
    return f"{scheme}://…" if found else "…"
