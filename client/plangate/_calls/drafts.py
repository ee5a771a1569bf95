"""A plan while a model still writes it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from plangate._calls.kinds import Method, Unary, new_id
from plangate._calls.words import review_options, todo_items
from plangate._tokens import AGENT
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs, Phase
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import DraftPlanRequest, DraftPlanResponse
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem

DRAFT: Final = Method("/agent.v1.PlanService/DraftPlan", AGENT, DraftPlanResponse, by_agent=True)


class DraftFacts:
    """What was written so far, and the messages that tell it."""

    def __init__(self, name: str, overview: str, session_id: str, agent_id: str) -> None:
        self.text = ""
        """All that was written."""
        self.plan_uri = ""
        """Of the draft; known once the stream that it was written in has ended."""
        self._args = CreatePlanArgs(name=name, overview=overview)
        self._session_id = session_id
        self.agent_id = agent_id
        """Who writes it; empty if that is the client's own agent."""

    def grown(self, more: str) -> DraftPlanRequest:
        """The draft with more text at its end."""
        self.text += more
        self._args.plan = self.text
        return self._message()

    def _message(self) -> DraftPlanRequest:
        return DraftPlanRequest(args=self._args, session_id=self._session_id, agent_id=self.agent_id)


def draft_plan(*, name: str = "", overview: str = "", session_id: str = "", agent_id: str = "") -> DraftFacts:
    """Write a plan piece by piece, for people to watch it grow; ``submit`` asks them about it.

    A context manager: without ``submit`` it leaves a draft, and so does an exception.
    """
    return DraftFacts(name, overview, session_id, agent_id)


def submit(
    draft: DraftFacts,
    *,
    todos: Iterable[str | TodoItem] = (),
    phases: Iterable[Phase] = (),
    expires_after: timedelta | None = None,
    required_approvals: int = 0,
    require_reviewer: bool = False,
) -> Unary[Plan]:
    """The plan is whole: ask people about it."""
    message = draft.grown("")
    message.args.todos.extend(todo_items(todos))
    message.args.phases.extend(phases)
    options = review_options(expires_after, required_approvals, require_reviewer)
    if options is not None:
        message.review.CopyFrom(options)
    message.plan_uri = draft.plan_uri
    message.submit = True
    message.request_id = new_id()
    return Unary(DRAFT, message, lambda response: response.plan, in_a_stream=True)
