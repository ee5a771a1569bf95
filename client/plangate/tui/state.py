"""What waits for people, and what became of it, as the gate's streams tell it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from google.protobuf.timestamp_pb2 import Timestamp

from plangate.cli._standing import is_waiting
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.agent.v1.review_resource_pb2 import ReviewStatus
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.agent.v1.tool_approval_service_pb2 import WatchApprovalsResponse

Type = ReviewEventType
Entry: TypeAlias = Plan | WatchApprovalsResponse
"""A plan, or the tool call that a session waits for."""

MOST_DECIDED: Final = 20
SESSION: Final = "session "
"""How the key of a session's tool calls begins; that of a plan is its plan_uri."""
AFTER: Final[Mapping[ReviewEventType.ValueType, PlanState.ValueType]] = {
    Type.REVIEW_EVENT_TYPE_PLAN_APPROVAL_REQUIRED: PlanState.PLAN_STATE_IN_REVIEW,
    Type.REVIEW_EVENT_TYPE_PLAN_APPROVED: PlanState.PLAN_STATE_APPROVED,
    Type.REVIEW_EVENT_TYPE_PLAN_EDITED: PlanState.PLAN_STATE_APPROVED,
    Type.REVIEW_EVENT_TYPE_PLAN_REJECTED: PlanState.PLAN_STATE_REJECTED,
    Type.REVIEW_EVENT_TYPE_PLAN_MODIFICATION_REQUESTED: PlanState.PLAN_STATE_CHANGES_REQUESTED,
    Type.REVIEW_EVENT_TYPE_REVIEW_EXPIRED: PlanState.PLAN_STATE_EXPIRED,
    Type.REVIEW_EVENT_TYPE_PLAN_WITHDRAWN: PlanState.PLAN_STATE_WITHDRAWN,
    Type.REVIEW_EVENT_TYPE_BUILD_STARTED: PlanState.PLAN_STATE_BUILDING,
    Type.REVIEW_EVENT_TYPE_EXECUTION_COMPLETED: PlanState.PLAN_STATE_COMPLETED,
    Type.REVIEW_EVENT_TYPE_EXECUTION_FAILED: PlanState.PLAN_STATE_FAILED,
}
"""The state of a plan after an event that does not carry the plan itself."""


