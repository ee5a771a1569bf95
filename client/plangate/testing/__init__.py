"""A gate for the tests of programs that use one: in memory, at once, without a server or a network.

from plangate.testing import FakeGate

def test_my_agent_stops_at_a_no():
    gate = FakeGate()
    gate.reject_next("not on a Sunday")
    run_my_agent(gate.client())

Plans, revisions, digests, decisions, todos and builds follow the rules of a real gate: the same tests are run
against both. It has no clock, no roles and no identity: reviews and leases end only by script, everybody may
do everything, and whoever decides is called "ada". What it does not do raises NotImplementedError: phases,
drafts, several approvals, comments, diffs and lists of revisions, details of a review, watching the
workspace, sessions, tool calls, tokens and the event log.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from plangate._aio import AsyncClient
from plangate._client import Client
from plangate.testing._channels import aio_channel, channel
from plangate.testing._service import Service
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOutcome

__all__ = ["Answer", "FakeGate", "approve", "edit", "expire", "reject", "request_changes"]

TARGET = "fake-gate"
EXPIRE = "expire"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person says to a plan."""

    option: str
    words: str = ""
    text: str | None = None


def approve(words: str = "") -> Answer:
    """Yes."""
    return Answer("approve", words)


def reject(words: str = "") -> Answer:
    """No, with what to do differently."""
    return Answer("reject", words)


def request_changes(words: str) -> Answer:
    """Not like this: the agent should send a new revision."""
    return Answer("requestChanges", words)


def edit(text: str, words: str = "") -> Answer:
    """Yes, with this text in place of the plan's."""
    return Answer("edit", words, text)


def expire() -> Answer:
    """Nobody says anything in time."""
    return Answer(EXPIRE)


class FakeGate:
    """Clients of it are real ones. Every plan waits until a script, or the test, decides."""

    def __init__(self) -> None:
        self._service = Service()
        self._service.asked = self._answer
        self._next: deque[Answer] = deque()
        self._decide: Callable[[Plan], Answer | None] = lambda _: None

    def client(self) -> Client:
        """A client of this gate, for agents and for persons alike."""
        return Client(TARGET, channel=channel(self._service))

    def async_client(self) -> AsyncClient:
        """The same for programs with an event loop."""
        return AsyncClient(TARGET, channel=aio_channel(self._service))

    @property
    def plans(self) -> list[Plan]:
        """Every plan as it is now, oldest first."""
        with self.client() as client:
            return list(client.list_plans())

    def approve_next(self, words: str = "") -> None:
        """Say yes to the next plan or revision that nobody has decided about by then."""
        self._next.append(approve(words))

    def reject_next(self, words: str = "") -> None:
        """Say no to it."""
        self._next.append(reject(words))

    def request_changes_next(self, words: str) -> None:
        """Ask for another revision of it."""
        self._next.append(request_changes(words))

    def edit_next(self, text: str, words: str = "") -> None:
        """Approve it with this text in place of its own."""
        self._next.append(edit(text, words))

    def expire_next(self) -> None:
        """Let its time run out."""
        self._next.append(expire())

    def on_plan(self, decide: Callable[[Plan], Answer | None]) -> None:
        """Ask a function about each plan that the ``…_next`` calls leave; None leaves it open."""
        self._decide = decide

    def _answer(self, plan: Plan) -> None:
        answer = self._next.popleft() if self._next else self._decide(plan)
        if answer is None:
            return
        if answer.option == EXPIRE:
            outcome, state = ReviewOutcome.REVIEW_OUTCOME_EXPIRED, PlanState.PLAN_STATE_EXPIRED
            self._service.end_review(plan, outcome, state)
            return
        with self.client() as client:
            client.decide(plan, answer.option, answer.words, edited=answer.text)
