"""Requests with a field that the chosen option, state or method does not use, and what stays legal.

One table for every way to the gate: gRPC and JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from google.protobuf.message import Message

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs, Phase
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest, UpdatePlanRequest
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOptions
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    ApprovalPrompt,
    Remember,
    ResetMemoryRequest,
    ResolveApprovalRequest,
)
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams, PlanPhase, Step
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    AddCommentRequest,
    GetReviewRequest,
    ListEventsRequest,
    SubmitReviewRequest,
    VerifyAuditRequest,
)
from plangate_proto.aiserver.v1.todo_read_write_tools_pb2 import TodoItem as EditedTodo
from tests.helpers.gate import Gate, decision
from tests.helpers.tool_calls import (
    FOR_SESSION,
    NO,
    OTHER_WORKSPACE,
    RESTART,
    YES,
    call,
    remember,
    resolution,
    span,
)

SUBMIT: Final = "aiserver.v1.PlanReviewService/SubmitReview"
ANSWER: Final = "agent.v1.ApprovalService/ResolveApproval"
UPDATE: Final = "agent.v1.PlanService/UpdatePlan"
RESET: Final = "agent.v1.ApprovalService/ResetMemory"
VERIFY: Final = "aiserver.v1.PlanReviewService/VerifyAudit"
COMMENT: Final = "aiserver.v1.PlanReviewService/AddComment"
EVENTS: Final = "aiserver.v1.PlanReviewService/ListEvents"
REVIEW: Final = "aiserver.v1.PlanReviewService/GetReview"

TEXT: Final = "# Tidy the cellar\n\nSort the boxes."
PENDING, COMPLETED = TodoStatus.TODO_STATUS_PENDING, TodoStatus.TODO_STATUS_COMPLETED
REJECT, CHANGES = "rejectAndTellWhatToDoDifferently", "requestChanges"
SWAP: Final = CreatePlanParams(old_str="the boxes", new_str="the shelves")
HASH: Final = "0" * 64


class Desk(NamedTuple):
    """What somebody can decide about: a plan, a command, and one that nobody can remember."""

    plan: Plan
    prompt: ApprovalPrompt
    compound: ApprovalPrompt


async def laid(gate: Gate) -> Desk:
    args = CreatePlanArgs(plan=TEXT, todos=[TodoItem(id="a", content="Sort")])
    plan = await gate.propose(CreatePlanRequest(args=args, session_id="p", agent_id="builder"))
    await gate.ask(call("make test"))
    await gate.ask(call("make test && make install", session_id="two"))
    return Desk(plan, await gate.prompt(), await gate.prompt("two"))


class Row(NamedTuple):
    """A request about what is on the desk, and the field that is refused; none if it is legal."""

    method: str
    request: Callable[[Desk], Message]
    field: str = ""
    reason: str = "INVALID_FIELD"
    role: str = "admin"


def submits(
    field: str,
    option: str,
    edited: CreatePlanParams | None = None,
    reason: str = "INVALID_FIELD",
    *,
    words: str = "Why?",
    **more: Any,
) -> Row:
    def request(desk: Desk) -> SubmitReviewRequest:
        asked = decision(desk.plan, option, words)
        asked.MergeFrom(SubmitReviewRequest(edited=edited, **more))
        return asked

    return Row(SUBMIT, request, field, reason)


def edits(field: str, reason: str = "INVALID_FIELD", *, edited_whole: bool = False, **edited: Any) -> Row:
    return submits(field, "edit", CreatePlanParams(**edited), reason, edited_whole=edited_whole)


def answers(
    field: str, option: str, reason: str = "INVALID_FIELD", *, compound: bool = False, **more: Any
) -> Row:
    def request(desk: Desk) -> ResolveApprovalRequest:
        return resolution(desk.compound if compound else desk.prompt, option, **more)

    return Row(ANSWER, request, field, reason)


def updates(field: str, role: str = "reviewer", **more: Any) -> Row:
    def request(desk: Desk) -> UpdatePlanRequest:
        return UpdatePlanRequest(plan_uri=desk.plan.plan_uri, expected_revision=desk.plan.revision, **more)

    return Row(UPDATE, request, field, role=role)


def says(method: str, field: str, request: Message, reason: str = "INVALID_FIELD") -> Row:
    return Row(method, lambda _: request, field, reason)


def comments(field: str, first_line: int = 0, last_line: int = 0) -> Row:
    def request(desk: Desk) -> AddCommentRequest:
        return AddCommentRequest(
            plan_uri=desk.plan.plan_uri, revision=1, text="Why?", first_line=first_line, last_line=last_line
        )

    return Row(COMMENT, request, field)


def both_names(desk: Desk) -> GetReviewRequest:
    review_id = desk.plan.review.approval_request_id
    return GetReviewRequest(approval_request_id=review_id, plan_uri=desk.plan.plan_uri)


A: Final = {"id": "a", "content": "Sort"}

REFUSED_REVIEWS: Final = {
    **{f"{option} with a text": submits("edited", option, SWAP) for option in ("approve", REJECT, CHANGES)},
    "the older words with a text": submits("edited", "modify", SWAP),
    "approve with an empty edit": submits("edited", "approve", CreatePlanParams()),
    "approve, the whole of nothing": submits("edited_whole", "approve", edited_whole=True),
    "edit, the whole of nothing": submits("edited_whole", "edit", edited_whole=True),
    "edit without a text": submits("edited", "edit", reason="MISSING_FIELD"),
    "edit with nothing in it": edits("edited"),
    "edit with the text that is there": edits("edited", plan=TEXT),
    "edit that replaces a part by itself": edits("edited", old_str="boxes", new_str="boxes"),
    "edit of the text and a part of it": edits("edited.old_str", plan="# Mine", old_str="boxes"),
    "edit of the text with a part to put in": edits("edited.new_str", plan="# Mine", new_str="shelves"),
    "whole edit with a part of it": edits("edited.old_str", edited_whole=True, old_str="boxes"),
    "edit with two names": edits("edited.title", name="Cellar", title="Attic"),
    "edit with two overviews": edits("edited.summary", overview="Soon", summary="Late"),
    "edit with todos and steps": edits(
        "edited.steps", todos=[EditedTodo(**A)], steps=[Step(id="b", title="Sweep")]
    ),
    "edit with a blank name": edits("edited.name", name=" "),
    "edit with a blank title": edits("edited.title", title=" "),
    "edit with a blank text": edits("edited.plan", "MISSING_FIELD", plan=" "),
    "edit with progress": edits("edited.todos[0].status", todos=[EditedTodo(**A, status="completed")]),
    "edit with progress of a new todo": edits(
        "edited.todos[0].status", todos=[EditedTodo(id="b", content="Sweep", status="in_progress")]
    ),
    "edit with progress in a phase": edits(
        "edited.phases[0].todos[0].status",
        phases=[PlanPhase(name="One", todos=[EditedTodo(**A, status="cancelled")])],
    ),
    **{
        f"{option} with the glass broken": submits("break_glass_reason", option, break_glass_reason="fire")
        for option in (REJECT, CHANGES)
    },
    "edit with the glass broken": submits("break_glass_reason", "edit", SWAP, break_glass_reason="fire"),
    "approve with a blank reason": submits("break_glass_reason", "approve", break_glass_reason=" "),
}

REFUSED_ANSWERS: Final = {
    "no with the glass broken": answers("break_glass_reason", NO, break_glass_reason="fire"),
    "yes with a blank reason": answers("break_glass_reason", YES, break_glass_reason=" "),
    "remember nowhere": answers("remember.scope", YES, "MISSING_FIELD", remember=Remember()),
    "remember calls like it nowhere": answers(
        "remember.scope", NO, "MISSING_FIELD", remember=Remember(pattern="make *")
    ),
    "for the session, and everywhere": answers(
        "remember.scope", FOR_SESSION, remember=remember(scope="WORKSPACE")
    ),
    "a pattern of other calls": answers("remember.pattern", YES, remember=remember("git *")),
    "a no to other calls": answers("remember.pattern", NO, remember=remember("git *")),
    "a blank pattern": answers("remember.pattern", YES, remember=remember(" ")),
    "remembered for no time": answers(
        "remember.expires_after", YES, remember=Remember(scope=remember().scope, expires_after=span(0))
    ),
    "a yes that cannot be remembered": answers("remember", YES, compound=True, remember=remember()),
    "a no that cannot be remembered": answers("remember", NO, compound=True, remember=remember()),
    "a session's yes that cannot be remembered": answers("decision", FOR_SESSION, compound=True),
    "an answer without the prompt's token": answers(
        "authority_token", YES, "MISSING_FIELD", authority_token=""
    ),
}

REFUSED_OTHERS: Final = {
    "forget everything, of a session": says(
        RESET, "session_id", ResetMemoryRequest(kind=OTHER_WORKSPACE, session_id="s")
    ),
    "restart of no session": says(RESET, "session_id", ResetMemoryRequest(kind=RESTART), "MISSING_FIELD"),
    "a reviewer's text and a part of it": updates(
        "old_str", args=CreatePlanArgs(plan="# Mine"), old_str="boxes", new_str="shelves"
    ),
    "a reviewer's text with a part to put in": updates(
        "new_str", args=CreatePlanArgs(plan="# Mine"), new_str="shelves"
    ),
    "a reviewer's whole with a part": updates(
        "old_str", args=CreatePlanArgs(name="Mine"), old_str="boxes", whole=True
    ),
    "a reviewer's progress": updates(
        "args.todos[0].status",
        args=CreatePlanArgs(plan="# Mine", todos=[TodoItem(**A, status=COMPLETED)]),  # type: ignore[arg-type]
    ),
    "a reviewer's progress in a phase": updates(
        "args.phases[0].todos[0].status",
        args=CreatePlanArgs(phases=[Phase(name="One", todos=[TodoItem(**A, status=COMPLETED)])]),  # type: ignore[arg-type]
    ),
    "a reviewer's blank name": updates("args.name", args=CreatePlanArgs(name=" ")),
    "a reviewer's terms": updates(
        "review", args=CreatePlanArgs(plan="# Mine"), review=ReviewOptions(required_approvals=2)
    ),
    "a reviewer under an agent's name": updates(
        "agent_id", args=CreatePlanArgs(plan="# Mine"), agent_id="builder"
    ),
    "an agent's whole with a part": updates(
        "new_str", role="agent", args=CreatePlanArgs(plan="# Mine"), new_str="x", whole=True
    ),
    "a saved hash of no entry": says(
        VERIFY, "expected_head_sequence", VerifyAuditRequest(expected_head_hash=HASH), "MISSING_FIELD"
    ),
    "a saved entry without its hash": says(
        VERIFY, "expected_head_hash", VerifyAuditRequest(expected_head_sequence=1), "MISSING_FIELD"
    ),
    "a saved entry before the first": says(
        VERIFY,
        "expected_head_sequence",
        VerifyAuditRequest(expected_head_sequence=-1, expected_head_hash=HASH),
    ),
    "a comment up to a line from nowhere": comments("last_line", last_line=2),
    "a comment that ends before it begins": comments("last_line", first_line=3, last_line=1),
    "a part of the chain": says(EVENTS, "chain", ListEventsRequest(chain=True, session_id="s")),
    "the chain from its end": says(EVENTS, "newest_first", ListEventsRequest(chain=True, newest_first=True)),
    "a review by both names": Row(REVIEW, both_names, "approval_request_id", "MISSING_FIELD"),
}

LEGAL: Final = {
    "approve with words": submits("", "approve", words="Well done"),
    "approve with words for the chat": Row(
        SUBMIT,
        lambda desk: _for_the_chat(decision(desk.plan, "approve", "Well done")),
    ),
    "approve with a reason that nothing needed": submits("", "approve", break_glass_reason="fire"),
    "reject with words": submits("", "reject"),
    "edit of a part": submits("", "edit", SWAP),
    "edit with the status that is": edits("", plan="# Mine", todos=[EditedTodo(**A, status="pending")]),
    "whole edit with a name": edits("", edited_whole=True, plan="# Mine", name="Mine"),
    "edit in the older words": edits("", title="Attic", summary="Soon", steps=[Step(id="a", title="Sweep")]),
    "yes with words": answers("", YES, feedback_text="Well done"),
    "yes for the session": answers("", FOR_SESSION),
    "yes for the session to calls like it": answers("", FOR_SESSION, remember=remember("make *")),
    "yes for an hour": answers("", YES, remember=remember(seconds=3600)),
    "no, always": answers("", NO, remember=remember("make *", "WORKSPACE"), feedback_text="Never"),
    "yes with a reason that nothing needed": answers("", YES, break_glass_reason="fire", remember=remember()),
    "no, this once, to what cannot be remembered": answers("", NO, compound=True),
    "forget everything": says(RESET, "", ResetMemoryRequest(kind=OTHER_WORKSPACE)),
    "a reviewer's part of the text": updates("", old_str="the boxes", new_str="the shelves"),
    "a reviewer's todos with the status that is": updates(
        "",
        args=CreatePlanArgs(plan="# Mine", todos=[TodoItem(**A, status=PENDING)]),  # type: ignore[arg-type]
        whole=True,
    ),
    "an agent's text, which wins over a part of it": updates(
        "", role="agent", args=CreatePlanArgs(plan="# Mine"), old_str="boxes", new_str="shelves"
    ),
    "an agent's list with progress": updates(
        "",
        role="agent",
        args=CreatePlanArgs(todos=[TodoItem(id="a", content="Sort all", status=COMPLETED)]),
        review=ReviewOptions(required_approvals=2),
    ),
    "the log as it is": says(VERIFY, "", VerifyAuditRequest()),
    "a comment on a line": comments("", first_line=3),
}

REFUSED: Final = {**REFUSED_REVIEWS, **REFUSED_ANSWERS, **REFUSED_OTHERS}


def _for_the_chat(asked: SubmitReviewRequest) -> SubmitReviewRequest:
    asked.human_review.submit_feedback_as_new_message = True
    asked.human_review.bubble_id = "bubble-1"
    return asked
