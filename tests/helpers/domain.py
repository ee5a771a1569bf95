"""Plans and their parts, ready-made: a test names only what it is about."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from plangate_server.domain.content import Draft, PhaseDraft
from plangate_server.domain.events import Event, EventType
from plangate_server.domain.lifecycle import Change, propose, submit_decision
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import Decision, Option
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
    now: datetime = NOW,
) -> Change:
    """A plan that was just proposed, with its events; plans of different numbers are different plans."""
    return propose(
        draft or a_draft(),
        plan_id=plan_id(number),
        approval_request_id=approval_request_id(number),
        workspace=workspace,
        author=author,
        now=now,
        session_id=session_id,
    )


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


def decided(plan: Plan, option: Option = Option.APPROVE, reviewer: str = "ada") -> Change:
    """What becomes of a plan when someone who saw its head decides."""
    decision = a_decision(option, reviewer=reviewer)
    return submit_decision(plan, decision, revision=plan.revision.number, seen_digest=plan.revision.digest)


def a_note(plan: Plan, message: str = "", *, times: int = 1, state: PlanState | None = None) -> Change:
    """Events that tell of a plan whose content stays, as any later verb may append them."""
    after = replace(plan, state=state or plan.state)
    event = Event(EventType.PLAN_APPROVAL_REQUIRED, LATER, "plangate", after, message)
    return Change(after, (event,) * times)
