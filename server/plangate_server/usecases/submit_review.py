"""SubmitReview: record what a person decided about the revision and digest they saw."""

from __future__ import annotations

from msgspec import Struct

from plangate_server.domain import limits
from plangate_server.domain.errors import InvalidField, MissingField, StaleRevision
from plangate_server.domain.events import Change
from plangate_server.domain.identity import Principal
from plangate_server.domain.lifecycle import Amendment, submit_decision
from plangate_server.domain.plan import Plan
from plangate_server.domain.review import Decision, Option, option_named
from plangate_server.ports import RequestKey, World, Writing
from plangate_server.usecases.break_glass import check_glass
from plangate_server.usecases.comments import comments_on
from plangate_server.usecases.lookup import the_plan_under_review
from plangate_server.usecases.refusals import Attempt, decide_once


class SubmitReview(Struct, frozen=True):
    approval_request_id: str
    selected_option: str
    revision: int
    digest: str
    feedback_text: str = ""
    submit_feedback_as_new_message: bool = False
    bubble_id: str = ""
    edited: Amendment | None = None
    break_glass: str = ""
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
        person=principal.person,
        break_glass=command.break_glass,
    )
    if decision.option is Option.EDIT and command.edited is None:
        raise MissingField("edited", "send the plan as edited, or use approve")
    if decision.option is not Option.EDIT and command.edited is not None:
        raise InvalidField(
            "edited", f"goes with edit, not with {decision.option}: choose edit, or leave it out"
        )

    def record(writing: Writing) -> Change:
        plan = the_plan_under_review(writing, command.approval_request_id)
        check_glass(principal, command.break_glass, yes=decision.option is Option.APPROVE)
        head = plan.revision
        if plan.review.approval_request_id != command.approval_request_id:
            # A newer revision has a review of its own; nobody decides about it under the old one's name.
            raise StaleRevision(plan.uri, command.revision, head.number, head.digest)
        return submit_decision(
            plan,
            decision,
            revision=command.revision,
            seen_digest=command.digest,
            edited=command.edited,
            limits=world.limits,
            four_eyes=world.policies.current.four_eyes,
            comments=comments_on(writing, plan),
        )

    attempt = Attempt(
        "SubmitReview",
        decision.option,
        approval_request_id=command.approval_request_id,
        revision=command.revision,
        digest=command.digest,
    )
    return (await decide_once(world, principal, command.key, attempt, record)).plan


def _check(command: SubmitReview) -> None:
    required = {
        "approval_request_id": command.approval_request_id,
        "human_review.selected_option": command.selected_option,
        "revision": command.revision,
        "digest": command.digest,
    }
    limits.check_id("approval_request_id", command.approval_request_id)
    limits.check_id("human_review.bubble_id", command.bubble_id)
    for field, value in required.items():
        if not value:
            raise MissingField(field, "send what the person saw and chose")
