"""From the domain to agent.v1 messages. No rules here: only the same things in other words."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from plangate_proto.agent.v1 import (
    create_plan_tool_pb2,
    plan_resource_pb2,
    review_event_pb2,
    review_resource_pb2,
    todo_tools_pb2,
)
from plangate_server.domain.builds import Build
from plangate_server.domain.comments import Comment
from plangate_server.domain.events import CARRY_PLAN, Cursors, Event, EventType
from plangate_server.domain.limits import shortened
from plangate_server.domain.plan import Plan, Revision, uri_of
from plangate_server.domain.review import SERVICE, Decision, Review
from plangate_server.domain.sessions import STATE_WITH
from plangate_server.domain.todos import Todo, TodoHint, TodoProgress, total_estimate
from plangate_server.rpc.enums import (
    BUILD_OUTCOME,
    BUILD_STATUS,
    COMMENT_STATE,
    EVENT_TYPE,
    PLAN_PROGRESS,
    PLAN_STATE,
    REVIEW_OUTCOME,
    REVIEW_STATUS,
    SOURCE,
    TODO_STATUS,
    number,
)
from plangate_server.rpc.kept import Kept
from plangate_server.rpc.session_messages import ACCESS, FSM_STATE, session_message
from plangate_server.rpc.times import duration, timestamp

SUMMARY_CHARACTERS: Final = 200


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
        review=review_message(plan.uri, plan.review),
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
    if progress is None:
        return todo_tools_pb2.TodoItem(id=todo.id, content=todo.content, dependencies=todo.dependencies)
    return todo_tools_pb2.TodoItem(
        id=todo.id,
        content=todo.content,
        status=TODO_STATUS[progress.status],
        created_at=_milliseconds(progress.create_time),
        updated_at=_milliseconds(progress.update_time),
        dependencies=todo.dependencies,
    )


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def _hint_message(hint: TodoHint) -> plan_resource_pb2.TodoHint:
    return plan_resource_pb2.TodoHint(
        agent=hint.agent,
        estimated_time=duration(hint.estimated_time),
        access=number(ACCESS, hint.access),
        labels=hint.labels,
    )


def review_message(plan_uri: str, review: Review, reviewers: int = 0) -> review_resource_pb2.Review:
    principal, person = review.proposer.caller if review.proposer else ("", "")
    return review_resource_pb2.Review(
        approval_request_id=review.approval_request_id,
        plan_uri=plan_uri,
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
        reviewers_watching=reviewers,
        superseded_by=review.superseded_by,
        comments=[comment_message(comment) for comment in review.comments],
        comments_left_out=review.comments_left_out,
        agent_id=review.proposer.agent_id if review.proposer else "",
        principal=principal,
        person=person,
    )


def _decision_message(decision: Decision) -> review_resource_pb2.Decision:
    return review_resource_pb2.Decision(
        reviewer=decision.reviewer,
        selected_option=decision.option,
        feedback_text=decision.feedback_text,
        time=timestamp(decision.time),
        submit_feedback_as_new_message=decision.submit_feedback_as_new_message,
        bubble_id=decision.bubble_id,
        person=decision.by,
        break_glass_reason=decision.break_glass,
    )


def comment_message(comment: Comment) -> review_resource_pb2.Comment:
    return review_resource_pb2.Comment(
        comment_id=comment.comment_id,
        plan_uri=uri_of(comment.plan_id),
        revision=comment.revision,
        first_line=comment.first_line,
        last_line=comment.last_line,
        text=comment.text,
        author=comment.author,
        state=COMMENT_STATE[comment.state],
        create_time=timestamp(comment.create_time),
        resolved_by=comment.resolved_by,
        resolve_time=timestamp(comment.resolve_time),
        quoted_text=comment.quoted_text,
    )


def build_message(plan_uri: str, build: Build) -> plan_resource_pb2.Build:
    return plan_resource_pb2.Build(
        build_id=build.build_id,
        plan_uri=plan_uri,
        agent_id=build.agent_id,
        todo_ids=build.todo_ids,
        revision=build.revision,
        digest=build.digest,
        status=BUILD_STATUS[build.status],
        outcome=number(BUILD_OUTCOME, build.outcome),
        summary=build.summary,
        start_time=timestamp(build.start_time),
        end_time=timestamp(build.end_time),
        lease_expire_time=timestamp(build.lease_expire_time),
    )


def revision_message(
    plan_uri: str, revision: Revision, review: Review | None
) -> plan_resource_pb2.RevisionInfo:
    return plan_resource_pb2.RevisionInfo(
        revision=revision.number,
        digest=revision.digest,
        author=revision.author,
        create_time=timestamp(revision.create_time),
        review=review_message(plan_uri, review.without_comments) if review else None,
    )


def superseded_message(event: Event, review: Review, cursors: Cursors) -> review_event_pb2.ReviewEvent:
    """The event as whoever waited for an earlier text is told: what became of that text."""
    message = event_message(event, cursors)
    if event.type is not EventType.SNAPSHOT:
        # What happened to this text, whatever happened to the other: its approval is none of this one.
        message.type = EVENT_TYPE[EventType.PLAN_UPDATED]
    for field in ("plan", "plan_summary", "todos", "comment", "build", "message"):
        message.ClearField(field)
    message.approval_request_id = review.approval_request_id
    message.revision = review.revision
    message.digest = review.digest
    message.review.CopyFrom(review_message(event.plan.uri, review))
    return message


def event_message(event: Event, cursors: Cursors, shown: Shown | None = None) -> review_event_pb2.ReviewEvent:
    plan = event.plan
    shown = shown or Shown()
    by_id = {todo.id: todo for todo in plan.revision.content.todos} if event.todo_ids else {}
    return review_event_pb2.ReviewEvent(
        cursor=cursors.encode(plan.workspace, event.sequence) if event.sequence else "",
        type=EVENT_TYPE[event.type],
        event_time=timestamp(event.time),
        plan_uri=plan.uri,
        plan_id=plan.plan_id,
        approval_request_id=plan.review.approval_request_id,
        session_id=plan.session_id,
        revision=plan.revision.number,
        digest=plan.revision.digest,
        fsm_state=FSM_STATE[event.session.fsm_state if event.session else STATE_WITH[plan.state]],
        actor=event.actor,
        plan_summary=shown.summaries.of(plan.revision),
        review=review_message(plan.uri, event.told_review),
        plan=shown.plans.of(plan) if event.type in CARRY_PLAN else None,
        todos=[todo_message(by_id[id], plan.progress[id]) for id in event.todo_ids],
        comment=comment_message(event.comment) if event.comment else None,
        build=build_message(plan.uri, event.build) if event.build else None,
        message=event.message,
        session=session_message(event.session) if event.session else None,
        request_id=event.request_id,
    )


class Shown:
    """Messages of plans and summaries of revisions, made once: the same ones are shown again and again."""

    def __init__(self) -> None:
        self.plans = Kept(plan_message, lambda plan: _size(plan.revision))
        self.summaries = Kept(summary_message, _size)


def _size(revision: Revision) -> int:
    """About what it takes to keep."""
    content = revision.content
    return len(content.plan) + len(content.overview) + sum(256 + len(todo.content) for todo in content.todos)


def checkpoint_message(
    workspace: str, sequence: int, now: datetime, cursors: Cursors
) -> review_event_pb2.ReviewEvent:
    return review_event_pb2.ReviewEvent(
        cursor=cursors.encode(workspace, sequence),
        type=EVENT_TYPE[EventType.CHECKPOINT],
        event_time=timestamp(now),
        actor=SERVICE,
    )


def summary_message(revision: Revision) -> plan_resource_pb2.PlanSummary:
    content, hints = revision.content, revision.hints
    no_hint = TodoHint()
    subtasks = [
        plan_resource_pb2.SubtaskSummary(
            id=todo.id,
            description=shortened(todo.content, SUMMARY_CHARACTERS),
            agent=hints.get(todo.id, no_hint).agent,
            estimated_time=duration(hints.get(todo.id, no_hint).estimated_time),
        )
        for todo in content.todos
    ]
    return plan_resource_pb2.PlanSummary(
        goal=shortened(content.overview or content.name, SUMMARY_CHARACTERS),
        subtasks_count=len(subtasks),
        total_estimated_time=duration(total_estimate(hints.values())),
        subtasks=subtasks,
    )
