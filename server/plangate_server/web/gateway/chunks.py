"""What happens to plans, as the messages that an IDE knows. Fields that say nothing are left out."""

from __future__ import annotations

from typing import Any, TypeAlias

from google.protobuf.duration_pb2 import Duration

from plangate_proto.agent.v1.plan_resource_pb2 import Build, BuildOutcome, Plan, PlanSummary, SubtaskSummary
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.session_state_pb2 import FsmState
from plangate_proto.agent.v1.todo_tools_pb2 import TODO_STATUS_COMPLETED
from plangate_server.fronts import RefusedCall
from plangate_server.web.bodies import BadBody
from plangate_server.web.gateway.told import ASKED, TOLD
from plangate_server.web.refusals import refusal_of

Chunk: TypeAlias = dict[str, Any]


def chunk_of(event: ReviewEvent, plan: Plan) -> Chunk:
    """The message about an event that an IDE is told, and the plan as it is after it."""
    row = TOLD[event.type]
    chunk = {
        "type": row.kind,
        "content": _words(row.words, event.build),
        "approval_request_id": event.approval_request_id,
        "plan_id": event.plan_id,
        "metadata": _filled(_metadata(event, plan)),
        "is_final": row.final or None,
    }
    if row.kind == ASKED:
        chunk["plan_summary"] = _summary(event.plan_summary)
        # Not only in brief: nobody should say yes to what they cannot see.
        chunk["plan"] = plan.plan
    return _filled(chunk)


def refusal_chunk(refusal: RefusedCall | BadBody) -> Chunk:
    """That something was refused, with all that the gate says of it."""
    error = refusal_of(refusal)["error"]
    metadata = {**error["metadata"], "code": error["code"], "reason": error["reason"]}
    return {"type": "error", "content": error["message"], "metadata": metadata}


def heard_chunk(session_id: str) -> Chunk:
    """The answer to what a person says to their agent."""
    words = "The gate hands no messages on. It tells what agents plan, and takes decisions about it."
    return {"type": "status", "content": words, "metadata": _filled({"session_id": session_id})}


def _metadata(event: ReviewEvent, plan: Plan) -> Chunk:
    decision = event.review.decisions[-1] if event.review.decisions else None
    return {
        "fsm_state": FsmState.Name(event.fsm_state).removeprefix("FSM_STATE_").lower(),
        "session_id": event.session_id,
        "plan_id": event.plan_id,
        "plan_uri": event.plan_uri,
        "revision": event.revision,
        "digest": event.digest,
        "actor": event.actor,
        "feedback": decision.feedback_text if decision else None,
        "execution_result": _result(event.build, plan) if event.HasField("build") else None,
    }


def _words(words: str, build: Build) -> str:
    """With what the agent says of its build, if it is over."""
    return f"{words}\n\n{build.summary}" if build.summary else words


def _result(build: Build, plan: Plan) -> Chunk:
    todos = [todo for todo in plan.todos if todo.id in set(build.todo_ids)]
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
    return _filled(
        {
            "goal": summary.goal,
            "subtasks_count": summary.subtasks_count,
            "total_estimated_time": _span(summary.total_estimated_time),
            "subtasks": [_subtask(each) for each in summary.subtasks],
        }
    )


def _subtask(subtask: SubtaskSummary) -> Chunk:
    return _filled(
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


def _filled(chunk: Chunk) -> Chunk:
    return {name: value for name, value in chunk.items() if value not in (None, "", {})}
