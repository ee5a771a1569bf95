"""What the use cases need from the world. The docstrings are the contract that every adapter keeps;
``tests/contract`` holds each of them to it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from datetime import datetime
from typing import Protocol, TypeVar

from msgspec import Struct

from plangate_server.domain.approvals import Approval, ApprovalState
from plangate_server.domain.audit import Link
from plangate_server.domain.comments import Comment, Taken
from plangate_server.domain.credentials import Credential
from plangate_server.domain.events import (
    Change,
    Cursors,
    Event,
    EventType,
    LogEvent,
    RefusedDecision,
    SessionChange,
)
from plangate_server.domain.identity import Caller
from plangate_server.domain.limits import DEFAULTS, Limits
from plangate_server.domain.plan import Plan, PlanState, Revision
from plangate_server.domain.policy import Policy
from plangate_server.domain.remembering import Memory, Remembered
from plangate_server.domain.review import Review, ReviewStatus
from plangate_server.domain.sessions import Session, SessionMode

Result = TypeVar("Result")


class PlanFilter(Struct, frozen=True):
    """Which plans to list. All parts hold at once; an empty one lets everything through."""

    session_id: str = ""
    created_by: str = ""
    states: tuple[PlanState, ...] = ()


class ReviewFilter(Struct, frozen=True):
    """Which reviews to list. All parts hold at once; an empty one lets everything through."""

    session_id: str = ""
    statuses: tuple[ReviewStatus, ...] = ()


class EventFilter(Struct, frozen=True):
    """Which events to tell. All parts hold at once; an empty one lets everything through."""

    plan_id: str = ""
    session_id: str = ""
    types: frozenset[EventType] = frozenset()
    only_plans: bool = False
    """Nothing but what happened to plans: nothing of sessions and tool calls, and no refused decisions."""
    refusals: bool = True
    """Refused decisions, too."""

    def matches(self, event: LogEvent) -> bool:
        return (
            (not self.plan_id or event.plan_id == self.plan_id)
            and (not self.session_id or event.session_id == self.session_id)
            and (not self.types or event.type in self.types)
            and (not self.only_plans or isinstance(event, Event))
            and (self.refusals or not isinstance(event, RefusedDecision))
        )


class ApprovalFilter(Struct, frozen=True):
    """Which tool calls to list. All parts hold at once; an empty one lets everything through."""

    session_id: str = ""
    states: tuple[ApprovalState, ...] = ()


class SessionFilter(Struct, frozen=True):
    """Which sessions to list; an empty part lets everything through."""

    modes: tuple[SessionMode, ...] = ()


class Gate(Struct, frozen=True):
    """What decides about the tool calls of a session, beside the policy."""

    session: Session | None
    memory: Memory


class Waiting(Struct, frozen=True):
    """How much waits for people, in all workspaces."""

    reviews: int
    calls: int


class RequestKey(Struct, frozen=True):
    """What makes a write known again: who sent it under which id, and a hash of all that it says."""

    principal: str
    request_id: str
    fingerprint: str


class Lookup(Protocol):
    """Single things by their names. Nothing of another workspace is ever seen."""

    def plan(self, plan_id: str) -> Plan | None:
        """A plan as it is, at its head revision."""

    def plan_under_review(self, approval_request_id: str) -> Plan | None:
        """The plan that a review is about, at its head revision, which may be a newer one."""

    def plan_of_build(self, build_id: str) -> Plan | None:
        """The plan that a build belongs to, whether the build is under way or over."""

    def revision(self, plan_id: str, number: int) -> Revision | None:
        """One revision of a plan."""

    def comment(self, comment_id: str) -> Comment | None:
        """One comment."""

    def session(self, session_id: str) -> Session | None:
        """One session."""

    def approval(self, session_id: str, call_id: str) -> Approval | None:
        """One tool call of a session."""

    def remembered(self, remembered_id: str) -> Remembered | None:
        """One remembered decision."""

    def credential(self, credential_id: str) -> Credential | None:
        """One token, whether it holds or not."""

    def memory(self, session_id: str) -> Sequence[Remembered]:
        """The remembered decisions that reach a session, its own and the workspace's, oldest first."""


