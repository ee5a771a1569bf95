"""How builds end: finished by their agent, or given back when it is not heard from."""

from datetime import timedelta

import pytest

from plangate_server.domain.building import Hand, finish_build, return_overdue
from plangate_server.domain.builds import BuildOutcome, BuildStatus
from plangate_server.domain.errors import BuildEnded, LimitExceeded, Reason
from plangate_server.domain.events import EventType
from plangate_server.domain.plan import Plan, PlanProgress, PlanState
from plangate_server.domain.review import SERVICE
from plangate_server.domain.todos import TodoEdit, TodoStatus
from plangate_server.usecases.build_todos import Finished
from tests.helpers.lives import (
    after,
    approved,
    building,
    finishing,
    marked,
    plan_that_is,
    revising,
    starting,
    statuses_of,
    types_of,
    writing,
)

INSTANT = timedelta(microseconds=1)
COMPLETED, FAILED = BuildOutcome.COMPLETED, BuildOutcome.FAILED


def two_builds() -> Plan:
    """coder has measure until minute 14, tidier has tidy until minute 34; nobody holds move."""
    lease = timedelta(minutes=30)
    return starting(building("measure"), "tidy", agent_id="tidier", build_id="build-2", lease=lease).plan


def returned(plan: Plan, minutes: float) -> Plan:
    change = return_overdue(plan, after(minutes))
    assert change is not None
    return change.plan


@pytest.mark.parametrize("outcome", BuildOutcome)
def test_an_agent_says_how_its_build_ended(outcome: BuildOutcome) -> None:
    """The build is over with its outcome, summary and time, and the plan holds it no more."""
    change = finishing(two_builds(), outcome)
    (build,) = change.builds
    assert (build.build_id, build.status, build.outcome) == ("build-1", BuildStatus.COMPLETE, outcome)
    assert (build.summary, build.end_time) == ("That was it", after(5))
    assert [live.build_id for live in change.plan.builds] == ["build-2"]


@pytest.mark.parametrize(
    ("outcome", "told"),
    [(COMPLETED, EventType.EXECUTION_COMPLETED), (FAILED, EventType.EXECUTION_FAILED)],
)
def test_the_end_of_a_build_is_told(outcome: BuildOutcome, told: EventType) -> None:
    """One event by the agent, with its summary and the build as it ended."""
    change = finishing(building(), outcome)
    (event,) = change.events
    assert (event.type, event.actor, event.message) == (told, "coder", "That was it")
    assert event.build == change.builds[0]


@pytest.mark.parametrize(
    ("outcome", "is_last", "rest_is_done", "state"),
    [
        (COMPLETED, True, True, PlanState.COMPLETED),
        (COMPLETED, True, False, PlanState.APPROVED),
        (COMPLETED, False, True, PlanState.BUILDING),
        (COMPLETED, False, False, PlanState.BUILDING),
        (FAILED, True, True, PlanState.FAILED),
        (FAILED, True, False, PlanState.FAILED),
        (FAILED, False, True, PlanState.BUILDING),
        (FAILED, False, False, PlanState.BUILDING),
    ],
)
def test_where_a_plan_stands_after_a_build(
    outcome: BuildOutcome, *, is_last: bool, rest_is_done: bool, state: PlanState
) -> None:
    """While others build it is building; the last build's failure fails it, its success completes it
    if nothing is left to do outside of it.
    """
    plan = building("measure") if is_last else two_builds()
    if rest_is_done:
        plan = marked(plan, TodoStatus.COMPLETED, "move")
        plan = marked(plan, TodoStatus.CANCELLED, "tidy")
    assert finishing(plan, outcome).plan.state is state


def test_a_plan_is_completed_by_its_last_build() -> None:
    """Built piece by piece, it is complete when the last piece is."""
    plan = marked(two_builds(), TodoStatus.COMPLETED, "measure", "tidy")
    plan = finishing(finishing(plan).plan, build_id="build-2").plan
    assert plan.state is PlanState.APPROVED
    plan = marked(starting(plan, build_id="build-3").plan, TodoStatus.COMPLETED, "move")
    assert finishing(plan, build_id="build-3").plan.state is PlanState.COMPLETED
    assert plan.derived_progress is PlanProgress.COMPLETE


def test_the_end_of_a_build_leaves_progress_and_approval() -> None:
    """How far each todo came is what the agent had said of it; the text stays approved."""
    plan = marked(building(), TodoStatus.COMPLETED, "measure")
    ended = finishing(plan, FAILED).plan
    assert (ended.progress, ended.approved, ended.review) == (plan.progress, plan.approved, plan.review)


