"""The life of a plan up to its approval: proposed, revised, decided, taken back.

Every verb takes what is and what is to happen, and gives the plan afterwards with the events that tell of
it; or it refuses, and nothing has happened. No verb knows a clock, a database or a wire.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain.building import check_may_end_builds, void_builds
from plangate_server.domain.comments import Comment, sent_along
from plangate_server.domain.content import Content, Draft, amended, compose, sketch_content
from plangate_server.domain.digest import digest
from plangate_server.domain.errors import InvalidField, ReviewSuperseded, StaleRevision, WrongState
from plangate_server.domain.events import Change, Event, EventType
from plangate_server.domain.four_eyes import check_four_eyes, own_persons, with_glass
from plangate_server.domain.identity import Author
from plangate_server.domain.limits import DEFAULTS, REFERENCES, REVISIONS, Limits, check_count
from plangate_server.domain.plan import (
    Approved,
    Plan,
    PlanState,
    Revision,
    may_have_edited,
    with_editor,
)
from plangate_server.domain.review import (
    SERVICE,
    YES,
    Decision,
    Option,
    Review,
    ReviewOptions,
    ReviewOutcome,
    ReviewStatus,
    ask,
    check_options,
    decide,
    end,
    supersede,
)
from plangate_server.domain.todos import TodoHint, TodoStatus, moved_on, started

AFTER_REVIEW = {
    ReviewOutcome.APPROVED: (PlanState.APPROVED, EventType.PLAN_APPROVED),
    ReviewOutcome.REJECTED: (PlanState.REJECTED, EventType.PLAN_REJECTED),
    ReviewOutcome.CHANGES_REQUESTED: (
        PlanState.CHANGES_REQUESTED,
        EventType.PLAN_MODIFICATION_REQUESTED,
    ),
    ReviewOutcome.MODIFIED: (PlanState.APPROVED, EventType.PLAN_EDITED),
    ReviewOutcome.EXPIRED: (PlanState.EXPIRED, EventType.REVIEW_EXPIRED),
    ReviewOutcome.WITHDRAWN: (PlanState.WITHDRAWN, EventType.PLAN_WITHDRAWN),
}

# A plan that was finished or taken back stays as it was; any other can get a new revision.
REVISABLE = frozenset(PlanState) - {PlanState.COMPLETED, PlanState.WITHDRAWN}

PROPOSED = (EventType.PLAN_CREATED, EventType.PLAN_APPROVAL_REQUIRED)

STANDING = frozenset({PlanState.IN_REVIEW, PlanState.APPROVED, PlanState.BUILDING})

WITHDRAWABLE = frozenset(
    {
        PlanState.DRAFT,
        PlanState.IN_REVIEW,
        PlanState.CHANGES_REQUESTED,
        PlanState.APPROVED,
        PlanState.REJECTED,
        PlanState.EXPIRED,
    }
)


class Origin(Struct, frozen=True):
    """Where a plan comes from."""

    plan_id: str
    workspace: str
    author: str
    session_id: str = ""
    tool_call_id: str = ""
    proposer: Author | None = None


def propose(
    origin: Origin,
    draft: Draft,
    options: ReviewOptions,
    approval_request_id: str,
    now: datetime,
    *,
    limits: Limits = DEFAULTS,
) -> Change:
    """A new plan, and people are asked about it at once."""
    check_options(options)
    revision = _revision(1, compose(draft, limits), origin.author, now, draft.hints)
    plan = replace(
        _new_plan(origin, revision, now),
        state=PlanState.IN_REVIEW,
        review=_ask(revision, options, approval_request_id, now, origin.proposer),
        options=options,
    )
    return _told(plan, origin.author, now, *PROPOSED)


def sketch(origin: Origin, draft: Draft, now: datetime, limits: Limits = DEFAULTS) -> Change:
    """A plan that is still being written; nobody is asked. Its content need not be sound yet."""
    plan = _new_plan(origin, _sketched(draft, origin.author, now, limits), now)
    return _told(plan, origin.author, now, EventType.DRAFT_UPDATED)


def sketch_on(
    plan: Plan,
    draft: Draft,
    now: datetime,
    limits: Limits = DEFAULTS,
    *,
    author: str = "",
    proposer: Author | None = None,
) -> Change:
    """The next state of a plan that is still being written."""
    _allow(plan, {PlanState.DRAFT})
    writer = author or plan.created_by
    revision = _sketched(draft, writer, now, limits)
    revision = replace(revision, person=_writer(plan, revision.content))
    plan = replace(
        plan,
        revision=revision,
        review=replace(plan.review, proposer=proposer or plan.review.proposer),
        progress=started(revision.content.todos, now),
        edited_by=with_editor(plan.edited_by, writer),
        update_time=now,
    )
    return _told(plan, writer, now, EventType.DRAFT_UPDATED)


def submit_draft(
    plan: Plan,
    draft: Draft,
    options: ReviewOptions,
    approval_request_id: str,
    now: datetime,
    *,
    limits: Limits = DEFAULTS,
    author: str = "",
    proposer: Author | None = None,
) -> Change:
    """The plan is written: it is a plan like any other now, and people are asked."""
    _allow(plan, {PlanState.DRAFT})
    check_options(options)
    content = compose(draft, limits)
    writer = author or plan.created_by
    asker = proposer or plan.review.proposer or plan.author
    revision = _revision(1, content, writer, now, draft.hints, person=_writer(plan, content))
    plan = replace(
        plan,
        state=PlanState.IN_REVIEW,
        revision=revision,
        review=_ask(revision, options, approval_request_id, now, asker),
        progress=started(revision.content.todos, now),
        edited_by=with_editor(plan.edited_by, writer),
        update_time=now,
        options=options,
    )
    return _told(plan, writer, now, *PROPOSED)


def propose_again(
    plan: Plan,
    draft: Draft,
    options: ReviewOptions,
    *,
    author: str,
    approval_request_id: str,
    now: datetime,
    limits: Limits = DEFAULTS,
    proposer: Author | None = None,
) -> Change:
    """Its author's plan with the content and the terms of a new proposal."""
    if plan.state is PlanState.DRAFT:
        return submit_draft(
            plan,
            draft,
            options,
            approval_request_id,
            now,
            limits=limits,
            author=author,
            proposer=proposer,
        )
    check_options(options)
    return put_in_review(
        plan,
        compose(draft, limits),
        options=options,
        hints=draft.hints,
        author=author,
        proposer=proposer or plan.owner,
        approval_request_id=approval_request_id,
        now=now,
    )