class Reading(Lookup, Protocol):
    """One consistent look at the store: every method sees the same commits."""

    def plans(self, which: PlanFilter, *, after: str, limit: int) -> Sequence[Plan]:
        """Plans in the order of their ids, which is the order of their making, after an id."""

    def some_plans(self, plan_ids: Sequence[str]) -> Sequence[Plan]:
        """Those of the plans that there are, in any order."""

    def revisions(self, plan_id: str, *, after: int, limit: int) -> Sequence[Revision]:
        """Revisions of a plan in the order of their numbers, after a number."""

    def review(self, approval_request_id: str) -> tuple[str, Review] | None:
        """A review, whether it is the plan's latest or an older one, with its plan's id."""

    def reviews(self, which: ReviewFilter, *, after: str, limit: int) -> Sequence[tuple[str, Review]]:
        """Reviews with their plans' ids, in the order in which they were opened, after an id."""

    def reviews_of_plan(self, plan_id: str, *, after: str, limit: int) -> Sequence[Review]:
        """Reviews of a plan, in the order in which they were opened, after an id."""

    def comments(self, plan_id: str) -> Sequence[Comment]:
        """Every comment on a plan, oldest first."""

    def approvals(self, which: ApprovalFilter, *, after: str, limit: int) -> Sequence[Approval]:
        """Tool calls in the order in which they were asked for, after an approval_id."""

    def all_remembered(self, *, after: str, limit: int) -> Sequence[Remembered]:
        """The workspace's remembered decisions, those of single sessions included, oldest first."""

    def credentials(self, *, after: str, limit: int) -> Sequence[Credential]:
        """The workspace's tokens, those that ended included, oldest first."""

    def sessions(self, which: SessionFilter, *, after: str, limit: int) -> Sequence[Session]:
        """Sessions, those that began last first, after the one with an id."""

    def waiting_sessions(self, *, after: str, limit: int) -> Sequence[Session]:
        """Sessions in which tool calls wait, in the order of their ids."""

    def events(self, which: EventFilter, *, after: int, limit: int) -> Sequence[LogEvent]:
        """Events in the order of their numbers, after a number."""

    def events_before(self, which: EventFilter, *, before: int, limit: int) -> Sequence[LogEvent]:
        """Events before a number, the newest first."""

    def links(self, *, after: int, limit: int) -> Sequence[Link]:
        """Entries of the hash chain in the order of their numbers, after a number."""

    def links_at(self, sequences: Collection[int]) -> Mapping[int, Link]:
        """Those of the entries that there are, by their numbers."""

    def last_sequence(self) -> int:
        """The number of the newest event of the workspace; 0 if there is none."""

    def forgotten_sequence(self) -> int:
        """The number of the newest event whose content is no longer kept; 0 if all are."""


class Writing(Lookup, Protocol):
    """A transaction. Everything in it is committed together, or nothing of it; lookups see what it saved."""

    def save(self, change: Change | SessionChange) -> None:
        """Store a plan or sessions and what moved with them, and append the events, or that a decision was
        refused, numbered without a gap in the order of commit.

        Plan and sessions are new ones, or were looked up in this transaction before.
        """

    def comments(self, plan_id: str) -> Sequence[Comment]:
        """Every comment on a plan, oldest first."""

    def comments_taken(self, plan_id: str) -> Taken:
        """How much the comments on a plan are, found without reading them."""

    def sessions_with_full_access(self) -> Sequence[Session]:
        """The sessions that have full access, had it confirmed, or wait for that."""

    def every_remembered(self) -> Sequence[Remembered]:
        """All remembered decisions of the workspace, those of single sessions included."""

    def certified(self, certificate: str) -> Sequence[Credential]:
        """The tokens of all workspaces that stand for a client certificate, oldest first."""

    def recall(self, key: RequestKey) -> Change | SessionChange | None:
        """What this very request left, without its events, if it was made before: of a plan, with the builds
        and comments that it made.

        Raises RequestIdReused if the id was used for another request.
        """

    def remember(self, key: RequestKey, answer: Change | SessionChange) -> None:
        """Keep what the request left, so that a repeated request gets the same answer for at least a
        day."""


