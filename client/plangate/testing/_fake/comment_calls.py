"""Comments on lines of a revision, and where they stand on a newer one."""

from __future__ import annotations

import difflib

from plangate.testing._fake.messages import copy_of, moment, new_id
from plangate.testing._fake.records import Record
from plangate.testing._fake.refusals import Refused, invalid, missing
from plangate.testing._fake.state import State, Type
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_resource_pb2 import Comment, CommentState
from plangate_proto.aiserver.v1 import plan_review_service_pb2 as pb


def add_comment(state: State, request: pb.AddCommentRequest, person: str) -> pb.AddCommentResponse:
    record = state.record(request.plan_uri)
    if not request.revision:
        raise missing("revision")
    text, _ = record.revision(request.revision)
    _check(request, len(_lines(text.plan)))
    comment = Comment(
        comment_id=new_id(),
        plan_uri=request.plan_uri,
        revision=request.revision,
        first_line=request.first_line,
        last_line=request.last_line or request.first_line,
        text=request.text,
        author=person,
        state=CommentState.COMMENT_STATE_OPEN,
        create_time=moment(),
    )
    record.comments.append(comment)
    state.tell(record, Type.REVIEW_EVENT_TYPE_COMMENT_ADDED, person, comment.text, comment=comment)
    return pb.AddCommentResponse(comment=comment)


def _check(request: pb.AddCommentRequest, lines: int) -> None:
    """Lines are counted from 1, and 0 stands for the plan as a whole."""
    first, last = request.first_line, request.last_line or request.first_line
    if not request.text.strip():
        raise missing("text")
    if not 0 <= first <= lines:
        raise invalid("first_line", f"is not a line of the revision, which has {lines}")
    if not first <= last <= lines or (last and not first):
        raise invalid("last_line", f"is not a line from first_line to {lines}")


def resolve_comment(
    state: State, request: pb.ResolveCommentRequest, person: str
) -> pb.ResolveCommentResponse:
    record, comment = _found(state, request.comment_id)
    if comment.state != CommentState.COMMENT_STATE_RESOLVED:
        comment.state, comment.resolved_by = CommentState.COMMENT_STATE_RESOLVED, person
        comment.resolve_time.CopyFrom(moment())
        state.tell(record, Type.REVIEW_EVENT_TYPE_COMMENT_RESOLVED, person, comment.text, comment=comment)
    return pb.ResolveCommentResponse(comment=comment)


def _found(state: State, comment_id: str) -> tuple[Record, Comment]:
    for record in state.records.values():
        for comment in record.comments:
            if comment.comment_id == comment_id:
                return record, comment
    words = "comment_id names no comment of your workspace"
    raise Refused("COMMENT_NOT_FOUND", words, field="comment_id", comment_id=comment_id)


def comments_on(record: Record, plan: Plan) -> list[Comment]:
    """The comments as they stand on a revision of the plan."""
    return [_carried(record, each, plan) for each in record.comments if each.revision <= plan.revision]


def _carried(record: Record, comment: Comment, plan: Plan) -> Comment:
    """An open one on the same lines where they are still there, or else on the plan as a whole."""
    carried = copy_of(comment)
    if comment.state == CommentState.COMMENT_STATE_OPEN and comment.revision < plan.revision:
        made_on, _ = record.revision(comment.revision)
        carried.state = CommentState.COMMENT_STATE_CARRIED
        kept = _kept_lines(made_on.plan, plan.plan)
        lines = [kept[line] for line in range(comment.first_line, comment.last_line + 1) if line in kept]
        carried.first_line, carried.last_line = (min(lines), max(lines)) if lines else (0, 0)
    return carried


def _kept_lines(old: str, new: str) -> dict[int, int]:
    """Where the lines are now that are still there."""
    matcher = difflib.SequenceMatcher(None, _lines(old), _lines(new), autojunk=False)
    return {
        old_start + offset + 1: new_start + offset + 1
        for old_start, new_start, size in matcher.get_matching_blocks()
        for offset in range(size)
    }


def _lines(text: str) -> list[str]:
    """Only a line feed ends one, and the last needs none."""
    return text.removesuffix("\n").split("\n")