def check_knows_text(plan: Plan, author: Author | None) -> None:
    """Refuse a change of a part by an author whose own text gave way to another's: they would propose words
    that they never saw. Whoever names the revision, or sends the whole text, knows what they change.
    """
    if author is None or author.is_same(plan.proposer) or not may_have_edited(plan, author.name):
        return
    raise ReviewSuperseded(plan.uri, superseded_by=plan.review.approval_request_id)


class StatusSaid(Struct, frozen=True):
    """A status that stands beside a todo, which no edit changes."""

    field: str
    todo_id: str
    status: TodoStatus


class Amendment(Struct, frozen=True):
    """What is to be changed of a plan; what is left empty stays, unless the changes are the whole content."""

    changes: Draft
    whole: bool = False
    old_str: str = ""
    new_str: str = ""
    options: ReviewOptions | None = None
    statuses: tuple[StatusSaid, ...] = ()


def revise(
    plan: Plan,
    amendment: Amendment,
    *,
    author: str,
    approval_request_id: str,
    now: datetime,
    expected_revision: int | None = None,
    limits: Limits = DEFAULTS,
    proposer: Author | None = None,
) -> Change:
    """A new revision: what was decided about the old one is void, people are asked anew.

    Without a proposer it is a person's edit of what was proposed. Of a draft, it is what is submitted.
    """
    _allow(plan, REVISABLE)
    head = plan.revision
    if expected_revision is not None and expected_revision != head.number:
        raise StaleRevision(plan.uri, expected_revision, head.number, head.digest)
    _check_statuses(plan, amendment.statuses)
    draft = _with_changes(head.content, amendment)
    hints = {**_kept_hints(head.hints, draft), **draft.hints}
    content = compose(replace(draft, hints=hints), limits)
    if amendment.options is not None:
        check_options(amendment.options)
    if plan.state is PlanState.DRAFT:
        whole, terms = replace(draft, hints=hints), amendment.options or plan.options
        return submit_draft(
            plan,
            whole,
            terms,
            approval_request_id,
            now,
            limits=limits,
            author=author,
            proposer=proposer,
        )
    return put_in_review(
        plan,
        content,
        options=amendment.options,
        hints=hints,
        author=author,
        proposer=proposer,
        approval_request_id=approval_request_id,
        now=now,
    )


