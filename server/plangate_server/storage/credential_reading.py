"""Reading tokens."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, func, select

from plangate_server.domain.credentials import Credential
from plangate_server.storage import records
from plangate_server.storage.looking import Looking
from plangate_server.storage.tables import credentials


class CredentialReading(Looking):
    def credential(self, credential_id: str) -> Credential | None:
        query = select(credentials.c.record).where(credentials.c.workspace == self._workspace)
        record = self._connection.scalar(query.where(credentials.c.credential_id == credential_id))
        return None if record is None else records.decode_credential(record)

    def certified(self, certificate: str) -> Sequence[Credential]:
        query = select(credentials.c.record).where(credentials.c.certificate == certificate)
        found = self._connection.scalars(query.order_by(credentials.c.credential_id))
        return [records.decode_credential(record) for record in found]

    def credentials(self, *, after: str, limit: int) -> Sequence[Credential]:
        query = select(credentials.c.record).where(credentials.c.workspace == self._workspace)
        query = query.where(credentials.c.credential_id > after).order_by(credentials.c.credential_id)
        return [records.decode_credential(record) for record in self._connection.scalars(query.limit(limit))]


def credentials_in_force(connection: Connection, now: datetime) -> Sequence[Credential]:
    lasting = credentials.c.due.is_(None) | (credentials.c.due > records.microseconds(now))
    query = select(credentials.c.record).where(credentials.c.revoked.is_(None), lasting)
    found = connection.scalars(query.order_by(credentials.c.credential_id))
    return [records.decode_credential(record) for record in found]


def count_credentials(connection: Connection) -> tuple[int, int, str]:
    last = func.coalesce(func.max(credentials.c.credential_id), "")
    query = select(func.count(), func.count(credentials.c.revoked), last).select_from(credentials)
    made, revoked, newest = connection.execute(query).one()
    return made, revoked, newest
