"""The gate that users' tests hold in their hands."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Final

from plangate._aio import AsyncClient
from plangate._client import Client
from plangate.testing._answers import (
    EXPIRE,
    Answer,
    allow,
    approve,
    deny,
    edit,
    expire,
    reject,
    request_changes,
)
from plangate.testing._fake import queue
from plangate.testing._fake.channels import aio_channel, channel
from plangate.testing._fake.review_calls import expire_review
from plangate.testing._fake.service import Service
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.tool_approval_service_pb2 import Approval, ApprovalState

TARGET: Final = "fake-gate"
PERSON: Final = "ada"
"""Who decides, if the test does not say."""


class FakeGate:
    """Clients of it are real ones. Plans and tool calls wait until a script, or the test, decides."""

    def __init__(self) -> None:
        self._service = Service(self._answer_plan, self._answer_call)
        self._next_plans: deque[Answer] = deque()
        self._next_calls: deque[Answer] = deque()
        self._on_plan: Callable[[Plan], Answer | None] = lambda _: None
        self._on_call: Callable[[Approval], Answer | None] = lambda _: None

    def client(self, person: str = PERSON) -> Client:
        """A client of this gate, for agents and for persons alike; the person is whoever decides with it."""
        return Client(TARGET, channel=channel(self._service, person))

    def async_client(self, person: str = PERSON) -> AsyncClient:
        """The same for programs with an event loop."""
        return AsyncClient(TARGET, channel=aio_channel(self._service, person))

    @property
    def plans(self) -> list[Plan]:
        """Every plan as it is now, oldest first."""
        with self.client() as client:
            return list(client.list_plans())

    @property
    def calls(self) -> list[Approval]:
        """Every tool call that was asked for, as it is now, oldest first."""
        with self.client() as client:
            return list(client.tool_calls(*ApprovalState.values()[1:]))

    def approve_next(self, words: str = "") -> None:
        """Say yes to the next plan or revision that nobody has decided about by then.

        If it needs several approvals, as many persons say so.
        """
        self._next_plans.append(approve(words))

    def reject_next(self, words: str = "") -> None:
        """Say no to it."""
        self._next_plans.append(reject(words))

    def request_changes_next(self, words: str) -> None:
        """Ask for another revision of it."""
        self._next_plans.append(request_changes(words))

    def edit_next(self, text: str, words: str = "") -> None:
        """Approve it with this text in place of its own."""
        self._next_plans.append(edit(text, words))

    def expire_next(self) -> None:
        """Let its time run out."""
        self._next_plans.append(expire())

    def on_plan(self, decide: Callable[[Plan], Answer | None]) -> None:
        """Ask a function about each plan that the ``…_next`` calls leave; None leaves it open."""
        self._on_plan = decide

    def allow_next(self, words: str = "") -> None:
        """Say yes to the next tool call that people are asked about."""
        self._next_calls.append(allow(words))

    def deny_next(self, words: str = "") -> None:
        """Say no to it."""
        self._next_calls.append(deny(words))

    def on_call(self, decide: Callable[[Approval], Answer | None]) -> None:
        """Ask a function about each tool call that these two leave; None leaves it open."""
        self._on_call = decide

    def _answer_plan(self, plan: Plan) -> None:
        answer = self._next_plans.popleft() if self._next_plans else self._on_plan(plan)
        if answer is None:
            return
        if answer.option == EXPIRE:
            expire_review(self._service.state, plan)
            return
        several = plan.review.required_approvals if answer.option == "approve" else 1
        for person in (PERSON, *(f"person-{number}" for number in range(2, several + 1))):
            with self.client(person) as client:
                client.decide(plan, answer.option, answer.words, edited=answer.text)

    def _answer_call(self, call: Approval) -> None:
        answer = self._next_calls.popleft() if self._next_calls else self._on_call(call)
        if answer is None:
            return
        state = self._service.state
        if answer.option == EXPIRE:
            queue.expire(state, call)
            return
        said: Any = answer.option
        with self.client() as client:
            client.answer(queue.prompt_of(state.session(call.session_id)), said, answer.words)