def check_edit(edit: Amendment) -> None:
    """Refuse a person's edit of which a part would give way to another: it is taken as it was sent."""
    for field in ("old_str", "new_str"):
        if edit.changes.plan and getattr(edit, field):
            raise InvalidField(field, "comes with the whole text: leave one of them out")
    if not edit.whole and edit.changes.name and not edit.changes.name.strip():
        raise InvalidField("name", "is blank: say what the plan is called, or leave it out")


def _check_statuses(plan: Plan, statuses: Iterable[StatusSaid]) -> None:
    """Refuse an edit that would move a todo on."""
    for said in statuses:
        known = plan.progress.get(said.todo_id)
        if said.status is not (known.status if known else TodoStatus.PENDING):
            raise InvalidField(said.field, "is progress, which no edit changes: leave it out")


def _with_changes(content: Content, amendment: Amendment) -> Draft:
    old, new = amendment.old_str, amendment.new_str
    if not amendment.whole:
        return amended(content, amendment.changes, old, new)
    if old or new:
        field = "old_str" if old else "new_str"
        raise InvalidField(field, "is a part of the text, and whole is all of it: leave one out")
    return amendment.changes


def put_in_review(
    plan: Plan,
    content: Content,
    *,
    author: str,
    approval_request_id: str,
    now: datetime,
    proposer: Author | None = None,
    options: ReviewOptions | None = None,
    hints: Mapping[str, TodoHint] | None = None,
    statuses: Mapping[str, TodoStatus] | None = None,
) -> Change:
    """The plan with new content and a review of its own; builds of the old content end.

    The same content under the same terms asks nobody twice while the question is open or answered with yes,
    unless it was another author's question. Without options the plan keeps its terms.
    """
    terms = plan.options if options is None else options
    is_same = content == plan.revision.content and terms.same_as(plan.options)
    asked_before = proposer is None or proposer.is_same(plan.proposer)
    if is_same and asked_before and plan.state in STANDING:
        return Change(plan, ())
    check_may_end_builds(plan, proposer)
    superseded = _superseded(plan.review, approval_request_id, now)
    voided, builds = void_builds(plan, now)
    kept = {todo.id for todo in content.todos}
    known = plan.revision.hints if hints is None else hints
    hints = {id: hint for id, hint in known.items() if id in kept}
    number, writer = plan.revision.number + 1, _writer(plan, content)
    check_count("plan_uri", number, "revisions", REVISIONS)
    revision = _revision(number, content, author, now, hints, person=writer)
    same_text = plan.approved is not None and plan.approved.digest == revision.digest
    revised = replace(
        voided,
        state=PlanState.IN_REVIEW,
        revision=revision,
        review=_ask(revision, terms, approval_request_id, now, proposer or plan.proposer),
        options=terms,
        approved=None if same_text else plan.approved,  # the old yes is no answer to the new question
        progress=moved_on(content.todos, voided.progress, statuses or {}, now),
        edited_by=with_editor(plan.edited_by, author),
        update_time=now,
    )
    change = _told(revised, author, now, EventType.PLAN_UPDATED, EventType.PLAN_APPROVAL_REQUIRED)
    return replace(change, reviews=superseded, builds=builds)


