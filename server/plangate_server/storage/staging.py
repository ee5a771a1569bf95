"""What commands have done that is not committed yet.

Each command works on a staging of its own, laid over that of its batch, laid over the store. A command
that fails is thrown away with its staging; nothing of it has reached the batch or the database.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass, field
from typing import Protocol

from plangate_server.domain.approvals import Approval
from plangate_server.domain.builds import Build
from plangate_server.domain.comments import Comment, Taken
from plangate_server.domain.credentials import Credential
from plangate_server.domain.errors import RequestIdReused
from plangate_server.domain.events import Change, LogEvent, SessionChange
from plangate_server.domain.plan import Plan, Revision
from plangate_server.domain.remembering import Remembered
from plangate_server.domain.review import Review
from plangate_server.domain.sessions import FullAccessState, Session
from plangate_server.ports import Lookup, RequestKey
from plangate_server.storage import records

RequestName = tuple[str, str, str]
"""Workspace, principal and request_id."""
CallName = tuple[str, str, str]
"""Workspace, session and call_id."""


@dataclass(slots=True)
class Staged:
    """Rows to be written."""

    plans: dict[str, Plan] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    """By their keys."""
    revisions: dict[tuple[str, int], Revision] = field(default_factory=dict)
    reviews: dict[str, tuple[Plan, Review]] = field(default_factory=dict)
    builds: dict[str, tuple[Plan, Build]] = field(default_factory=dict)
    comments: dict[str, tuple[Plan, Comment]] = field(default_factory=dict)
    approvals: dict[CallName, Approval] = field(default_factory=dict)
    remembered: dict[str, tuple[str, Remembered | None]] = field(default_factory=dict)
    """With their workspaces; None for what is forgotten."""
    credentials: dict[str, Credential] = field(default_factory=dict)
    requests: dict[RequestName, tuple[str, Change | SessionChange]] = field(default_factory=dict)
    events: list[LogEvent] = field(default_factory=list)

    def add(self, change: Change, before: Plan | None) -> None:
        """Everything of the change that differs from how the plan was before."""
        plan = change.plan
        self.plans[plan.plan_id] = plan
        if change.session is not None:
            self.sessions[session_key(plan.workspace, plan.session_id)] = change.session
        if before is None or before.revision is not plan.revision:
            self.revisions[plan.plan_id, plan.revision.number] = plan.revision
        if plan.review.approval_request_id and (before is None or before.review is not plan.review):
            self.reviews[plan.review.approval_request_id] = (plan, plan.review)
        self.reviews.update((review.approval_request_id, (plan, review)) for review in change.reviews)
        self.builds.update((build.build_id, (plan, build)) for build in change.builds)
        self.comments.update((comment.comment_id, (plan, comment)) for comment in change.comments)
        self.events += (*change.events, *change.session_events)

    def add_sessions(self, change: SessionChange, workspace: str) -> None:
        self.sessions.update((session_key(workspace, each.session_id), each) for each in change.sessions)
        self.approvals.update(((workspace, each.session_id, each.call_id), each) for each in change.approvals)
        self.remembered.update((each.remembered_id, (workspace, None)) for each in change.forgotten)
        self.remembered.update((each.remembered_id, (workspace, each)) for each in change.remembered)
        self.credentials.update((each.credential_id, each) for each in change.credentials)
        self.events += change.events
        if change.refused is not None:
            self.events.append(change.refused)

    def writes(self, keys: Set[str]) -> bool:
        """Whether all of these plans and sessions are among the rows."""
        return keys <= self.plans.keys() or keys <= self.plans.keys() | self.sessions.keys()

    def absorb(self, other: Staged) -> None:
        for name in TABLES:
            getattr(self, name).update(getattr(other, name))
        self.events += other.events


TABLES = tuple(name for name in Staged.__slots__ if name != "events")


def session_key(workspace: str, session_id: str) -> str:
    """What a session is known by among plans and sessions: no plan's id has a line break."""
    return f"{workspace}\n{session_id}"


class Stored(Lookup, Protocol):
    """What a command sees of the store."""

    def comments(self, plan_id: str) -> Sequence[Comment]: ...
    def comments_taken(self, plan_id: str, besides: Collection[str]) -> Taken:
        """How much the comments on a plan are, but for those with these ids."""

    def sessions_with_full_access(self) -> Sequence[Session]: ...
    def every_remembered(self) -> Sequence[Remembered]: ...
    def certified(self, certificate: str) -> Sequence[Credential]: ...
    def recalled(self, key: RequestKey) -> tuple[str, Change | SessionChange] | None:
        """Fingerprint and answer of an earlier request."""