class Inbox:
    """The plans and tool calls of the workspace, from the moment on when somebody began to look."""

    def __init__(self) -> None:
        self.calls: dict[str, WatchApprovalsResponse] = {}
        """By session: what people are asked there, how many wait, and the last answer."""
        self._plans: dict[str, Plan] = {}
        self._in_snapshot = False
        self._has_plans = self._has_calls = False

    @property
    def is_ready(self) -> bool:
        """Whether all that waits is there. The two streams tell it side by side, in any order."""
        return self._has_plans and self._has_calls and not self._in_snapshot

    def waiting(self) -> list[Entry]:
        """Whoever waits longest comes first."""
        plans: list[Entry] = [plan for plan in self._plans.values() if is_waiting(plan.review)]
        calls: list[Entry] = [told for told in self.calls.values() if told.HasField("prompt")]
        return sorted((*plans, *calls), key=_place)

    def next_after(self, key: str) -> str:
        """The key of what waits longest of all that began to wait after this; after the last, of all.

        Empty if nothing waits.
        """
        began = self._asked_at(key)
        waiting = self.waiting()
        later = [each for each in waiting if _place(each) > (began, key)]
        return next(map(key_of, (*later, *waiting)), "")

    def decided(self) -> list[Plan]:
        """The plans that waited and no longer do, the latest decision first."""
        done = [plan for plan in self._plans.values() if is_decided(plan)]
        done.sort(key=lambda plan: _nanoseconds(plan.review.decide_time), reverse=True)
        return done[:MOST_DECIDED]

    def hear(self, event: ReviewEvent) -> None:
        if event.type == Type.REVIEW_EVENT_TYPE_CHECKPOINT:
            self._in_snapshot = False
            self._has_plans = True
        elif event.type == Type.REVIEW_EVENT_TYPE_SNAPSHOT:
            self._begin_snapshot()
            self._plans[event.plan_uri] = _after(Plan(), event)
        elif event.HasField("plan") or event.plan_uri in self._plans:
            self._plans[event.plan_uri] = _after(self._plans.get(event.plan_uri, Plan()), event)
        self._keep_what_is_needed()

    def hear_call(self, told: WatchApprovalsResponse) -> None:
        if told.checkpoint:
            self._has_calls = True
            return
        self.calls.pop(told.session_id, None)
        self.calls[told.session_id] = told
        silent = [session_id for session_id, each in self.calls.items() if not each.HasField("prompt")]
        for session_id in silent[:-MOST_DECIDED]:
            del self.calls[session_id]

    def take(self, plan: Plan) -> None:
        """A plan as it was fetched; what a stream told in the meantime is not undone."""
        known = self._plans.get(plan.plan_uri)
        if known is not None:
            ours, theirs = known.review, plan.review
            is_same = ours.approval_request_id == theirs.approval_request_id
            if known.revision > plan.revision or (is_same and not is_waiting(ours) and is_waiting(theirs)):
                return
        self._plans[plan.plan_uri] = Plan()
        self._plans[plan.plan_uri].CopyFrom(plan)
        self._keep_what_is_needed()

    def forget_plan(self, plan_uri: str) -> None:
        self._plans.pop(plan_uri, None)

    def asked_calls(self) -> set[tuple[str, str]]:
        """The calls that people are asked about, by session and call."""
        return {
            (session_id, told.prompt.call_id)
            for session_id, told in self.calls.items()
            if told.HasField("prompt")
        }

    def forget_calls(self, ended: Iterable[tuple[str, str]]) -> None:
        """Nobody is asked about these any more; a later call of the same session stays."""
        for session_id, call_id in ended:
            told = self.calls.get(session_id)
            if told is not None and told.prompt.call_id == call_id:
                told.ClearField("prompt")

    def _asked_at(self, key: str) -> int:
        """When people were asked about it, also if they have answered; 0 if that is no longer known."""
        if key in self._plans:
            return _nanoseconds(self._plans[key].review.request_time)
        told = self.calls.get(key.removeprefix(SESSION))
        if told is None:
            return 0
        asked = told.prompt if told.HasField("prompt") else told.last_decision
        return _nanoseconds(asked.request_time)

    def _keep_what_is_needed(self) -> None:
        """What waits, and the plans decided last, of which nobody needs the text here."""
        decided = self.decided()
        for plan in decided:
            for name in ("plan", "overview"):
                plan.ClearField(name)
            plan.review.ClearField("comments")
        kept = {plan.plan_uri for plan in decided}
        self._plans = {
            uri: plan for uri, plan in self._plans.items() if uri in kept or is_waiting(plan.review)
        }

    def _begin_snapshot(self) -> None:
        """It takes the place of all that was known to wait."""
        if not self._in_snapshot:
            self._in_snapshot = True
            self._plans = {uri: plan for uri, plan in self._plans.items() if not is_waiting(plan.review)}


def is_decided(plan: Plan) -> bool:
    return plan.review.status == ReviewStatus.REVIEW_STATUS_DONE


def asked_at(entry: Entry) -> Timestamp:
    return entry.review.request_time if isinstance(entry, Plan) else entry.prompt.request_time


def key_of(entry: Entry) -> str:
    """The same as long as it is the same plan, or the same session that asks."""
    return entry.plan_uri if isinstance(entry, Plan) else f"{SESSION}{entry.session_id}"


def _place(entry: Entry) -> tuple[int, str]:
    """Whoever waits longest comes first, and no two have the same place."""
    return _nanoseconds(asked_at(entry)), key_of(entry)


def _after(known: Plan, event: ReviewEvent) -> Plan:
    plan = Plan()
    plan.CopyFrom(event.plan if event.HasField("plan") else known)
    if event.HasField("review"):
        plan.review.CopyFrom(event.review)
    if event.type in AFTER:
        plan.state = AFTER[event.type]
    _move(plan.todos, event.todos)
    return plan


def _move(todos: Iterable[TodoItem], changed: Sequence[TodoItem]) -> None:
    statuses = {todo.id: todo.status for todo in changed}
    for todo in todos:
        todo.status = statuses.get(todo.id, todo.status)


def _nanoseconds(moment: Timestamp) -> int:
    return moment.ToNanoseconds()