def submit_decision(
    plan: Plan,
    decision: Decision,
    *,
    revision: int,
    seen_digest: str,
    edited: Amendment | None = None,
    limits: Limits = DEFAULTS,
    four_eyes: bool = False,
    comments: Sequence[Comment] = (),
) -> Change:
    """A person has decided about the revision and digest they saw; the comments that are open go along."""
    if plan.review.status is ReviewStatus.NONE:
        raise WrongState(plan.uri, plan.state, [PlanState.IN_REVIEW])
    head, asked = plan.revision, plan.review
    lost = asked.status is ReviewStatus.DONE and (revision, seen_digest) == (asked.revision, asked.digest)
    if not lost and (revision, seen_digest) != (head.number, head.digest):
        raise StaleRevision(plan.uri, revision, head.number, head.digest)
    own = own_persons(plan) if four_eyes else ()
    review = decide(asked, decision, not_by=own)
    if four_eyes and decision.option in YES and not decision.break_glass:
        check_four_eyes(plan, decision)
    before = plan
    plan = replace(plan, review=review, update_time=decision.time)
    if review.status is not ReviewStatus.DONE:
        return _told(plan, decision.reviewer, decision.time, EventType.APPROVAL_RECORDED)
    sent, left_out = sent_along(comments)
    plan = replace(plan, review=replace(review, comments=sent, comments_left_out=left_out))
    if decision.option is Option.EDIT:
        assert edited is not None
        plan = _edited(plan, edited, decision, limits)
    change = _after_review(plan, decision.reviewer, decision.time, decision.feedback_text)
    return with_glass(change, before, decision) if decision.break_glass else change


def _edited(plan: Plan, edited: Amendment, decision: Decision, limits: Limits) -> Plan:
    """The plan with a person's own revision, which needs no further review."""
    check_edit(edited)
    _check_statuses(plan, edited.statuses)
    draft = _with_changes(plan.revision.content, edited)
    hints = {**_kept_hints(plan.revision.hints, draft), **draft.hints}
    content = compose(replace(draft, hints=hints), limits)
    number, author = plan.revision.number + 1, decision.reviewer
    revision = _revision(number, content, author, decision.time, hints, person=decision.person)
    if revision.digest == plan.revision.digest:
        raise InvalidField("edited", "changes nothing of what was shown: use approve")
    return replace(
        plan,
        revision=revision,
        progress=moved_on(content.todos, plan.progress, {}, decision.time),
        edited_by=with_editor(plan.edited_by, decision.reviewer),
    )


def approve_by_rule(change: Change, rule: str, now: datetime) -> Change:
    """What was just put in review is approved by a rule of the operator's."""
    plan = change.plan
    plan = replace(plan, review=end(plan.review, ReviewOutcome.APPROVED, now, rule), update_time=now)
    approved = _after_review(plan, SERVICE, now, "")
    return replace(change, plan=approved.plan, events=(*change.events, *approved.events))


def expire(plan: Plan, now: datetime) -> Change | None:
    """The review's time is over; None if it is not, or if somebody decided."""
    due = plan.review.expire_time
    if plan.review.status is not ReviewStatus.REQUESTED or due is None or now < due:
        return None
    plan = replace(plan, review=end(plan.review, ReviewOutcome.EXPIRED, now), update_time=now)
    return _after_review(plan, SERVICE, now, "")


def refer(plan: Plan, agent: str, now: datetime) -> Change:
    """An agent works with the plan; what it says and where it stands is as before."""
    if agent in plan.referenced_by:
        return Change(plan, ())
    check_count("agent_id", len(plan.referenced_by) + 1, "references", REFERENCES)
    referred = replace(plan, referenced_by=(*plan.referenced_by, agent), update_time=now)
    return Change(referred, (Event(EventType.PLAN_REFERENCED, now, agent, referred),))


def withdraw(plan: Plan, reason: str, actor: str, now: datetime) -> Change:
    """The agent takes its plan back."""
    _allow(plan, WITHDRAWABLE)
    review = plan.review
    if review.status is ReviewStatus.REQUESTED:
        review = end(review, ReviewOutcome.WITHDRAWN, now)
    plan = replace(plan, state=PlanState.WITHDRAWN, review=review, approved=None, update_time=now)
    return Change(plan, (Event(EventType.PLAN_WITHDRAWN, now, actor, plan, reason),))