class Staging:
    """One command's view: what it saved itself, what the batch saved before it, what is stored."""

    def __init__(self, workspace: str, stored: Stored, batch: Staged) -> None:
        self.own = Staged()
        self._workspace = workspace
        self._stored = stored
        self._layers = (self.own, batch)
        self._seen: dict[str, Plan] = {}

    def plan(self, plan_id: str) -> Plan | None:
        for layer in self._layers:
            if plan_id in layer.plans:
                plan = layer.plans[plan_id]
                return plan if plan.workspace == self._workspace else None
        return self._noted(self._stored.plan(plan_id))

    def plan_under_review(self, approval_request_id: str) -> Plan | None:
        for layer in self._layers:
            if approval_request_id in layer.reviews:
                return self.plan(layer.reviews[approval_request_id][0].plan_id)
        return self._newest(self._stored.plan_under_review(approval_request_id))

    def plan_of_build(self, build_id: str) -> Plan | None:
        for layer in self._layers:
            if build_id in layer.builds:
                return self.plan(layer.builds[build_id][0].plan_id)
        return self._newest(self._stored.plan_of_build(build_id))

    def revision(self, plan_id: str, number: int) -> Revision | None:
        for layer in self._layers:
            if (plan_id, number) in layer.revisions:
                return layer.revisions[plan_id, number]
        return self._stored.revision(plan_id, number)

    def comment(self, comment_id: str) -> Comment | None:
        for layer in self._layers:
            if comment_id in layer.comments:
                plan, comment = layer.comments[comment_id]
                return comment if plan.workspace == self._workspace else None
        return self._stored.comment(comment_id)

    def comments(self, plan_id: str) -> Sequence[Comment]:
        found = {each.comment_id: each for each in self._stored.comments(plan_id)}
        for layer in reversed(self._layers):
            found |= {id: each for id, (_, each) in layer.comments.items() if each.plan_id == plan_id}
        return [each for _, each in sorted(found.items())]

    def comments_taken(self, plan_id: str) -> Taken:
        staged: dict[str, Comment] = {}
        for layer in reversed(self._layers):
            staged |= {id: each for id, (_, each) in layer.comments.items() if each.plan_id == plan_id}
        stored = self._stored.comments_taken(plan_id, staged.keys())
        size = sum(len(records.encode(each)) for each in staged.values())
        return Taken(stored.comments + len(staged), stored.bytes + size)

    def session(self, session_id: str) -> Session | None:
        key = session_key(self._workspace, session_id)
        for layer in self._layers:
            if key in layer.sessions:
                return layer.sessions[key]
        return self._stored.session(session_id)

    def approval(self, session_id: str, call_id: str) -> Approval | None:
        name = (self._workspace, session_id, call_id)
        for layer in self._layers:
            if name in layer.approvals:
                return layer.approvals[name]
        return self._stored.approval(session_id, call_id)

    def remembered(self, remembered_id: str) -> Remembered | None:
        for layer in self._layers:
            if remembered_id in layer.remembered:
                workspace, remembered = layer.remembered[remembered_id]
                return remembered if workspace == self._workspace else None
        return self._stored.remembered(remembered_id)

    def memory(self, session_id: str) -> Sequence[Remembered]:
        every = self._overlaid(self._stored.memory(session_id))
        return [each for each in every if each.session_id in {"", session_id}]

    def credential(self, credential_id: str) -> Credential | None:
        for layer in self._layers:
            found = layer.credentials.get(credential_id)
            if found is not None:
                return found if found.principal.workspace == self._workspace else None
        return self._stored.credential(credential_id)

    def certified(self, certificate: str) -> Sequence[Credential]:
        found = {each.credential_id: each for each in self._stored.certified(certificate)}
        for layer in reversed(self._layers):
            found |= {id: each for id, each in layer.credentials.items() if each.certificate == certificate}
        return [found[id] for id in sorted(found)]

    def every_remembered(self) -> Sequence[Remembered]:
        return self._overlaid(self._stored.every_remembered())

    def sessions_with_full_access(self) -> Sequence[Session]:
        found = {each.session_id: each for each in self._stored.sessions_with_full_access()}
        for layer in reversed(self._layers):
            own = (each for each in layer.sessions.values() if each.workspace == self._workspace)
            found |= {each.session_id: each for each in own}
        return [each for _, each in sorted(found.items()) if has_full_access(each)]

    def save(self, change: Change | SessionChange) -> None:
        """A plan that nobody looked at before is a new one: whoever changes a plan has seen it."""
        if isinstance(change, SessionChange):
            self.own.add_sessions(change, self._workspace)
            return
        plan_id = change.plan.plan_id
        staged = (layer.plans[plan_id] for layer in self._layers if plan_id in layer.plans)
        self.own.add(change, next(staged, self._seen.get(plan_id)))

    def recall(self, key: RequestKey) -> Change | SessionChange | None:
        found = self._recalled(key)
        if found is None:
            return None
        fingerprint, answer = found
        if fingerprint != key.fingerprint:
            raise RequestIdReused(key.request_id)
        return answer

    def remember(self, key: RequestKey, answer: Change | SessionChange) -> None:
        name = (self._workspace, key.principal, key.request_id)
        self.own.requests[name] = (key.fingerprint, answer)

    def _overlaid(self, stored: Sequence[Remembered]) -> list[Remembered]:
        """What is remembered once everything that is staged is stored."""
        found: dict[str, Remembered | None] = {each.remembered_id: each for each in stored}
        for layer in reversed(self._layers):
            for remembered_id, (workspace, remembered) in layer.remembered.items():
                if workspace == self._workspace:
                    found[remembered_id] = remembered
        return [each for _, each in sorted(found.items()) if each is not None]

    def _recalled(self, key: RequestKey) -> tuple[str, Change | SessionChange] | None:
        for layer in self._layers:
            if found := layer.requests.get((self._workspace, key.principal, key.request_id)):
                return found
        return self._stored.recalled(key)

    def _newest(self, stored: Plan | None) -> Plan | None:
        """A plan found in the store may have moved on in this batch."""
        if stored is None:
            return None
        moved_on = any(stored.plan_id in layer.plans for layer in self._layers)
        return self.plan(stored.plan_id) if moved_on else self._noted(stored)

    def _noted(self, plan: Plan | None) -> Plan | None:
        if plan is not None:
            self._seen[plan.plan_id] = plan
        return plan


def has_full_access(session: Session) -> bool:
    """Whether there is anything to drop."""
    return session.full_access is not FullAccessState.HIDDEN or session.full_access_confirmed
