"""Tries whether anything can be written, by writing."""

from __future__ import annotations

import secrets
from typing import Final

from sqlalchemy import Connection, delete, insert

from plangate_server.storage.tables import requests

TRIAL_BYTES: Final = 128 * 1024
"""About what a small plan takes: where there is room for less, there is room for nothing."""
NAME: Final = {"workspace": "", "principal": "", "request_id": "trial"}


def write_trial(connection: Connection) -> None:
    """An answer that nobody can ask for, in the place of the one before; it counts as long out of date."""
    named = [requests.c[column] == value for column, value in NAME.items()]
    connection.execute(delete(requests).where(*named))
    # Noise: a database may pack what it stores.
    answer = secrets.token_bytes(TRIAL_BYTES)
    connection.execute(insert(requests), {**NAME, "fingerprint": "", "time": 0, "answer": answer})
