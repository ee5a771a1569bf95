"""What the commands of one batch see of the store.

What this node committed last need not be read again. Another node may have stored it since: the commit checks
every plan and session that is written, and a command that rests on one that it does not write is run again on
what is really stored.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import Connection

from plangate_server.domain.comments import Taken
from plangate_server.domain.events import Change, SessionChange
from plangate_server.domain.plan import Plan
from plangate_server.domain.sessions import Session
from plangate_server.ports import RequestKey
from plangate_server.storage import records
from plangate_server.storage.answers import Answers
from plangate_server.storage.reading import SqlReading
from plangate_server.storage.recent import ByHeart, Recent


class CommandReading(SqlReading):
    """Knows recent plans and sessions by heart."""

    def __init__(self, connection: Connection, workspace: str, recent: Recent, answers: Answers) -> None:
        super().__init__(connection, workspace)
        self.by_heart = ByHeart(recent, workspace, self.versions)
        self._answers = answers
        self._taken: dict[tuple[str, frozenset[str]], Taken] = {}

    def plan(self, plan_id: str) -> Plan | None:
        return self.by_heart.plan(plan_id) or super().plan(plan_id)

    def session(self, session_id: str) -> Session | None:
        return self.by_heart.session(session_id) or super().session(session_id)

    def plan_under_review(self, approval_request_id: str) -> Plan | None:
        return self.by_heart.plan_named(approval_request_id) or super().plan_under_review(approval_request_id)

    def plan_of_build(self, build_id: str) -> Plan | None:
        return self.by_heart.plan_named(build_id) or super().plan_of_build(build_id)

    def comments_taken(self, plan_id: str, besides: Collection[str]) -> Taken:
        """Counted once for all commands of the batch between which no comment is added."""
        asked = (plan_id, frozenset(besides))
        if asked not in self._taken:
            self._taken[asked] = super().comments_taken(plan_id, besides)
        return self._taken[asked]

    def recalled(self, key: RequestKey) -> tuple[str, Change | SessionChange] | None:
        stored = self._answers.get(self._workspace, key)
        if stored is None:
            return None
        fingerprint, record = stored
        answer = records.decode_answer(record)
        if isinstance(answer, SessionChange):
            return fingerprint, answer
        revision = self.revision(answer.plan_id, answer.revision)
        assert revision, "an answer is remembered in the transaction that stored its revision"
        earlier = self.revision(answer.plan_id, answer.before_revision) if answer.before else None
        return fingerprint, records.change_from(answer, self._workspace, revision, earlier)


class Looks:
    def __init__(self, connection: Connection, recent: Recent, answers: Answers) -> None:
        self._connection = connection
        self._recent = recent
        self._answers = answers
        self._known: dict[str, CommandReading] = {}
        self._fresh: dict[str, CommandReading] = {}

    def known(self, workspace: str) -> CommandReading:
        """By heart where possible, for a new command."""
        reading = self._known.get(workspace)
        if reading is None:
            reading = self._known[workspace] = self._reading(workspace, self._recent)
        reading.by_heart.asked.clear()
        return reading

    def fresh(self, workspace: str) -> CommandReading:
        """From the database."""
        if workspace not in self._fresh:
            self._fresh[workspace] = self._reading(workspace, Recent())
        return self._fresh[workspace]

    @property
    def versions(self) -> Mapping[str, int]:
        """How often each plan and session had been stored when it was looked at; of two looks, what was known
        by heart counts, which if it is outdated is only run again.
        """
        seen: dict[str, int] = {}
        for reading in (*self._fresh.values(), *self._known.values()):
            seen |= reading.versions
        return seen

    def _reading(self, workspace: str, recent: Recent) -> CommandReading:
        return CommandReading(self._connection, workspace, recent, self._answers)
