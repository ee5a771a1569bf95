"""The URL of the database, which may hold a password: how it is read, and how it is shown."""

from __future__ import annotations

import re
from typing import Final

SQLITE: Final = "sqlite:///"
POSTGRESQL: Final = "postgresql://"
NO_FILE: Final = (SQLITE, f"{SQLITE}:memory:")
"""Plans are kept: a database that ends with the process is none."""

# Only what has this form can be told apart from its password.
_WELL_FORMED: Final = re.compile(
    r"postgresql://"
    r"(?:(?P<user>[\w.~%+-]*)(?P<password>:[^@/?#]*)?@)?"
    r"(?P<place>[\w.~%:,\[\]-]*(?:/[\w.~%+-]*)?)"
    r"(?:\?(?P<options>[^@?#]*))?",
    re.ASCII,
)
_HARMLESS: Final = {
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "port",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "target_session_attrs",
    "user",
}


def database(url: str) -> str:
    if url.startswith(POSTGRESQL) or (url.startswith(SQLITE) and url not in NO_FILE):
        return url
    raise ValueError(f"{scheme_alone(url)!r} is neither {SQLITE}PATH nor {POSTGRESQL}…")


def scheme_alone(url: str) -> str:
    """The scheme alone: what follows it may hold a password."""
    scheme, found, _ = url.partition("://")
    return f"{scheme}://…" if found else "…"


def without_secrets(url: str) -> str | None:
    """As much of it as is no secret, as a URL; None if that cannot be told."""
    if url.startswith(SQLITE):
        return url
    parts = _WELL_FORMED.fullmatch(url)
    if parts is None:
        return None
    options = [each for each in (parts["options"] or "").split("&") if each.partition("=")[0] in _HARMLESS]
    user = f"{parts['user']}@" if parts["user"] else ""
    return f"{POSTGRESQL}{user}{parts['place']}{'?' if options else ''}{'&'.join(options)}"
