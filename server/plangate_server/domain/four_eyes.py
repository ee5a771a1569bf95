"""Whose a plan is, and who therefore cannot approve it."""

from __future__ import annotations

from msgspec.structs import replace

from plangate_server.domain.errors import OwnRequest
from plangate_server.domain.events import Change, Event, EventType
from plangate_server.domain.persons import same_person
from plangate_server.domain.plan import Plan
from plangate_server.domain.review import Decision, Option


def asked_for(change: Change, person: str) -> Change:
    """What was just written or put in review, with who answers for that."""
    plan = change.plan
    plan = replace(
        plan,
        revision=replace(plan.revision, person=plan.revision.person or person),
        review=replace(plan.review, person=person),
        person=plan.person or person,
    )
    events = tuple(replace(event, plan=plan) for event in change.events)
    return replace(change, plan=plan, events=events)


def own_persons(plan: Plan) -> tuple[str, ...]:
    """Who asked for the plan first, who wrote its text, who asked about that text."""
    return (plan.person, plan.revision.person, plan.review.person)


def check_four_eyes(plan: Plan, decision: Decision) -> None:
    """Nobody approves what a token of theirs asked for or last edited; whoever edits would do just that."""
    known = [person for person in own_persons(plan) if person]
    own = any(same_person(decision.by, person) for person in known)
    if own or not known or decision.option is Option.EDIT:  # nobody knows whose it is: it may be theirs
        raise OwnRequest(plan.review.approval_request_id, decision.by)


def with_glass(change: Change, before: Plan, decision: Decision) -> Change:
    """That somebody went past the rules stands in the log before what they did.

    The plan was not approved yet then: whoever waits for the decision waits for the event after it.
    """
    told = Event(EventType.BREAK_GLASS_USED, decision.time, decision.reviewer, before, decision.break_glass)
    return replace(change, events=(told, *change.events))
