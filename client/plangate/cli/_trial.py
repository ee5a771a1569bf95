"""The files of ``plangate certs``: NAME.pem is a certificate, NAME.key its key, only for their owner."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from plangate.cli._certificates import CLIENT, SERVER, Issued, host_name, issue, make_authority, read_issued

LOCAL: Final = ("localhost", "127.0.0.1", "::1")
MOST_DAYS: Final = 825
"""More than that, some clients do not take."""
CLIENT_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,50}")
HOST: Final = re.compile(
    r"(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]{0,62})(\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,62}))*"
)


class CannotMake(Exception):
    """What the person should read."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be made beside a CA and the server's certificate."""

    names: tuple[str, ...] = ()
    clients: tuple[str, ...] = ()
    days: int = 90


def make(folder: Path, wanted: Wanted) -> list[tuple[Path, str]]:
    """Make what is missing and give the certificates with what each is; CannotMake, and nothing was made."""
    _check(wanted)
    try:
        _open(folder)
        return _make(folder, wanted)
    except OSError as error:
        raise CannotMake(f"{error.filename or folder} cannot be used: {error.strerror}") from None


def _check(wanted: Wanted) -> None:
    if not 1 <= wanted.days <= MOST_DAYS:
        raise CannotMake(f"--days {wanted.days} is not from 1 to {MOST_DAYS}")
    for name in wanted.names:
        if ":" not in name and not HOST.fullmatch(name):
            raise CannotMake(f"--name {name!r} is neither a host name in ASCII nor an address")
        if ":" in name and not _is_address(name):
            raise CannotMake(f"--name {name!r} is no address: give the host alone, without a port")
    for name in wanted.clients:
        if not CLIENT_NAME.fullmatch(name):
            raise CannotMake(f"--client {name!r} is not made of letters, digits and . _ @ - alone")
    if len(set(wanted.clients)) != len(wanted.clients):
        raise CannotMake("--client names somebody twice")


def _is_address(name: str) -> bool:
    return not isinstance(host_name(name).value, str)


def _open(folder: Path) -> None:
    """A folder that is nobody else's."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = folder.stat().st_mode & 0o777
    if mode & 0o077:
        raise CannotMake(f"{folder} is open to others, mode {mode:04o}: chmod 700 {folder}, or name another")


def _make(folder: Path, wanted: Wanted) -> list[tuple[Path, str]]:
    new: dict[str, tuple[Issued, str]] = {}
    authority = _found(folder, "ca")
    if authority is None:
        authority = make_authority("Plangate trial CA", wanted.days)
        new["ca"] = authority, "the CA, which clients trust"
    for stem, issued, what in _signed(folder, authority, wanted):
        new[stem] = issued, what
    if not new:
        raise CannotMake(
            f"{folder} has a CA and the server's certificate: name a --client, or remove server.pem and "
            "server.key to have them made again"
        )
    _write_all(folder, {stem: issued for stem, (issued, _) in new.items()})
    return [(folder / f"{stem}.pem", _with_end(what, issued)) for stem, (issued, what) in new.items()]


def _signed(folder: Path, authority: Issued, wanted: Wanted) -> Iterator[tuple[str, Issued, str]]:
    now = datetime.now(UTC)
    if authority.certificate.not_valid_after_utc <= now:
        raise CannotMake(f"the CA in {folder} has expired: name another folder")
    end = now + timedelta(days=wanted.days)
    hosts = tuple(dict.fromkeys((*LOCAL, *wanted.names)))
    if not _is_there(folder, "server"):
        yield "server", issue(authority, "plangate", SERVER, end=end, hosts=hosts), f"for {', '.join(hosts)}"
    elif wanted.names:
        raise CannotMake(f"{folder / 'server.pem'} is there: remove it and server.key to have others made")
    for client in wanted.clients:
        stem = f"client-{client}"
        if _is_there(folder, stem):
            raise CannotMake(f"{folder / stem}.pem is there: remove it and {stem}.key to have others made")
        yield stem, issue(authority, client, CLIENT, end=end), f"for the client {client}"


def _with_end(what: str, issued: Issued) -> str:
    return f"{what}, until {issued.certificate.not_valid_after_utc:%Y-%m-%d}"


def _is_there(folder: Path, stem: str) -> bool:
    certificate, key = ((folder / f"{stem}.{end}").exists() for end in ("pem", "key"))
    if certificate != key:
        there, missing = (".pem", ".key") if certificate else (".key", ".pem")
        raise CannotMake(
            f"{folder / stem}{there} is there without {stem}{missing}: remove it, or bring the other"
        )
    return certificate


def _found(folder: Path, stem: str) -> Issued | None:
    if not _is_there(folder, stem):
        return None
    try:
        return read_issued((folder / f"{stem}.pem").read_bytes(), (folder / f"{stem}.key").read_bytes())
    except (TypeError, ValueError):
        raise CannotMake(f"{folder / stem}.pem and {stem}.key are no CA of 'plangate certs'") from None


def _write_all(folder: Path, new: dict[str, Issued]) -> None:
    """All of them or none. The key comes first: whoever sees a certificate has its key, too."""
    written: list[Path] = []
    try:
        for stem, issued in new.items():
            for path, content in (
                (folder / f"{stem}.key", issued.key_pem),
                (folder / f"{stem}.pem", issued.certificate_pem),
            ):
                with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                    written.append(path)
                    file.write(content)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise
