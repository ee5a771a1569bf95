"""Plans: immutable revisions of content, their review, and where the plan is in its life."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from msgspec import Struct

from plangate_server.domain import limits
from plangate_server.domain.builds import Build
from plangate_server.domain.content import Content
from plangate_server.domain.errors import MalformedPlanUri
from plangate_server.domain.identity import Author
from plangate_server.domain.review import Review, ReviewOptions
from plangate_server.domain.todos import TodoHint, TodoProgress, TodoStatus

URI_PREFIX = "plangate://plans/"
PLAN_ID = re.compile(r"[0-9a-f]{32}")
SLUG_CHARACTERS = 100
SLUG_BYTES = 200
DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
"""What Windows takes for a device, whatever follows after a dot."""


class PlanState(StrEnum):
    DRAFT = "draft"
    IN_REVIEW = "in_review"
    CHANGES_REQUESTED = "changes_requested"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"
    BUILDING = "building"
    COMPLETED = "completed"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"


class PlanProgress(StrEnum):
    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETE = "complete"


ENDED = frozenset(
    {
        PlanState.REJECTED,
        PlanState.EXPIRED,
        PlanState.COMPLETED,
        PlanState.FAILED,
        PlanState.WITHDRAWN,
    }
)


class Revision(Struct, frozen=True):
    """One version of the content. Never changed once made."""

    number: int
    content: Content
    digest: str
    author: str
    create_time: datetime
    hints: Mapping[str, TodoHint] = {}
    person: str = ""
    """Who answers for its author."""


class Approved(Struct, frozen=True):
    """What may be built: this revision, for as long as it is the head."""

    revision: int
    digest: str


class Plan(Struct, frozen=True):
    plan_id: str
    workspace: str
    state: PlanState
    revision: Revision
    review: Review
    progress: Mapping[str, TodoProgress]
    created_by: str
    create_time: datetime
    update_time: datetime
    session_id: str = ""
    tool_call_id: str = ""
    edited_by: tuple[str, ...] = ()
    referenced_by: tuple[str, ...] = ()
    built_by: Mapping[str, tuple[str, ...]] = {}
    approved: Approved | None = None
    builds: tuple[Build, ...] = ()
    """The builds that are under way."""
    options: ReviewOptions = ReviewOptions()
    """How its revisions are reviewed, until somebody says otherwise."""
    person: str = ""
    """Who answers for whoever asked for it first."""
    author: Author | None = None
    """Who proposed it first; None of what release 0.1.0 stored."""
    has_comments: bool = True
    """Whether there may be comments on it."""

    @property
    def owner(self) -> Author:
        """Who proposed it first, as far as that is known."""
        return self.author or Author(self.created_by)

    @property
    def proposer(self) -> Author:
        """Whose text its head is; of a text that a person edited, whoever proposed what was edited."""
        return self.review.proposer or self.owner

    @property
    def uri(self) -> str:
        return uri_of(self.plan_id)

    @property
    def file_name(self) -> str:
        """``{slug}_{id8}.plan.md``: safe in any folder, and different for every plan."""
        return f"{slug(self.revision.content.name)}_{self.plan_id[-8:]}.plan.md"

    @property
    def is_approved(self) -> bool:
        """Whether the very text of the head was approved."""
        return self.approved is not None and self.approved.revision == self.revision.number

    @property
    def derived_progress(self) -> PlanProgress:
        """How far the work has come, as its builds and todos tell."""
        if not self.built_by:
            return PlanProgress.PENDING
        unfinished = {TodoStatus.PENDING, TodoStatus.IN_PROGRESS}
        if any(todo.status in unfinished for todo in self.progress.values()):
            return PlanProgress.IN_PROGRESS
        return PlanProgress.COMPLETE


def with_editor(editors: tuple[str, ...], editor: str) -> tuple[str, ...]:
    """Who changed a plan's content; of more than are named, who came first is forgotten."""
    return editors if editor in editors else (*editors, editor)[-limits.EDITORS :]


def may_have_edited(plan: Plan, name: str) -> bool:
    """Whether somebody changed the plan's content; of one with as many editors as are named, nobody knows."""
    return name in plan.edited_by or len(plan.edited_by) >= limits.EDITORS


def is_draft(plan: Plan) -> bool:
    return plan.state is PlanState.DRAFT


def uri_of(plan_id: str) -> str:
    return URI_PREFIX + plan_id


def plan_id_of(plan_uri: str) -> str:
    """The id in a plan_uri, or a refusal if it is not one."""
    plan_id = plan_uri.removeprefix(URI_PREFIX)
    if plan_id == plan_uri or not PLAN_ID.fullmatch(plan_id):
        raise MalformedPlanUri(plan_uri)
    return plan_id


@lru_cache
def slug(name: str) -> str:
    """A plan's name as part of a file name, on any system and in any folder."""
    seen = "".join(c if c.isprintable() else "_" for c in name.lower())
    words = re.sub(r'[\s<>:"/\\|?*]+', "_", seen)
    short = re.sub(r"_+", "_", words).strip("._").lstrip("-._")[:SLUG_CHARACTERS]
    fitting = short.encode(errors="ignore")[:SLUG_BYTES].decode(errors="ignore").rstrip("._")
    return f"plan_{fitting}" if fitting.split(".")[0] in DEVICES else fitting or "plan"