def deliver(plan: Plan, actor: str, now: datetime) -> Change | None:
    """A stream of the agent carried the decision; None if one did before."""
    if plan.review.status is not ReviewStatus.DONE or plan.review.deliver_time is not None:
        return None
    plan = replace(plan, review=replace(plan.review, deliver_time=now), update_time=now)
    return _told(plan, actor, now, EventType.DECISION_DELIVERED)


def acknowledge(plan: Plan, actor: str, now: datetime) -> Change | None:
    """The agent says that it has the decision; None if it said so before."""
    if plan.review.status is not ReviewStatus.DONE:
        decided = sorted(frozenset(PlanState) - {PlanState.DRAFT, PlanState.IN_REVIEW})
        raise WrongState(plan.uri, plan.state, decided)
    if plan.review.acknowledge_time is not None:
        return None
    review = plan.review
    delivered = review.deliver_time or now
    plan = replace(
        plan, review=replace(review, deliver_time=delivered, acknowledge_time=now), update_time=now
    )
    return _told(plan, actor, now, EventType.DECISION_ACKNOWLEDGED)


def _after_review(plan: Plan, actor: str, now: datetime, message: str) -> Change:
    assert plan.review.outcome
    state, told = AFTER_REVIEW[plan.review.outcome]
    head = plan.revision
    approved = Approved(head.number, head.digest) if state is PlanState.APPROVED else plan.approved
    plan = replace(plan, state=state, approved=approved)
    return Change(plan, (Event(told, now, actor, plan, message),))


def _new_plan(origin: Origin, revision: Revision, now: datetime) -> Plan:
    return Plan(
        plan_id=origin.plan_id,
        workspace=origin.workspace,
        state=PlanState.DRAFT,
        revision=revision,
        review=Review("", 0, "", ReviewStatus.NONE, now, proposer=origin.proposer),
        progress=started(revision.content.todos, now),
        created_by=origin.author,
        create_time=now,
        update_time=now,
        session_id=origin.session_id,
        tool_call_id=origin.tool_call_id,
        edited_by=(origin.author,),
        referenced_by=(origin.author,),
        author=origin.proposer,
        has_comments=False,
    )


def _sketched(draft: Draft, author: str, now: datetime, limits: Limits) -> Revision:
    """Revision 0: what the model has written so far, sound or not."""
    return _revision(0, sketch_content(draft, limits), author, now, {})


def _revision(
    number: int,
    content: Content,
    author: str,
    now: datetime,
    hints: Mapping[str, TodoHint],
    *,
    person: str = "",
) -> Revision:
    return Revision(number, content, digest(content), author, now, dict(hints), person)


def _writer(plan: Plan, content: Content) -> str:
    """Who answers for a text that is there already, whatever it is called now; empty if it is new."""
    head = plan.revision
    return head.person if replace(content, name=head.content.name) == head.content else ""


def _ask(
    revision: Revision,
    options: ReviewOptions,
    approval_request_id: str,
    now: datetime,
    proposer: Author | None,
) -> Review:
    return ask(approval_request_id, revision.number, revision.digest, options, now, proposer=proposer)


def _superseded(review: Review, by: str, now: datetime) -> tuple[Review, ...]:
    return (supersede(review, by, now),) if review.status is ReviewStatus.REQUESTED else ()


def _kept_hints(hints: Mapping[str, TodoHint], draft: Draft) -> dict[str, TodoHint]:
    """Hints of todos that are still there."""
    given = [*draft.todos, *(todo for phase in draft.phases for todo in phase.todos)]
    known = {todo.id for todo in given}
    return {id: hint for id, hint in hints.items() if id in known}


def _allow(plan: Plan, states: Iterable[PlanState]) -> None:
    if plan.state not in states:
        raise WrongState(plan.uri, plan.state, sorted(states))


def _told(plan: Plan, actor: str, now: datetime, *types: EventType) -> Change:
    return Change(plan, tuple(Event(type, now, actor, plan) for type in types))
