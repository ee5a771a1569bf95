"""Tries whether anything can be written, by writing."""

from __future__ import annotations

import secrets
from typing import Final

from sqlalchemy import Connection, text

TRIAL_BYTES: Final = 128 * 1024
"""About what a small plan takes: where there is room for less, there is room for nothing."""
# In one statement: another node may try at the same time.
TRIAL: Final = text(
    "INSERT INTO requests (workspace, principal, request_id, fingerprint, time, answer)"
    " VALUES ('', '', 'trial', '', 0, :answer)"
    " ON CONFLICT (workspace, principal, request_id) DO UPDATE SET answer = excluded.answer"
)


def write_trial(connection: Connection) -> None:
    """An answer that nobody can ask for, in the place of the one before; it counts as long out of date."""
    # Noise: a database may pack what it stores.
    connection.execute(TRIAL, {"answer": secrets.token_bytes(TRIAL_BYTES)})
