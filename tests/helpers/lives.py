"""Plans at any point of their lives, brought there by the domain's own verbs."""

from collections.abc import Callable
from datetime import datetime, timedelta

from hypothesis import strategies as st

from plangate_server.domain.building import BuildOrder, Hand, finish_build, start_build
from plangate_server.domain.builds import BuildOutcome
from plangate_server.domain.content import Draft
from plangate_server.domain.events import Change, EventType
from plangate_server.domain.lifecycle import (
    Amendment,
    Origin,
    expire,
    propose,
    revise,
    sketch,
    submit_decision,
    withdraw,
)
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import Decision, Option, ReviewOptions
from plangate_server.domain.todo_lists import TodoWrite, write_todos
from plangate_server.domain.todos import Todo, TodoEdit, TodoStatus
from tests.helpers.domain import NOW, a_draft, a_todo

TEXT = "# Move the cache\n\nFirst measure, then move."
TODOS = (
    a_todo("measure", "Measure it"),
    a_todo("move", "Move it", ["measure"]),
    a_todo("tidy", "Tidy up"),
)
A_DRAFT = a_draft(TEXT, overview="A faster cache", todos=TODOS)
ORIGIN = Origin("1" * 32, "acme", "builder-bot")


def after(minutes: float) -> datetime:
    """So many minutes after the plan was proposed."""
    return NOW + timedelta(minutes=minutes)


def types_of(change: Change) -> list[EventType]:
    return [event.type for event in change.events]


def assert_nothing_happened(change: Change, plan: Plan) -> None:
    """The plan is as it was, and there is nothing to tell of it or of anything else."""
    assert change.plan == plan
    assert (change.events, change.reviews, change.builds, change.comments) == ((), (), (), ())


def statuses_of(plan: Plan) -> dict[str, TodoStatus]:
    return {id: entry.status for id, entry in plan.progress.items()}


def proposed(draft: Draft = A_DRAFT, options: ReviewOptions | None = None) -> Plan:
    return propose(ORIGIN, draft, options or ReviewOptions(), "review-1", NOW).plan


def deciding(
    plan: Plan,
    option: Option = Option.APPROVE,
    reviewer: str = "ada",
    *,
    now: datetime | None = None,
    edited: Draft | None = None,
) -> Change:
    """Somebody who saw the head decides."""
    decision = Decision(reviewer, option, now or after(1), "Measure twice")
    head, edit = plan.revision, Amendment(edited) if edited else None
    return submit_decision(plan, decision, revision=head.number, seen_digest=head.digest, edited=edit)


def approved(draft: Draft = A_DRAFT, options: ReviewOptions | None = None) -> Plan:
    return deciding(proposed(draft, options)).plan


def revising(
    plan: Plan,
    changes: Draft | None = None,
    *,
    author: str = "builder-bot",
    options: ReviewOptions | None = None,
    expected_revision: int | None = None,
    now: datetime | None = None,
) -> Change:
    """The agent sends a new revision; another text if the test does not say which."""
    return revise(
        plan,
        Amendment(changes or a_draft("# Another text"), options=options),
        author=author,
        approval_request_id=f"review-{plan.revision.number + 1}",
        now=now or after(2),
        expected_revision=expected_revision,
    )


def writing(
    plan: Plan,
    *edits: TodoEdit,
    merge: bool = True,
    agent_id: str = "",
    build_id: str = "",
    now: datetime | None = None,
) -> Change:
    """Somebody writes todos."""
    write = TodoWrite(edits, merge, agent_id or "builder-bot", Hand(agent_id=agent_id, build_id=build_id))
    return write_todos(plan, write, f"review-{plan.revision.number + 1}", now or after(3))


def starting(
    plan: Plan,
    *todo_ids: str,
    agent_id: str = "coder",
    build_id: str = "build-1",
    lease: timedelta | None = None,
    expected_digest: str = "",
    now: datetime | None = None,
) -> Change:
    """An agent asks for todos to build."""
    order = BuildOrder(agent_id, todo_ids, expected_digest, lease)
    return start_build(plan, order, build_id, now or after(4))


def building(*todo_ids: str, agent_id: str = "coder") -> Plan:
    """An approved plan with one live build of these todos, or of all."""
    return starting(approved(), *todo_ids, agent_id=agent_id).plan


def marked(plan: Plan, status: TodoStatus, *todo_ids: str, now: datetime | None = None) -> Plan:
    """The plan with these todos moved on."""
    return writing(plan, *(TodoEdit(id, status=status) for id in todo_ids), now=now).plan


def finishing(
    plan: Plan,
    outcome: BuildOutcome = BuildOutcome.COMPLETED,
    build_id: str = "build-1",
    now: datetime | None = None,
) -> Change:
    return finish_build(plan, build_id, outcome, "That was it", now or after(5), hand=Hand())


def expired() -> Plan:
    change = expire(proposed(options=ReviewOptions(timedelta(minutes=1))), after(1))
    assert change is not None
    return change.plan


_LIVES: dict[PlanState, Callable[[], Plan]] = {
    PlanState.DRAFT: lambda: sketch(ORIGIN, A_DRAFT, NOW).plan,
    PlanState.IN_REVIEW: proposed,
    PlanState.CHANGES_REQUESTED: lambda: deciding(proposed(), Option.REQUEST_CHANGES).plan,
    PlanState.APPROVED: approved,
    PlanState.REJECTED: lambda: deciding(proposed(), Option.REJECT).plan,
    PlanState.EXPIRED: expired,
    PlanState.BUILDING: building,
    PlanState.COMPLETED: lambda: finishing(building()).plan,
    PlanState.FAILED: lambda: finishing(building(), BuildOutcome.FAILED).plan,
    PlanState.WITHDRAWN: lambda: withdraw(proposed(), "", "builder-bot", after(1)).plan,
}


def plan_that_is(state: PlanState) -> Plan:
    """A plan with the usual content in any state."""
    plan = _LIVES[state]()
    assert plan.state is state
    return plan


@st.composite
def todo_graphs(draw: st.DrawFn) -> tuple[Todo, ...]:
    """Todos that need each other in any sound way, in any order."""
    needs = draw(st.lists(st.integers(0, 63), max_size=7))
    todos = [
        a_todo(f"todo-{n}", needs=[f"todo-{other}" for other in range(n) if bits >> other & 1])
        for n, bits in enumerate(needs)
    ]
    return tuple(draw(st.permutations(todos)))
