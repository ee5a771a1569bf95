"""Plans in memory: for tests, and held to the same contract as the databases.

Everything happens on the event loop and nothing in it waits, so every look is consistent by itself.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from operator import attrgetter
from typing import TypeVar

from msgspec.structs import replace

from plangate_server.domain.approvals import Approval
from plangate_server.domain.audit import Link
from plangate_server.domain.builds import Build, BuildStatus
from plangate_server.domain.comments import Comment, Taken
from plangate_server.domain.credentials import Credential
from plangate_server.domain.events import Change, Cursors, LogEvent, SessionChange
from plangate_server.domain.plan import Plan, Revision
from plangate_server.domain.remembering import Memory, Remembered
from plangate_server.domain.review import Review, ReviewStatus
from plangate_server.domain.sessions import Session, SessionMode
from plangate_server.ports import (
    ApprovalFilter,
    EventFilter,
    Gate,
    PlanFilter,
    Reading,
    RequestKey,
    ReviewFilter,
    SessionFilter,
    Waiting,
    Writing,
)
from plangate_server.storage import records
from plangate_server.storage.hub import Hub
from plangate_server.storage.numbering import LogEnd, number
from plangate_server.storage.staging import (
    CallName,
    RequestName,
    Staged,
    Staging,
    has_full_access,
    session_key,
)

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(slots=True)
class _Log:
    events: list[LogEvent] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    forgotten: int = 0


@dataclass(slots=True)
class _Tables:
    plans: dict[str, Plan] = field(default_factory=dict)
    revisions: dict[tuple[str, int], Revision] = field(default_factory=dict)
    reviews: dict[str, tuple[Plan, Review]] = field(default_factory=dict)
    builds: dict[str, tuple[Plan, Build]] = field(default_factory=dict)
    comments: dict[str, tuple[Plan, Comment]] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    approvals: dict[CallName, Approval] = field(default_factory=dict)
    remembered: dict[str, tuple[str, Remembered | None]] = field(default_factory=dict)
    credentials: dict[str, Credential] = field(default_factory=dict)
    requests: dict[RequestName, tuple[datetime, str, Change | SessionChange]] = field(default_factory=dict)
    logs: defaultdict[str, _Log] = field(default_factory=lambda: defaultdict(_Log))


class _MemoryReading:
    def __init__(self, tables: _Tables, workspace: str) -> None:
        self._tables = tables
        self._workspace = workspace

    def plan(self, plan_id: str) -> Plan | None:
        plan = self._tables.plans.get(plan_id)
        return plan if plan and plan.workspace == self._workspace else None

    def plan_under_review(self, approval_request_id: str) -> Plan | None:
        found = self._tables.reviews.get(approval_request_id)
        return self.plan(found[0].plan_id) if found else None

    def plan_of_build(self, build_id: str) -> Plan | None:
        found = self._tables.builds.get(build_id)
        return self.plan(found[0].plan_id) if found else None

    def plans(self, which: PlanFilter, *, after: str, limit: int) -> Sequence[Plan]:
        return _first(
            limit,
            (
                plan
                for plan in self._own_plans()
                if plan.plan_id > after
                and (not which.session_id or plan.session_id == which.session_id)
                and (not which.created_by or plan.created_by == which.created_by)
                and (not which.states or plan.state in which.states)
            ),
        )

    def some_plans(self, plan_ids: Sequence[str]) -> Sequence[Plan]:
        return [plan for plan in map(self.plan, plan_ids) if plan]

    def revision(self, plan_id: str, number: int) -> Revision | None:
        return self._tables.revisions.get((plan_id, number)) if self.plan(plan_id) else None

    def revisions(self, plan_id: str, *, after: int, limit: int) -> Sequence[Revision]:
        if self.plan(plan_id) is None:
            return []
        numbered = sorted(self._tables.revisions.items(), key=lambda item: item[0])
        return _first(limit, (r for (id, n), r in numbered if id == plan_id and n > after))

    def review(self, approval_request_id: str) -> tuple[str, Review] | None:
        plan, review = self._tables.reviews.get(approval_request_id, (None, None))
        return (plan.plan_id, review) if plan and review and plan.workspace == self._workspace else None

    def reviews(self, which: ReviewFilter, *, after: str, limit: int) -> Sequence[tuple[str, Review]]:
        return _first(
            limit,
            (
                (plan.plan_id, review)
                for id, (plan, review) in sorted(self._tables.reviews.items(), key=lambda item: item[0])
                if plan.workspace == self._workspace
                and id > after
                and (not which.session_id or plan.session_id == which.session_id)
                and (not which.statuses or review.status in which.statuses)
            ),
        )

    def reviews_of_plan(self, plan_id: str, *, after: str, limit: int) -> Sequence[Review]:
        every = self.reviews(ReviewFilter(), after=after, limit=len(self._tables.reviews))
        return _first(limit, (review for id, review in every if id == plan_id))

    def comment(self, comment_id: str) -> Comment | None:
        plan, comment = self._tables.comments.get(comment_id, (None, None))
        return comment if plan and plan.workspace == self._workspace else None

    def comments(self, plan_id: str) -> Sequence[Comment]:
        every = (self.comment(id) for id in sorted(self._tables.comments))
        return [comment for comment in every if comment and comment.plan_id == plan_id]

    def comments_taken(self, plan_id: str, besides: Collection[str]) -> Taken:
        there = [each for each in self.comments(plan_id) if each.comment_id not in besides]
        return Taken(len(there), sum(len(records.encode(each)) for each in there))

    def session(self, session_id: str) -> Session | None:
        return self._tables.sessions.get(session_key(self._workspace, session_id))

    def sessions(self, which: SessionFilter, *, after: str, limit: int) -> Sequence[Session]:
        ordered = sorted(self._own_sessions(), key=_place, reverse=True)
        named = self.session(after)
        return _first(
            limit,
            (
                each
                for each in ordered
                if (named is None or _place(each) < _place(named))
                and (not which.modes or each.mode in which.modes)
            ),
        )

    def waiting_sessions(self, *, after: str, limit: int) -> Sequence[Session]:
        own = self._own_sessions()
        return _first(limit, (each for each in own if each.queue and each.session_id > after))

    def sessions_with_full_access(self) -> Sequence[Session]:
        return [each for each in self._own_sessions() if has_full_access(each)]

    def approval(self, session_id: str, call_id: str) -> Approval | None:
        return self._tables.approvals.get((self._workspace, session_id, call_id))

    def approvals(self, which: ApprovalFilter, *, after: str, limit: int) -> Sequence[Approval]:
        own = (each for each in self._tables.approvals.values() if each.workspace == self._workspace)
        return _first(
            limit,
            (
                each
                for each in sorted(own, key=attrgetter("approval_id"))
                if each.approval_id > after
                and (not which.session_id or each.session_id == which.session_id)
                and (not which.states or each.state in which.states)
            ),
        )

    def remembered(self, remembered_id: str) -> Remembered | None:
        workspace, remembered = self._tables.remembered.get(remembered_id, ("", None))
        return remembered if workspace == self._workspace else None

    def memory(self, session_id: str) -> Sequence[Remembered]:
        return [each for each in self.every_remembered() if each.session_id in {"", session_id}]

    def all_remembered(self, *, after: str, limit: int) -> Sequence[Remembered]:
        return _first(limit, (each for each in self.every_remembered() if each.remembered_id > after))

    def every_remembered(self) -> Sequence[Remembered]:
        every = (self.remembered(id) for id in sorted(self._tables.remembered))
        return [each for each in every if each]

    def credential(self, credential_id: str) -> Credential | None:
        found = self._tables.credentials.get(credential_id)
        return found if found and found.principal.workspace == self._workspace else None

    def certified(self, certificate: str) -> Sequence[Credential]:
        every = sorted(self._tables.credentials.items())
        return [each for _, each in every if each.certificate == certificate]

    def credentials(self, *, after: str, limit: int) -> Sequence[Credential]:
        every = (self.credential(id) for id in sorted(self._tables.credentials))
        return _first(limit, (each for each in every if each and each.credential_id > after))

    def events(self, which: EventFilter, *, after: int, limit: int) -> Sequence[LogEvent]:
        kept = islice(self._log().events, max(after, self._log().forgotten), None)
        return _first(limit, (event for event in kept if which.matches(event)))

    def events_before(self, which: EventFilter, *, before: int, limit: int) -> Sequence[LogEvent]:
        kept = self._log().events[self._log().forgotten : before - 1]
        return _first(limit, (event for event in reversed(kept) if which.matches(event)))

    def links(self, *, after: int, limit: int) -> Sequence[Link]:
        return self._log().links[after : after + limit]

    def links_at(self, sequences: Collection[int]) -> Mapping[int, Link]:
        links = self._log().links
        return {number: links[number - 1] for number in sequences if 0 < number <= len(links)}

    def last_sequence(self) -> int:
        return len(self._log().links)

    def forgotten_sequence(self) -> int:
        return self._log().forgotten

    def recalled(self, key: RequestKey) -> tuple[str, Change | SessionChange] | None:
        found = self._tables.requests.get((self._workspace, key.principal, key.request_id))
        return (found[1], found[2]) if found else None

    def _own_plans(self) -> list[Plan]:
        every = sorted(self._tables.plans.items())
        return [plan for _, plan in every if plan.workspace == self._workspace]

    def _own_sessions(self) -> list[Session]:
        every = sorted(self._tables.sessions.items())
        return [session for _, session in every if session.workspace == self._workspace]

    def _log(self) -> _Log:
        return self._tables.logs[self._workspace]


class MemoryStore:
    def __init__(self, hub: Hub) -> None:
        self.cursors = Cursors(secrets.token_hex(16))
        self._hub = hub
        self._tables = _Tables()

    async def read(self, workspace: str, work: Callable[[Reading], Result]) -> Result:
        return work(_MemoryReading(self._tables, workspace))

    async def snapshot(self, workspace: str, plan_id: str) -> tuple[Plan, int] | None:
        reading = _MemoryReading(self._tables, workspace)
        plan = reading.plan(plan_id)
        return (plan, reading.last_sequence()) if plan else None

    async def gate(self, workspace: str, session_id: str) -> Gate:
        reading = _MemoryReading(self._tables, workspace)
        return Gate(reading.session(session_id), Memory(reading.memory(session_id)))

    async def write(
        self, workspace: str, work: Callable[[Writing], Result], key: RequestKey | None = None
    ) -> Result:
        staging = Staging(workspace, _MemoryReading(self._tables, workspace), Staged())
        result = work(staging)
        self._hub.publish(self._apply(staging.own))
        return result

    async def check(self) -> None:
        """There is nothing that could be away."""

    async def credentials_in_force(self, now: datetime) -> Sequence[Credential]:
        return [each for _, each in sorted(self._tables.credentials.items()) if each.holds(now)]

    async def count_credentials(self) -> tuple[int, int, str]:
        every = self._tables.credentials
        revoked = sum(each.revoke_time is not None for each in every.values())
        return len(every), revoked, max(every, default="")

    async def overdue(self, now: datetime, limit: int) -> Sequence[tuple[str, str]]:
        late = [
            plan
            for plan, review in self._tables.reviews.values()
            if review.status is ReviewStatus.REQUESTED and review.expire_time and review.expire_time <= now
        ] + [
            plan
            for plan, build in self._tables.builds.values()
            if build.status is BuildStatus.ACTIVE and build.lease_expire_time <= now
        ]
        return [(plan.workspace, plan.plan_id) for plan in late[:limit]]

    async def overdue_calls(self, now: datetime, limit: int) -> Sequence[tuple[str, str, str]]:
        calls = self._tables.approvals.items()
        late = [name for name, each in calls if each.waits and each.expire_time and each.expire_time <= now]
        return late[:limit]

    async def waiting(self) -> Waiting:
        reviews = (review for _, review in self._tables.reviews.values())
        return Waiting(
            sum(review.status is ReviewStatus.REQUESTED for review in reviews),
            sum(approval.waits for approval in self._tables.approvals.values()),
        )

    async def forget(self, *, events_before: datetime | None, requests_before: datetime) -> None:
        requests = self._tables.requests
        for name in [name for name, (time, *_) in requests.items() if time < requests_before]:
            del requests[name]
        memory = self._tables.remembered
        for id, (_, each) in [*memory.items()]:
            if each and each.expire_time and each.expire_time < requests_before:
                del memory[id]
        if events_before is not None:
            for log in self._tables.logs.values():
                old = (event.sequence for event in log.events if event.time < events_before)
                log.forgotten = max([log.forgotten, *old])
                forgotten = (replace(link, body=None) for link in log.links[: log.forgotten])
                log.links[: log.forgotten] = list(forgotten)

    async def forget_ended(self, before: datetime) -> None:
        def is_old(ended: datetime | None) -> bool:
            return ended is not None and ended < before

        tables = self._tables
        for id, each in [*tables.credentials.items()]:
            if is_old(each.revoke_time) or is_old(each.expire_time):
                del tables.credentials[id]
        for id, (_, build) in [*tables.builds.items()]:
            if is_old(build.end_time):
                del tables.builds[id]
        for name, call in [*tables.approvals.items()]:
            if is_old(call.end_time):
                del tables.approvals[name]
        lively = {(workspace, session_id) for workspace, session_id, _ in tables.approvals}
        lively |= {(workspace, each.session_id) for workspace, each in tables.remembered.values() if each}
        for key, session in [*tables.sessions.items()]:
            rests = not (session.queue or session.in_review or has_full_access(session))
            usual = rests and session.mode is SessionMode.AGENT
            if (
                usual
                and is_old(session.update_time)
                and (session.workspace, session.session_id) not in lively
            ):
                del tables.sessions[key]

    def _apply(self, staged: Staged) -> list[LogEvent]:
        tables, now = self._tables, datetime.now(UTC)
        tables.plans |= staged.plans
        tables.revisions |= staged.revisions
        tables.reviews |= staged.reviews
        tables.builds |= staged.builds
        tables.comments |= staged.comments
        tables.sessions |= staged.sessions
        tables.approvals |= staged.approvals
        tables.remembered |= staged.remembered
        tables.credentials |= staged.credentials
        tables.requests |= {name: (now, *kept) for name, kept in staged.requests.items()}
        return [event for told in staged.events for event in self._append(told)]

    def _append(self, event: LogEvent) -> list[LogEvent]:
        log = self._tables.logs[event.workspace]
        end = LogEnd(len(log.links), log.links[-1].hash if log.links else "")
        added = number([event], end)
        log.links += [Link(entry.entry, entry.hash, entry.body) for entry in added]
        log.events += [entry.event for entry in added]
        return [entry.event for entry in added]


def _place(session: Session) -> tuple[datetime, str]:
    return (session.create_time, session.session_id)


def _first(limit: int, items: Iterable[Item]) -> list[Item]:
    return list(islice(items, limit))
