"""Runs commands on what this node knows by heart, and writes down the statements that would store the result.

That is enough for most: what is decided now was proposed a moment ago. It counts on every request being new,
on every plan and session being as it was last stored here, and on every log ending where it was last seen to
end; the commit finds out whether all of that held.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NoReturn, TypeVar

from msgspec import Struct

from plangate_server.domain.plan import Plan
from plangate_server.domain.sessions import Session
from plangate_server.ports import RequestKey
from plangate_server.storage.driver import Driver, Marks, Stored
from plangate_server.storage.flush import Flushing, flush_all
from plangate_server.storage.jobs import Job, NotByHeart
from plangate_server.storage.numbering import LogEnd
from plangate_server.storage.recent import ByHeart, Recent
from plangate_server.storage.staging import RequestName, Staged

Known = TypeVar("Known", Plan, Session)


class Step:
    """A statement to be run later; what came of it shows then."""

    def __init__(self, text: str, values: Sequence[object]) -> None:
        self._text = text
        self._values = values
        self._stored: Stored | None = None

    def play(self, driver: Driver) -> None:
        self._stored = driver.run(self._text, self._values)

    @property
    def rowcount(self) -> int:
        assert self._stored, "the step was not played"
        return self._stored.rowcount


class Script:
    """Takes statements like a driver, and keeps them."""

    def __init__(self, marks: Marks, announcement: str) -> None:
        self.marks = marks
        self.announcement = announcement
        self._steps: list[Step] = []

    def run(self, text: str, values: Sequence[object]) -> Stored:
        step = Step(text, values)
        self._steps.append(step)
        return step

    def play(self, driver: Driver) -> None:
        with driver.together():
            for step in self._steps:
                step.play(driver)


class _Known:
    """What a command sees of the store: what is known by heart, and nothing else."""

    def __init__(self, by_heart: ByHeart, workspace: str, announced: RequestKey | None) -> None:
        self.by_heart = by_heart
        self._workspace = workspace
        self._announced = announced
        self.taken_for_new: set[RequestName] = set()

    def plan(self, plan_id: str) -> Plan:
        return _known(self.by_heart.plan(plan_id))

    def plan_under_review(self, approval_request_id: str) -> Plan:
        return _known(self.by_heart.plan_named(approval_request_id))

    def plan_of_build(self, build_id: str) -> Plan:
        return _known(self.by_heart.plan_named(build_id))

    def revision(self, plan_id: str, number: int) -> NoReturn:
        raise NotByHeart

    def comment(self, comment_id: str) -> NoReturn:
        raise NotByHeart

    def comments(self, plan_id: str) -> NoReturn:
        raise NotByHeart

    def comments_taken(self, plan_id: str, besides: Collection[str]) -> NoReturn:
        raise NotByHeart

    def session(self, session_id: str) -> Session:
        return _known(self.by_heart.session(session_id))

    def approval(self, session_id: str, call_id: str) -> NoReturn:
        raise NotByHeart

    def remembered(self, remembered_id: str) -> NoReturn:
        raise NotByHeart

    def credential(self, credential_id: str) -> NoReturn:
        raise NotByHeart

    def certified(self, certificate: str) -> NoReturn:
        raise NotByHeart

    def memory(self, session_id: str) -> NoReturn:
        raise NotByHeart

    def every_remembered(self) -> NoReturn:
        raise NotByHeart

    def sessions_with_full_access(self) -> NoReturn:
        raise NotByHeart

    def recalled(self, key: RequestKey) -> None:
        """Nothing: if the request was made before, it cannot be stored again, and the commit shows it.

        Where it was not announced that this would be asked, it is not a caller's id, of which most are new.
        """
        if key != self._announced:
            raise NotByHeart
        self.taken_for_new.add((self._workspace, key.principal, key.request_id))


def _known(thing: Known | None) -> Known:
    if thing is None:
        raise NotByHeart
    return thing


class Prepared(Struct, frozen=True):
    """A batch that was run, and only needs to be stored."""

    script: Script
    flushing: Flushing
    staged: Staged
    versions: Mapping[str, int]


def prepare(
    jobs: Sequence[Job], recent: Recent, ends: Mapping[str, LogEnd], script: Script
) -> tuple[Prepared | None, Sequence[Job], Sequence[Job]]:
    """The batch, its jobs, and those that need the database."""
    staged, versions = Staged(), dict[str, int]()
    done: list[Job] = []
    rest: list[Job] = []
    for job in jobs:
        try_it = job.work is not None and job.workspace in ends
        by_heart = ByHeart(recent, job.workspace, versions)
        change = _run(job, _Known(by_heart, job.workspace, job.key), staged) if try_it else None
        if change is None:
            rest.append(job)
        else:
            staged.absorb(change)
            done.append(job)
    if not done:
        return None, rest, ()
    flushing = flush_all(script, staged, versions, ends)
    return Prepared(script, flushing, staged, versions), done, rest


def _run(job: Job, known: _Known, staged: Staged) -> Staged | None:
    """What the job wants written; None if it must be run on what is really stored.

    That is so for a refusal, and for all that rests on a plan, a session or a request without writing it: it
    may be otherwise by now, and no commit would show it.
    """
    try:
        change = job.run(known, staged)
    except NotByHeart:
        return None
    shows = change.writes(known.by_heart.asked) and known.taken_for_new <= change.requests.keys()
    return change if shows and job.error is None else None
