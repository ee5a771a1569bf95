"""What happens to plans, as the messages that an IDE knows. Fields that say nothing are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from google.protobuf.duration_pb2 import Duration

from plangate_proto.agent.v1.plan_resource_pb2 import Build, BuildOutcome, Plan, PlanSummary, SubtaskSummary
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.agent.v1.review_resource_pb2 import Comment, CommentState, Decision, Review
from plangate_proto.agent.v1.session_state_pb2 import FsmState
from plangate_proto.agent.v1.todo_tools_pb2 import TODO_STATUS_COMPLETED
from plangate_server.domain.errors import Refusal
from plangate_server.domain.persons import known_as
from plangate_server.fronts import RefusedCall
from plangate_server.web.gateway.told import ASKED, PLANS, SUPERSEDED, Row
from plangate_server.web.gateway.words import feedback_of, said_with
from plangate_server.web.refusals import refusal_of

Chunk: TypeAlias = dict[str, Any]
ERROR: Final = "error"


def chunk_of(event: ReviewEvent, plan: Plan) -> Chunk:
    """The message about what happened to a plan, and the plan as it is after it."""
    row = PLANS[event.type]
    words = _words(row, event)
    chunk = {
        "type": row.kind,
        "content": words,
        "error": words if row.kind == ERROR else None,
        "approval_request_id": event.approval_request_id,
        "plan_id": event.plan_id,
        "metadata": _metadata(event, plan, row),
        "is_final": row.final or None,
    }
    if row.kind == ASKED:
        chunk["plan_summary"] = _summary(event.plan_summary)
        # Not only in brief: nobody should say yes to what they cannot see.
        chunk["plan"] = plan.plan
    return filled(chunk)


def superseded_chunk(event: ReviewEvent, review: Review) -> Chunk:
    """That a review ended because the event put another text in its place."""
    metadata = {
        **_place(event),
        "revision": review.revision,
        "digest": review.digest,
        "superseded_by": review.superseded_by,
    }
    return {
        "type": SUPERSEDED.kind,
        "content": SUPERSEDED.words,
        "approval_request_id": review.approval_request_id,
        "plan_id": event.plan_id,
        "metadata": filled(metadata),
        "is_final": True,
    }


def refusal_chunk(refusal: RefusedCall | Refusal, about: Mapping[str, str] | None = None) -> Chunk:
    """That what was said about something was refused, with all that the gate says of it."""
    error = refusal_of(refusal)["error"]
    metadata = {**error["metadata"], "code": error["code"], "reason": error["reason"]}
    words = error["message"]
    chunk = {"type": ERROR, "error": words, "content": words, **(about or {}), "metadata": metadata}
    # Of a review that only waits for the approvals of others, more comes.
    return chunk if "missing" in metadata else {**chunk, "is_final": True}


def heard_chunk(session_id: str, cursor: str = "") -> Chunk:
    """The answer to what a person says to their agent, with the place that the line has reached."""
    words = "The gate hands no messages on. It tells what agents plan, and takes decisions about it."
    metadata = filled({"session_id": session_id})
    return filled({"type": "status", "content": words, "metadata": metadata, "cursor": cursor})


def filled(chunk: Chunk) -> Chunk:
    """Without what says nothing."""
    return {name: value for name, value in chunk.items() if value not in (None, "", {})}


def _place(event: ReviewEvent) -> Chunk:
    return {
        "fsm_state": FsmState.Name(event.fsm_state).removeprefix("FSM_STATE_").lower(),
        "session_id": event.session_id,
        "plan_id": event.plan_id,
        "plan_uri": event.plan_uri,
        "actor": event.actor,
    }


def _metadata(event: ReviewEvent, plan: Plan, row: Row) -> Chunk:
    review = event.review
    return filled(
        {
            **_place(event),
            "revision": event.revision,
            "digest": event.digest,
            "feedback": feedback_of(_decisions(event)),
            "comments": ([_comment(each, review) for each in review.comments] if row.said else []) or None,
            "comments_left_out": (review.comments_left_out if row.said else 0) or None,
            "approvals": _approvals(review) if review.required_approvals > 1 else None,
            "execution_result": _result(event.build, plan) if event.HasField("build") else None,
        }
    )


def _words(row: Row, event: ReviewEvent) -> str:
    """With what the person said who decided, and what the agent says of its build, if it is over."""
    words = row.words
    if event.type == ReviewEventType.REVIEW_EVENT_TYPE_APPROVAL_RECORDED:
        counted = _approvals(event.review)
        words = f"{counted['recorded']} of {counted['required']} approvals recorded, "
        words += f"{counted['missing']} missing."
        said = feedback_of(_decisions(event))
    else:
        said = said_with(event.review) if row.said else ""
    return "\n\n".join(filter(None, (words, said, event.build.summary)))


def _decisions(event: ReviewEvent) -> Sequence[Decision]:
    """Those that a message tells of: one approval of several as it is given, and all of them otherwise."""
    is_one = event.type == ReviewEventType.REVIEW_EVENT_TYPE_APPROVAL_RECORDED
    return event.review.decisions[-1:] if is_one else event.review.decisions


def _approvals(review: Review) -> Chunk:
    """Persons count, not their tokens."""
    yes = [each for each in review.decisions if each.selected_option == "approve"]
    recorded = len({known_as(each.person) for each in yes})
    required = review.required_approvals
    by = [each.reviewer for each in yes]
    return {"recorded": recorded, "required": required, "missing": max(required - recorded, 0), "by": by}


def _comment(comment: Comment, review: Review) -> Chunk:
    """As it stands on the revision under review, which is where its lines are; it can be older."""
    first, last = comment.first_line, comment.last_line
    lines = {"first_line": first, "last_line": last, "lines_of_revision": review.revision} if first else {}
    return filled(
        {
            "comment_id": comment.comment_id,
            "author": comment.author,
            "state": CommentState.Name(comment.state).removeprefix("COMMENT_STATE_").lower(),
            "revision": comment.revision,
            **lines,
            "quoted_text": comment.quoted_text,
            "text": comment.text,
        }
    )


def _result(build: Build, plan: Plan) -> Chunk:
    built = set(build.todo_ids)
    todos = [todo for todo in plan.todos if todo.id in built]
    completed = sum(todo.status == TODO_STATUS_COMPLETED for todo in todos)
    failed = build.outcome == BuildOutcome.BUILD_OUTCOME_FAILED
    took = build.end_time.ToNanoseconds() - build.start_time.ToNanoseconds()
    result = {"completed_subtasks": completed, "total_subtasks": len(todos)}
    if not build.HasField("end_time"):
        return {"status": "in_progress", **result}
    return {
        "status": "failed" if failed else "completed",
        **result,
        "failed_subtasks": len(todos) - completed if failed else 0,
        "duration_seconds": round(took / 1e9, 1),
    }


def _summary(summary: PlanSummary) -> Chunk:
    return filled(
        {
            "goal": summary.goal,
            "subtasks_count": summary.subtasks_count,
            "total_estimated_time": _span(summary.total_estimated_time),
            "subtasks": [_subtask(each) for each in summary.subtasks],
        }
    )


def _subtask(subtask: SubtaskSummary) -> Chunk:
    return filled(
        {
            "id": subtask.id,
            "description": subtask.description,
            "agent": subtask.agent,
            "estimated_time": _span(subtask.estimated_time),
        }
    )


def _span(duration: Duration) -> str:
    """As people say it; nothing if nobody knows."""
    seconds = duration.seconds
    if seconds <= 0:
        return ""
    return f"{seconds} s" if seconds < 60 else f"{round(seconds / 60)} min"
