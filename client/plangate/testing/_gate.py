"""The gate that users' tests hold in their hands."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Final, Literal

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
from plangate.testing._channels import aio_channel, channel
from plangate.testing._expiry import expire_call, expire_review
from plangate.testing._in_process import WORKSPACE, Service
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.tool_approval_service_pb2 import Approval, ApprovalState
from plangate_server.domain.events import Event, EventType, LogEvent, SessionEvent

Role = Literal["agent", "reviewer", "observer", "admin"]

TARGET: Final = "in-process"
PERSON: Final = "ada"
"""Who decides, if the test does not say."""
PATIENCE: Final = 60.0


class Gate:
    """The real gate, in memory. Plans and tool calls wait until a script, or the test, decides.

    A call that waits fails with an AssertionError when nothing has happened at the gate for ``patience``
    seconds, so that a test in which nobody decides does not hang.
    """

    def __init__(self, *, patience: float = PATIENCE) -> None:
        self._next_plans: deque[Answer] = deque()
        self._next_calls: deque[Answer] = deque()
        self._on_plan: Callable[[Plan], Answer | None] = lambda _: None
        self._on_call: Callable[[Approval], Answer | None] = lambda _: None
        self._asked_calls: set[tuple[str, str]] = set()
        self._service = Service(self._ask, patience)

    def client(
        self, person: str = PERSON, *, role: Role = "admin", token: str = "", agent_id: str | None = None
    ) -> Client:
        """A client of this gate, for agents and for persons alike; the person is whoever decides with it.

        An admin may do everything; name another role to see what that one may not, or the token that
        ``create_token`` gave to call with that. Agents with different ``agent_id`` are different authors.
        """
        shown = token or self._service.token_of(person, role)
        return Client(TARGET, channel=channel(self._service, shown), agent_id=agent_id)

    def async_client(
        self, person: str = PERSON, *, role: Role = "admin", token: str = "", agent_id: str | None = None
    ) -> AsyncClient:
        """The same for programs with an event loop."""
        shown = token or self._service.token_of(person, role)
        return AsyncClient(TARGET, channel=aio_channel(self._service, shown), agent_id=agent_id)

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

    def _ask(self, event: LogEvent) -> None:
        """Have the scripts answer what it asks; what was answered meanwhile is no question any more."""
        if event.workspace != WORKSPACE:
            return
        if isinstance(event, Event) and event.type is EventType.PLAN_APPROVAL_REQUIRED:
            self._ask_about_plan(event.plan.uri, event.plan.review.approval_request_id)
        elif isinstance(event, SessionEvent) and event.session is not None and event.session.queue:
            self._ask_about_call(event.session.session_id)

    def _ask_about_plan(self, plan_uri: str, approval_request_id: str) -> None:
        with self.client() as client:
            plan = client.get_plan(plan_uri)
        is_asked = plan.review.approval_request_id == approval_request_id and not plan.review.decisions
        if plan.state == PlanState.PLAN_STATE_IN_REVIEW and is_asked:
            self._answer_plan(plan)

    def _ask_about_call(self, session_id: str) -> None:
        """Each call is asked about once: when people see it."""
        with self.client() as client:
            shown = [*client.tool_calls(ApprovalState.APPROVAL_STATE_ACTIVE, session_id=session_id)]
        for call in shown:
            if (session_id, call.call_id) not in self._asked_calls:
                self._asked_calls.add((session_id, call.call_id))
                self._answer_call(call)

    def _answer_plan(self, plan: Plan) -> None:
        answer = self._next_plans.popleft() if self._next_plans else self._on_plan(plan)
        if answer is None:
            return
        if answer.option == EXPIRE:
            request_id = plan.review.approval_request_id
            self._service.run(expire_review(self._service.world, WORKSPACE, request_id))
            return
        several = plan.review.required_approvals if answer.option == "approve" else 1
        for person in (PERSON, *(f"person-{number}" for number in range(2, several + 1))):
            with self.client(person) as client:
                client.decide(plan, answer.option, answer.words, edited=answer.text)

    def _answer_call(self, call: Approval) -> None:
        answer = self._next_calls.popleft() if self._next_calls else self._on_call(call)
        if answer is None:
            return
        if answer.option == EXPIRE:
            self._service.run(expire_call(self._service.world, WORKSPACE, call.session_id, call.call_id))
            return
        said: Any = answer.option
        with self.client() as client:
            prompts = (told.prompt for told in client.prompts(call.session_id) if told.HasField("prompt"))
            client.answer(next(prompts), said, answer.words)
