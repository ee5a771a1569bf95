"""All that a person should see of a plan, fetched from the gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from plangate._client import Client
from plangate.cli._decisions import is_open
from plangate.cli._gate import CommandError
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, RevisionInfo
from plangate_proto.agent.v1.plan_service_pb2 import DiffRevisionsResponse
from plangate_proto.agent.v1.review_resource_pb2 import Comment, Review, ReviewOutcome
from plangate_proto.aiserver.v1.plan_review_service_pb2 import GetReviewResponse


@dataclass(frozen=True, slots=True)
class Seen:
    """A plan at one of its revisions, with what was said and done about it."""

    plan: Plan
    author: str
    """Who wrote this revision."""
    head: int
    """The latest revision."""
    changes: DiffRevisionsResponse | None = None
    """Since the revision that people decided about before, or since another one that was asked for."""
    said_then: Review | None = None
    """What people said to that one."""
    remarks: Sequence[Comment] = ()
    """The comments that nobody has resolved."""
    replaced_by: RevisionInfo | None = None
    """The revision that took its place before anybody decided."""

    @property
    def is_latest(self) -> bool:
        return self.plan.revision == self.head


class Base(NamedTuple):
    """What a revision is compared with."""

    revision: int
    """0 if there is nothing to compare with."""
    said_then: Review | None


def look_at(client: Client, plan: Plan, *, revision: int | None = None, since: int | None = None) -> Seen:
    """The plan as the gate has it now, or one of its revisions."""
    if not plan.review.approval_request_id:
        if revision is not None or since is not None:
            raise CommandError(f"{plan.file_name} was never in review: it has no revisions to choose from")
        return Seen(plan, plan.created_by, plan.revision)
    details = client.review(plan)
    latest = details.item.plan
    if details.older_revisions and (revision is not None or since is not None):
        every = list(client.revisions(latest))
        del details.revisions[:]
        details.revisions.extend(every)
    revisions = {each.revision: each for each in details.revisions}
    is_latest = revision in {None, latest.revision}
    shown = latest if is_latest else _earlier(client, latest, revisions, revision or 0)
    if since is not None and since >= shown.revision:
        raise CommandError(f"revision {since} does not come before revision {shown.revision}, which is shown")
    base = base_of(details, shown, since)
    changes = client.diff(plan, base.revision, shown.revision) if base.revision else None
    return seen_in(details, shown, base, changes, comments=all_comments(client, details))


def all_comments(client: Client, details: GetReviewResponse) -> Sequence[Comment]:
    """Also those for which the answer had no room."""
    if not details.comments_not_shown:
        return details.comments
    latest = details.item.plan
    return list(client.comments(latest, revision=latest.revision))


def base_of(details: GetReviewResponse, shown: Plan, since: int | None = None) -> Base:
    """What the shown revision is compared with: the last one that people decided about, or that one."""
    decided = {_decided_text(each.review): each.review for each in details.revisions if each.review.decisions}
    before = since or max((number for number in decided if number < shown.revision), default=0)
    return Base(before, decided.get(before))


def seen_in(
    details: GetReviewResponse,
    shown: Plan,
    base: Base,
    changes: DiffRevisionsResponse | None,
    *,
    comments: Sequence[Comment],
) -> Seen:
    """The revision that is shown, among all that the gate tells of the plan."""
    head = details.item.plan.revision
    return Seen(
        plan=shown,
        author=next(each.author for each in details.revisions if each.revision == shown.revision),
        head=head,
        changes=changes,
        said_then=base.said_then,
        remarks=[each for each in comments if is_open(each)] if shown.revision == head else (),
        replaced_by=next((each for each in details.revisions if took_place(each, shown.review)), None),
    )


def took_place(newer: RevisionInfo, review: Review) -> bool:
    """Whether people were asked about this revision instead, before anybody decided."""
    return bool(review.superseded_by) and newer.review.approval_request_id == review.superseded_by


def _earlier(client: Client, latest: Plan, revisions: Mapping[int, RevisionInfo], revision: int) -> Plan:
    """An earlier text, with its own review in place of the latest one."""
    if revision not in revisions:
        raise CommandError(f"{latest.file_name} has no revision {revision}: the latest is {latest.revision}")
    plan = client.get_plan(latest, revision=revision)
    plan.review.CopyFrom(revisions[revision].review)
    return plan


def _decided_text(review: Review) -> int:
    """Whoever edits decides about the text that they wrote themselves, which is the next revision."""
    return review.revision + (review.outcome == ReviewOutcome.REVIEW_OUTCOME_MODIFIED)