class Store(Protocol):
    """Durable plans and their event log."""

    cursors: Cursors

    async def read(self, workspace: str, work: Callable[[Reading], Result]) -> Result:
        """Look. Sees every write that returned before, and never waits for one that has not.

        Raises StoreUnavailable while the database cannot be reached.
        """

    async def snapshot(self, workspace: str, plan_id: str) -> tuple[Plan, int] | None:
        """A plan as ``read`` would show it, and the number of the newest event at that moment."""

    async def gate(self, workspace: str, session_id: str) -> Gate:
        """A session as ``read`` would show it, and the remembered decisions that reach it."""

    async def write(
        self, workspace: str, work: Callable[[Writing], Result], key: RequestKey | None = None
    ) -> Result:
        """Change. When it returns, the change is durable and its events are on their way to every
        stream; when ``work`` raises, nothing of it was stored, and others are not touched by it.

        ``work`` may run more than once before one run is kept, so it must do nothing but use its
        argument. ``key`` says what it will recall, so that the store can look for it beforehand,
        together with others; what else it recalls is looked for when it is asked. Raises StoreUnavailable
        or StorageFull when nothing could be written.
        """

    async def check(self) -> None:
        """Look whether the database can be used.

        Raises StoreUnavailable if it cannot be reached, or is no longer the one that was opened, and
        StorageFull while nothing can be written for lack of room.
        """

    async def credentials_in_force(self, now: datetime) -> Sequence[Credential]:
        """The tokens of all workspaces that hold, oldest first."""

    async def count_credentials(self) -> tuple[int, int, str]:
        """How many tokens there are, how many of them are revoked, and which is the newest: it differs
        whenever one was made or revoked, also if others were forgotten meanwhile."""

    async def overdue(self, now: datetime, limit: int) -> Sequence[tuple[str, str]]:
        """Workspace and id of plans whose open review or live build has run out of time."""

    async def overdue_calls(self, now: datetime, limit: int) -> Sequence[tuple[str, str, str]]:
        """Workspace, session and call_id of tool calls that wait and have run out of time."""

    async def waiting(self) -> Waiting:
        """How many reviews wait for a decision and how many tool calls for an answer, in all workspaces.

        Sees every write that returned before. It costs as much as there is that waits, not as much as there
        is. Raises StoreUnavailable while the database cannot be reached.
        """

    async def forget(self, *, events_before: datetime | None, requests_before: datetime) -> None:
        """Remove the content of old events, which stay in the chain, old answers, and remembered decisions
        that have been out of date as long."""

    async def forget_ended(self, before: datetime) -> None:
        """Remove tool calls, builds and tokens that ended before, and sessions that were at rest since, where
        nothing waits, nothing is remembered and the mode is the usual one. The log stays as it is.
        """


class Stream(Protocol):
    """Committed events, live, each once and in order."""

    async def next(self, patience: float) -> LogEvent | None:
        """The next event that the filter lets through; None when none came within the time.

        Raises SlowConsumer when the reader fell too far behind, and ShuttingDown when the node stops;
        it never leaves an event out.
        """

    def position(self) -> int:
        """The number up to which everything was handed out, when ``next`` has just given None."""


class Feed(Protocol):
    """Live events of this node."""

    def follow(
        self, workspace: str, which: EventFilter, *, reviewer: bool = False
    ) -> AbstractContextManager[Stream]:
        """At least every matching event that is committed after the block was entered, and perhaps
        some that were just before.

        Enter it before reading from the store, so that nothing falls between the two, and pass over
        what was read. A reviewer is counted while the block lasts.
        """

    def reviewers_watching(self, workspace: str) -> int:
        """How many reviewers watch the workspace now."""


class Policies(Protocol):
    @property
    def current(self) -> Policy:
        """The operator's policy as it is now; it can be another one the next time."""


class Callers(Protocol):
    """Knows who calls."""

    def by_heart(self, token: str, certificate: str) -> Caller | None:
        """Whose credentials these are as far as can be said at once; None if somebody must be asked, or if
        they are nobody's. Good for knowing whose line a call stands in, and not for letting it in.
        """

    async def known(self, token: str, certificate: str) -> Caller:
        """Whose credentials these are: the token's if there is one, else those of the client certificate.

        Raises MissingCredentials, InvalidCredentials, and StoreUnavailable where nobody can say.
        """

    def holds(self, caller: Caller) -> bool:
        """Whether a caller that was known is so still."""

    async def refresh(self) -> None:
        """Learn what was made or revoked elsewhere before this call.

        Raises StoreUnavailable.
        """


class Clock(Protocol):
    def now(self) -> datetime:
        """The time, with its zone (UTC)."""


class Ids(Protocol):
    def new(self) -> str:
        """32 hexadecimal digits, never given out before, growing with time."""

    def secret(self) -> str:
        """32 hexadecimal digits that nobody can guess."""


class Workers(Protocol):
    """Do what takes long beside everything else, which goes on meanwhile."""

    def place(self, caller: str) -> AbstractAsyncContextManager[None]:
        """Waits for one of the caller's own places, to be held from before anything is loaded for the work.

        Raises TooManyWaiting.
        """

    async def run(self, caller: str, work: Callable[[], Result]) -> Result:
        """What comes of the work. The callers take turns.

        Raises ShuttingDown if the node stops before it was begun.
        """


class AtOnce:
    """For a world in which nobody else waits."""

    def place(self, caller: str) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    async def run(self, caller: str, work: Callable[[], Result]) -> Result:
        return work()


class World(Struct, frozen=True):
    """Everything a use case needs."""

    store: Store
    feed: Feed
    clock: Clock
    ids: Ids
    policies: Policies
    callers: Callers
    limits: Limits = DEFAULTS
    workers: Workers = AtOnce()
