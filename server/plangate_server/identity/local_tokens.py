"""Tokens for whoever runs the server, in files that only this user can read.

So a developer's own agent and terminal find theirs without any setup, and another user's do not.
"""

from __future__ import annotations

import getpass
import os
import secrets
import stat
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Final

from plangate_server.domain.credentials import Credential, hash_secret, read_token_text, token_text
from plangate_server.domain.identity import OPERATORS_WORKSPACE, Principal, Role
from plangate_server.domain.review import SERVICE

LOCAL_ROLES: Final = (Role.AGENT, Role.REVIEWER, Role.ADMIN)
OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class TokenFileProblem(Exception):
    """A file with a token that cannot be used; its words say what to do."""


def local_credentials(folder: Path, now: datetime) -> list[Credential]:
    """The tokens in the folder; those that are missing are made."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_owner(folder, folder.stat(), stat.S_IWGRP | stat.S_IWOTH)
        found = [_credential(role, _read_or_make(folder / f"{role}.token"), now) for role in LOCAL_ROLES]
    except OSError as error:
        raise TokenFileProblem(f"cannot keep tokens in {folder}: {error.strerror or error}") from error
    if len({each.credential_id for each in found}) < len(found):
        raise TokenFileProblem(f"{folder} has one token for several roles: remove its files")
    return found


def local_token(folder: Path, role: Role) -> str:
    """The token of a role, as its bearer shows it."""
    return token_text(*_read_or_make(folder / f"{role}.token"))


def observer(workspace: str, now: datetime) -> tuple[Credential, str]:
    """Who may look at the workspace while this server runs, and the token that shows it: kept nowhere."""
    credential_id, secret = secrets.token_hex(16), secrets.token_hex(16)
    principal = Principal("local-observer", workspace, Role.OBSERVER, _user())
    credential = Credential(credential_id, principal, now, SERVICE, secret_hash=hash_secret(secret))
    return credential, token_text(credential_id, secret)


def _credential(role: Role, parts: tuple[str, str], now: datetime) -> Credential:
    credential_id, secret = parts
    person = _user()
    name = person if role is Role.REVIEWER else f"local-{role}"
    principal = Principal(name, OPERATORS_WORKSPACE, role, person)
    return Credential(credential_id, principal, now, SERVICE, secret_hash=hash_secret(secret))


def _user() -> str:
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # in a container whose user has no name
        user = str(os.geteuid())
    return f"user-{user}" if user == SERVICE or user.isdecimal() else user


def _read_or_make(path: Path) -> tuple[str, str]:
    if not os.path.lexists(path):
        _make(path)
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):  # but a link to elsewhere, say, or a pipe
        raise TokenFileProblem(f"{path} is no file: remove it, so that one is made")
    _check_owner(path, status, OTHERS)
    with path.open("rb") as file:
        text = file.read(200).decode("ascii", errors="replace").strip()
    parts = read_token_text(text)
    if parts is None:
        raise TokenFileProblem(f"{path} holds no token: remove it, so that a new one is made")
    return parts


def _check_owner(path: Path, status: os.stat_result, forbidden: int) -> None:
    if status.st_uid != os.geteuid() or status.st_mode & forbidden:
        raise TokenFileProblem(
            f"{path} is open to others than its user: remove it, so that a new one is made, "
            f"or chmod {'700' if stat.S_ISDIR(status.st_mode) else '600'} it"
        )


def _make(path: Path) -> None:
    """Whole or not at all, and never in the place of one that another server has just made."""
    handle, draft = tempfile.mkstemp(prefix=".", dir=path.parent)
    try:
        with os.fdopen(handle, "w") as file:
            file.write(token_text(secrets.token_hex(16), secrets.token_hex(16)) + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            return
    finally:
        Path(draft).unlink()
