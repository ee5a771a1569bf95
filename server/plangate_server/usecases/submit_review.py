"""SubmitReview: record what a person decided about the revision and digest they saw."""

from __future__ import annotations

from dataclasses import dataclass

from plangate_server.domain.errors import MissingField, ReviewNotFound
from plangate_server.domain.lifecycle import submit_decision
from plangate_server.domain.plan import Plan
from plangate_server.domain.review import Decision, option_named
from plangate_server.ports import Principal, RequestKey, World, Writing
from plangate_server.usecases.once import once


@dataclass(frozen=True, slots=True)
class SubmitReview:
    approval_request_id: str
    selected_option: str
    revision: int
    digest: str
    feedback_text: str = ""
    submit_feedback_as_new_message: bool = False
    bubble_id: str = ""
    key: RequestKey | None = None


async def submit_review(world: World, principal: Principal, command: SubmitReview) -> Plan:
    """The plan after the decision."""
    _check(command)
    decision = Decision(
        reviewer=principal.name,
        option=option_named(command.selected_option),
        time=world.clock.now(),
        feedback_text=command.feedback_text,
        submit_feedback_as_new_message=command.submit_feedback_as_new_message,
        bubble_id=command.bubble_id,
    )

    def record(writing: Writing) -> Plan:
        plan = writing.plan_under_review(command.approval_request_id)
        if plan is None:
            raise ReviewNotFound(command.approval_request_id)
        change = submit_decision(plan, decision, revision=command.revision, seen_digest=command.digest)
        writing.save(change)
        return change.plan

    return await world.store.write(
        principal.workspace,
        lambda writing: once(writing, command.key, lambda: record(writing)),
    )


def _check(command: SubmitReview) -> None:
    required = {
        "approval_request_id": command.approval_request_id,
        "human_review.selected_option": command.selected_option,
        "revision": command.revision,
        "digest": command.digest,
    }
    for field, value in required.items():
        if not value:
            raise MissingField(field, "send what the person saw and chose")