@pytest.mark.parametrize("done", [(), ("measure",), ("measure", "move", "tidy")])
def test_a_finished_build_counts_its_todos(done: tuple[str, ...]) -> None:
    """Completed are those marked so, of all that the build was given; cancelled is not completed."""
    plan = marked(building(), TodoStatus.CANCELLED, "tidy")
    change = finishing(marked(plan, TodoStatus.COMPLETED, *done))
    finished = Finished(change.plan, change.builds[0])
    assert (finished.completed, finished.total) == (len(done), 3)
    assert finished.duration == timedelta(minutes=1)


def test_a_build_counts_only_its_own_todos() -> None:
    """What others completed is not this build's."""
    change = finishing(marked(two_builds(), TodoStatus.COMPLETED, "measure", "move"), build_id="build-2")
    finished = Finished(change.plan, change.builds[0])
    assert (finished.completed, finished.total) == (0, 1)


def test_a_build_ends_once() -> None:
    """Finishing what was finished, voided by a revision, or never there is refused."""
    plans = [plan_that_is(PlanState.COMPLETED), revising(building()).plan, approved()]
    for plan in plans:
        with pytest.raises(BuildEnded) as refused:
            finishing(plan)
        assert refused.value.reason is Reason.BUILD_ENDED
        assert refused.value.metadata == {"build_id": "build-1"}


def test_a_summary_is_bounded() -> None:
    """A summary is as long as feedback may be, and no longer."""
    finish_build(building(), "build-1", COMPLETED, "x" * 65536, after(5), hand=Hand())
    with pytest.raises(LimitExceeded) as refused:
        finish_build(building(), "build-1", COMPLETED, "x" * 65537, after(5), hand=Hand())
    assert refused.value.field == "summary"


def test_within_its_lease_a_build_is_left_alone() -> None:
    """Until the last instant nothing is taken from an agent."""
    assert return_overdue(two_builds(), after(14) - INSTANT) is None
    assert return_overdue(approved(), after(9999)) is None


def test_a_build_that_is_not_heard_from_gives_its_todos_back() -> None:
    """At the end of the lease what it had begun is pending again; what is done stays done."""
    plan = marked(building(), TodoStatus.COMPLETED, "measure")
    plan = marked(plan, TodoStatus.IN_PROGRESS, "move")
    change = return_overdue(plan, after(14))
    assert change is not None
    (build,) = change.builds
    assert (build.status, build.outcome, build.end_time) == (BuildStatus.COMPLETE, None, after(14))
    assert (change.plan.state, change.plan.builds) == (PlanState.APPROVED, ())
    assert change.plan.is_approved
    assert statuses_of(change.plan) == {
        "measure": TodoStatus.COMPLETED,
        "move": TodoStatus.PENDING,
        "tidy": TodoStatus.PENDING,
    }


def test_a_return_is_told() -> None:
    """One event by the service names the build and the todos that are free again."""
    change = return_overdue(two_builds(), after(14))
    assert change is not None
    assert types_of(change) == [EventType.TODOS_CHANGED]
    (event,) = change.events
    assert (event.actor, event.todo_ids) == (SERVICE, ("measure",))
    assert "build-1" in event.message


def test_only_what_is_overdue_is_returned() -> None:
    """Another agent's build goes on, and so does the plan."""
    plan = marked(two_builds(), TodoStatus.IN_PROGRESS, "measure", "tidy")
    left = returned(plan, 14)
    assert (left.state, left.builds) == (PlanState.BUILDING, (plan.builds[1],))
    assert statuses_of(left)["measure"] is TodoStatus.PENDING
    assert statuses_of(left)["tidy"] is TodoStatus.IN_PROGRESS
    assert returned(plan, 34).state is PlanState.APPROVED


def test_what_was_returned_can_be_handed_out_again() -> None:
    """A new build of the same todos starts, and the old one can neither write nor finish."""
    plan = starting(returned(building(), 14), agent_id="other", build_id="build-2", now=after(15)).plan
    assert plan.builds[0].todo_ids == ("measure", "tidy", "move")
    with pytest.raises(BuildEnded):
        writing(plan, TodoEdit("measure", status=TodoStatus.COMPLETED), build_id="build-1")
    with pytest.raises(BuildEnded):
        finishing(plan)


def test_a_lease_that_was_renewed_is_not_overdue() -> None:
    """An agent that reports within its lease keeps its todos for another one."""
    plan = writing(building(), build_id="build-1", now=after(13)).plan
    assert return_overdue(plan, after(23) - INSTANT) is None
    assert returned(plan, 23).builds == ()


def test_a_clock_set_back_takes_nothing_away() -> None:
    """An hour back, every lease still runs."""
    assert return_overdue(building(), after(-60)) is None
