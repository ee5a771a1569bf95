"""From the domain to agent.v1 messages. No rules here: only the same things in other words."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final, TypeVar

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from plangate_proto.agent.v1 import (
    create_plan_tool_pb2,
    plan_resource_pb2,
    review_event_pb2,
    review_resource_pb2,
    session_state_pb2,
    todo_tools_pb2,
)
from plangate_server.domain.events import Cursors, Event, EventType
from plangate_server.domain.plan import Plan, PlanProgress, PlanState, Revision
from plangate_server.domain.review import (
    Decision,
    DecisionSource,
    Review,
    ReviewOutcome,
    ReviewStatus,
)
from plangate_server.domain.sessions import STATE_WITH, FsmState
from plangate_server.domain.todos import Todo, TodoHint, TodoProgress, TodoStatus, total_estimate

Member = TypeVar("Member", bound=StrEnum)


def numbers(enum: type[Member], wire: Any, prefix: str) -> dict[Member, Any]:
    """The wire's number for each member; the names are the same but for the prefix."""
    return {member: wire.Value(f"{prefix}_{member.name}") for member in enum}


def number(table: dict[Member, Any], member: Member | None) -> Any:
    """The wire's number, which is zero for what is not there yet."""
    return table[member] if member else 0


TODO_STATUS: Final = numbers(TodoStatus, todo_tools_pb2.TodoStatus, "TODO_STATUS")
PLAN_STATE: Final = numbers(PlanState, plan_resource_pb2.PlanState, "PLAN_STATE")
PLAN_PROGRESS: Final = numbers(PlanProgress, plan_resource_pb2.PlanProgress, "PLAN_PROGRESS")
REVIEW_STATUS: Final = numbers(ReviewStatus, review_resource_pb2.ReviewStatus, "REVIEW_STATUS")
REVIEW_OUTCOME: Final = numbers(ReviewOutcome, review_resource_pb2.ReviewOutcome, "REVIEW_OUTCOME")
SOURCE: Final = numbers(DecisionSource, review_resource_pb2.DecisionSource, "DECISION_SOURCE")
FSM_STATE: Final = numbers(FsmState, session_state_pb2.FsmState, "FSM_STATE")
EVENT_TYPE: Final = numbers(EventType, review_event_pb2.ReviewEventType, "REVIEW_EVENT_TYPE")

CARRY_PLAN: Final = frozenset({EventType.SNAPSHOT, EventType.PLAN_CREATED})


def timestamp(moment: datetime | None) -> Timestamp | None:
    if moment is None:
        return None
    message = Timestamp()
    message.FromDatetime(moment)
    return message


def duration(span: timedelta | None) -> Duration | None:
    if span is None:
        return None
    message = Duration()
    message.FromTimedelta(span)
    return message


def plan_message(plan: Plan) -> plan_resource_pb2.Plan:
    content = plan.revision.content
    todos = {todo.id: todo_message(todo, plan.progress.get(todo.id)) for todo in content.todos}
    phases = [
        create_plan_tool_pb2.Phase(name=phase.name, todos=[todos[id] for id in phase.todo_ids])
        for phase in content.phases
    ]
    hints = {id: _hint_message(hint) for id, hint in plan.revision.hints.items()}
    built_by = {
        agent: plan_resource_pb2.TodoIds(todo_ids=todo_ids) for agent, todo_ids in plan.built_by.items()
    }
    return plan_resource_pb2.Plan(
        plan_uri=plan.uri,
        plan_id=plan.plan_id,
        file_name=plan.file_name,
        name=content.name,
        overview=content.overview,
        plan=content.plan,
        todos=todos.values(),
        phases=phases,
        is_project=content.is_project,
        is_spec=content.is_spec,
        revision=plan.revision.number,
        digest=plan.revision.digest,
        state=PLAN_STATE[plan.state],
        progress=PLAN_PROGRESS[plan.derived_progress],
        review=review_message(plan),
        session_id=plan.session_id,
        created_by=plan.created_by,
        edited_by=plan.edited_by,
        referenced_by=plan.referenced_by,
        built_by=built_by,
        create_time=timestamp(plan.create_time),
        update_time=timestamp(plan.update_time),
        todo_hints=hints,
        tool_call_id=plan.tool_call_id,
    )


def todo_message(todo: Todo, progress: TodoProgress | None) -> todo_tools_pb2.TodoItem:
    """A todo with its progress; one of an older revision that is gone since has none."""
    message = todo_tools_pb2.TodoItem(id=todo.id, content=todo.content, dependencies=todo.dependencies)
    if progress is not None:
        message.status = TODO_STATUS[progress.status]
        message.created_at = _milliseconds(progress.create_time)
        message.updated_at = _milliseconds(progress.update_time)
    return message


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def _hint_message(hint: TodoHint) -> plan_resource_pb2.TodoHint:
    return plan_resource_pb2.TodoHint(agent=hint.agent, estimated_time=duration(hint.estimated_time))


def review_message(plan: Plan) -> review_resource_pb2.Review:
    review: Review = plan.review
    return review_resource_pb2.Review(
        approval_request_id=review.approval_request_id,
        plan_uri=plan.uri,
        revision=review.revision,
        digest=review.digest,
        status=REVIEW_STATUS[review.status],
        outcome=number(REVIEW_OUTCOME, review.outcome),
        decisions=[_decision_message(decision) for decision in review.decisions],
        required_approvals=review.required_approvals,
        source=number(SOURCE, review.source),
        rule=review.rule,
        request_time=timestamp(review.request_time),
        decide_time=timestamp(review.decide_time),
        deliver_time=timestamp(review.deliver_time),
        acknowledge_time=timestamp(review.acknowledge_time),
        consume_time=timestamp(review.consume_time),
        expire_time=timestamp(review.expire_time),
    )


def _decision_message(decision: Decision) -> review_resource_pb2.Decision:
    return review_resource_pb2.Decision(
        reviewer=decision.reviewer,
        selected_option=decision.option,
        feedback_text=decision.feedback_text,
        time=timestamp(decision.time),
        submit_feedback_as_new_message=decision.submit_feedback_as_new_message,
        bubble_id=decision.bubble_id,
    )


def event_message(event: Event, cursors: Cursors) -> review_event_pb2.ReviewEvent:
    plan = event.plan
    return review_event_pb2.ReviewEvent(
        cursor=cursors.encode(plan.workspace, event.sequence),
        type=EVENT_TYPE[event.type],
        event_time=timestamp(event.time),
        plan_uri=plan.uri,
        plan_id=plan.plan_id,
        approval_request_id=plan.review.approval_request_id,
        session_id=plan.session_id,
        revision=plan.revision.number,
        digest=plan.revision.digest,
        fsm_state=FSM_STATE[STATE_WITH[plan.state]],
        actor=event.actor,
        plan_summary=summary_message(plan.revision),
        review=review_message(plan),
        plan=plan_message(plan) if event.type in CARRY_PLAN else None,
        message=event.message,
    )


def summary_message(revision: Revision) -> plan_resource_pb2.PlanSummary:
    content, hints = revision.content, revision.hints
    no_hint = TodoHint()
    subtasks = [
        plan_resource_pb2.SubtaskSummary(
            id=todo.id,
            description=todo.content,
            agent=hints.get(todo.id, no_hint).agent,
            estimated_time=duration(hints.get(todo.id, no_hint).estimated_time),
        )
        for todo in content.todos
    ]
    return plan_resource_pb2.PlanSummary(
        goal=content.overview or content.name,
        subtasks_count=len(subtasks),
        total_estimated_time=duration(total_estimate(hints.values())),
        subtasks=subtasks,
    )
