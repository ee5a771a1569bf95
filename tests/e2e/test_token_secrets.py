"""The secret of a token is shown once: neither the database, nor the log of events, nor any line has it."""

import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg

from plangate_proto.agent.v1.access_token_service_pb2 import WhoAmIRequest
from plangate_server.domain.credentials import hash_secret
from tests.e2e.processes import serving
from tests.helpers.gate import connected
from tests.helpers.identities import make_token, revoke, token_request
from tests.helpers.refusals import refused
from tests.helpers.resuming import log_of
from tests.helpers.tokens import local_token


def everything_in(url: str) -> bytes:
    """All rows of all tables, and for SQLite every byte of its files."""
    if url.startswith("sqlite"):
        path = Path(url.removeprefix("sqlite:///"))
        files = [each.read_bytes() for each in path.parent.glob(path.name + "*")]
        with closing(sqlite3.connect(path)) as database:
            return b"".join([*files, "\n".join(database.iterdump()).encode()])
    with psycopg.connect(url) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        rows = [connection.execute(f'SELECT * FROM "{name}"'.encode()).fetchall() for (name,) in tables]
    return b"\n".join(_bytes(value) for table in rows for row in table for value in row)


def _bytes(value: object) -> bytes:
    return bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode()


def said(secret: str, text: bytes) -> bool:
    return secret.encode() in text or bytes.fromhex(secret) in text


async def test_only_its_hash_is_kept(database: str) -> None:
    """After it was made, repeated, used, misused and revoked, on either kind of database."""
    async with serving(database, "--log-level", "debug") as server, connected(server.address) as gate:
        first = await make_token(gate, "reviewer", "ada", request_id="r1")
        again = await gate.tokens.CreateToken(token_request("reviewer", "ada", request_id="r1"))
        assert again.secret == ""
        async with connected(server.address, token=first.secret) as bearer:
            await bearer.tokens.WhoAmI(WhoAmIRequest())
            await refused(bearer.propose())
            await revoke(gate, first.token)
            told = await refused(bearer.plans())
        events = str(await log_of(gate))
        ended = await server.exit(signal.SIGTERM)
    secret = first.secret.split("_")[2]
    stored = everything_in(database)
    assert hash_secret(secret).encode() in stored, "the search finds what is there"
    lines = (ended.output + ended.errors + server.welcome).encode()
    assert len(ended.log) > 5
    for text in (stored, lines, events.encode(), told.text.encode()):
        assert not said(secret, text)
    for role in ("agent", "reviewer", "admin"):
        local = local_token(role).split("_")[2]
        assert not said(local, stored)
        assert not said(local, lines)
