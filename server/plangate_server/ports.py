"""What the use cases need from the world. The docstrings are the contract that every adapter keeps;
``tests/contract`` holds each of them to it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from plangate_server.domain.events import Cursors, Event
from plangate_server.domain.lifecycle import Change
from plangate_server.domain.plan import Plan, PlanState, Revision

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is calling, as the service knows them; never what a message says."""

    name: str
    workspace: str


@dataclass(frozen=True, slots=True)
class PlanFilter:
    """Which plans to list. All parts hold at once; an empty one lets everything through."""

    session_id: str = ""
    created_by: str = ""
    states: tuple[PlanState, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestKey:
    """What makes a write known again: who sent it under which id, and a hash of all that it says."""

    principal: str
    request_id: str
    fingerprint: str


class Reading(Protocol):
    """One consistent look at the store: every method sees the same commits.

    Nothing of another workspace is ever seen.
    """

    def plan(self, plan_id: str) -> Plan | None:
        """A plan as it is, at its head revision."""

    def plan_under_review(self, approval_request_id: str) -> Plan | None:
        """The plan that a review is about, at its head revision, which may be a newer one."""

    def revision(self, plan_id: str, number: int) -> Revision | None:
        """One revision of a plan."""

    def plans(self, which: PlanFilter, *, after: str, limit: int) -> Sequence[Plan]:
        """Plans in the order of their ids, which is the order of their making, after an id."""

    def events(self, plan_id: str, *, after: int, limit: int) -> Sequence[Event]:
        """Events of a plan in the order of their numbers, after a number."""

    def last_sequence(self) -> int:
        """The number of the newest event of the workspace; 0 if there is none."""


class Writing(Reading, Protocol):
    """A transaction. Everything in it is committed together, or nothing of it."""

    def save(self, change: Change) -> None:
        """Store a plan and append its events, numbered without a gap in the order of commit."""

    def recall(self, key: RequestKey) -> Plan | None:
        """The plan as this very request left it, if it was made before.

        Raises RequestIdReused if the id was used for another request.
        """

    def remember(self, key: RequestKey, answer: Plan) -> None:
        """Keep the plan as the request left it, so that a repeated request gets the same answer."""


class Store(Protocol):
    """Durable plans and their event log."""

    cursors: Cursors

    async def read(self, workspace: str, work: Callable[[Reading], Result]) -> Result:
        """Look. Sees every write that returned before, and never waits for one that has not."""

    async def write(self, workspace: str, work: Callable[[Writing], Result]) -> Result:
        """Change. When it returns, the change is durable and its events are on their way to every
        stream; when ``work`` raises, nothing of it was stored, and others are not touched by it."""


class Stream(Protocol):
    """Committed events of one plan, live, each once and in order."""

    def __aiter__(self) -> AsyncIterator[Event]:
        """Raises SlowConsumer when the reader fell too far behind; it never leaves an event out."""


class Feed(Protocol):
    """Live events of this node."""

    def follow(self, workspace: str, plan_id: str) -> AbstractContextManager[Stream]:
        """Every event of the plan that is committed after the block was entered.

        Enter it before reading from the store, so that nothing falls between the two.
        """


class Clock(Protocol):
    def now(self) -> datetime:
        """The time, with its zone (UTC)."""


class Ids(Protocol):
    def new(self) -> str:
        """32 hexadecimal digits, never given out before, growing with time."""


@dataclass(frozen=True, slots=True)
class World:
    """Everything a use case needs."""

    store: Store
    feed: Feed
    clock: Clock
    ids: Ids
