"""What commands have done that is not committed yet.

Each command works on a staging of its own, laid over that of its batch, laid over the store. A command
that fails is thrown away with its staging; nothing of it has reached the batch or the database.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from plangate_server.domain.builds import Build
from plangate_server.domain.comments import Comment
from plangate_server.domain.errors import RequestIdReused
from plangate_server.domain.events import Change, Event
from plangate_server.domain.plan import Plan, Revision
from plangate_server.domain.review import Review
from plangate_server.ports import Lookup, RequestKey

RequestName = tuple[str, str, str]
"""Workspace, principal and request_id."""


@dataclass(slots=True)
class Staged:
    """Rows to be written."""

    plans: dict[str, Plan] = field(default_factory=dict)
    sessions: dict[tuple[str, str], str] = field(default_factory=dict)
    """The newest plan of each session that got one."""
    revisions: dict[tuple[str, int], Revision] = field(default_factory=dict)
    reviews: dict[str, tuple[Plan, Review]] = field(default_factory=dict)
    builds: dict[str, tuple[Plan, Build]] = field(default_factory=dict)
    comments: dict[str, tuple[Plan, Comment]] = field(default_factory=dict)
    requests: dict[RequestName, tuple[str, Change]] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)

    def add(self, change: Change, before: Plan | None) -> None:
        """Everything of the change that differs from how the plan was before."""
        plan = change.plan
        self.plans[plan.plan_id] = plan
        if plan.session_id and before is None:
            self.sessions[plan.workspace, plan.session_id] = plan.plan_id
        if before is None or before.revision is not plan.revision:
            self.revisions[plan.plan_id, plan.revision.number] = plan.revision
        if plan.review.approval_request_id and (before is None or before.review is not plan.review):
            self.reviews[plan.review.approval_request_id] = (plan, plan.review)
        self.reviews.update((review.approval_request_id, (plan, review)) for review in change.reviews)
        self.builds.update((build.build_id, (plan, build)) for build in change.builds)
        self.comments.update((comment.comment_id, (plan, comment)) for comment in change.comments)
        self.events += change.events

    def absorb(self, other: Staged) -> None:
        for name in ("plans", "sessions", "revisions", "reviews", "builds", "comments", "requests"):
            getattr(self, name).update(getattr(other, name))
        self.events += other.events


class Stored(Lookup, Protocol):
    """What a command sees of the store."""

    def recalled(self, key: RequestKey) -> tuple[str, Change] | None:
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

    def plan_of_session(self, session_id: str) -> Plan | None:
        for layer in self._layers:
            if plan_id := layer.sessions.get((self._workspace, session_id)):
                return self.plan(plan_id)
        return self._newest(self._stored.plan_of_session(session_id))

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

    def save(self, change: Change) -> None:
        """A plan that nobody looked at before is a new one: whoever changes a plan has seen it."""
        plan_id = change.plan.plan_id
        staged = (layer.plans[plan_id] for layer in self._layers if plan_id in layer.plans)
        self.own.add(change, next(staged, self._seen.get(plan_id)))

    def recall(self, key: RequestKey) -> Change | None:
        found = self._recalled(key)
        if found is None:
            return None
        fingerprint, answer = found
        if fingerprint != key.fingerprint:
            raise RequestIdReused(key.request_id)
        return answer

    def remember(self, key: RequestKey, answer: Change) -> None:
        name = (self._workspace, key.principal, key.request_id)
        self.own.requests[name] = (key.fingerprint, answer)

    def _recalled(self, key: RequestKey) -> tuple[str, Change] | None:
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
