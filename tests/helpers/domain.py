"""Plans and their parts, ready-made: a test names only what it is about."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from plangate_server.domain.building import BuildOrder, start_build
from plangate_server.domain.comments import Comment
from plangate_server.domain.content import Draft, PhaseDraft
from plangate_server.domain.events import Change, Event, EventType
from plangate_server.domain.lifecycle import Amendment, Origin, propose, revise, submit_decision
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import Decision, Option, ReviewOptions
from plangate_server.domain.todos import Todo, TodoHint

NOW = datetime(2025, 3, 4, 5, 6, 7, 890123, tzinfo=UTC)
LATER = datetime(2025, 3, 4, 6, 0, 0, tzinfo=UTC)


def a_todo(todo_id: str = "", content: str = "Do it", needs: Sequence[str] = ()) -> Todo:
    return Todo(todo_id, content, tuple(needs))


def a_draft(
    plan: str = "# Move the cache\n\nFirst measure, then move.",
    *,
    name: str = "",
    overview: str = "",
    todos: Sequence[Todo] = (),
    phases: Sequence[PhaseDraft] = (),
    hints: Mapping[str, TodoHint] | None = None,
) -> Draft:
    return Draft(plan, name, overview, tuple(todos), tuple(phases), hints=hints or {})


def plan_id(number: int) -> str:
    return f"{2 * number:032x}"


def approval_request_id(number: int) -> str:
    """The id of the first review of the plan with that number."""
    return f"{2 * number + 1:032x}"


def a_proposal(
    number: int = 1,
    draft: Draft | None = None,
    *,
    workspace: str = "acme",
    author: str = "builder-bot",
    session_id: str = "",
    options: ReviewOptions | None = None,
    now: datetime = NOW,
) -> Change:
    """A plan that was just proposed, with its events; plans of different numbers are different plans."""
    origin = Origin(plan_id(number), workspace, author, session_id)
    return propose(origin, draft or a_draft(), options or ReviewOptions(), approval_request_id(number), now)


def a_plan(
    number: int = 1,
    draft: Draft | None = None,
    *,
    workspace: str = "acme",
    author: str = "builder-bot",
    session_id: str = "",
) -> Plan:
    return a_proposal(number, draft, workspace=workspace, author=author, session_id=session_id).plan


def a_decision(
    option: Option = Option.APPROVE, feedback_text: str = "Go on", reviewer: str = "ada"
) -> Decision:
    return Decision(reviewer, option, LATER, feedback_text)


def decided(
    plan: Plan, option: Option = Option.APPROVE, reviewer: str = "ada", edited: Draft | None = None
) -> Change:
    """What becomes of a plan when someone who saw its head decides."""
    decision = a_decision(option, reviewer=reviewer)
    head, edit = plan.revision, Amendment(edited) if edited else None
    return submit_decision(plan, decision, revision=head.number, seen_digest=head.digest, edited=edit)


def revised(plan: Plan, text: str = "# Other words", now: datetime = LATER) -> Change:
    """The plan with new words, about which people are asked anew."""
    number = plan.revision.number + 1
    review_id = f"{number:02x}{plan.review.approval_request_id[2:]}"
    return revise(
        plan, Amendment(Draft(text)), author=plan.created_by, approval_request_id=review_id, now=now
    )


def started(plan: Plan, build_id: str, agent_id: str = "coder", lease: timedelta | None = None) -> Change:
    """An agent builds every unfinished todo of an approved plan."""
    return start_build(plan, BuildOrder(agent_id, lease=lease), build_id, LATER)


def commented(plan: Plan, comment_id: str, text: str = "Why?") -> Change:
    """Somebody says something about the plan as a whole."""
    comment = Comment(comment_id, plan.plan_id, plan.revision.number, 0, 0, text, "ada", LATER)
    event = Event(EventType.COMMENT_ADDED, LATER, "ada", plan, text, comment=comment)
    return Change(plan, (event,), comments=(comment,))


def a_note(plan: Plan, message: str = "", *, times: int = 1, state: PlanState | None = None) -> Change:
    """Events that tell of a plan whose content stays, as any later verb may append them."""
    after = replace(plan, state=state or plan.state)
    event = Event(EventType.PLAN_APPROVAL_REQUIRED, LATER, "plangate", after, message)
    return Change(after, (event,) * times)
