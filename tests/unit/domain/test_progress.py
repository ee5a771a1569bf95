"""What a plan's todos and state say about the work and the agent's session."""

import pytest
from msgspec.structs import replace

from plangate_server.domain.plan import ENDED, Plan, PlanProgress, PlanState
from plangate_server.domain.sessions import STATE_WITH, FsmState
from plangate_server.domain.todos import TodoProgress, TodoStatus
from tests.helpers.domain import NOW, a_plan


def with_todos(*statuses: TodoStatus, is_built: bool) -> Plan:
    progress = {str(n): TodoProgress(status, NOW, NOW) for n, status in enumerate(statuses)}
    return replace(a_plan(), progress=progress, built_by={"coder": tuple(progress)} if is_built else {})


@pytest.mark.parametrize("status", TodoStatus)
def test_without_a_build_a_plan_is_pending(status: TodoStatus) -> None:
    """Whatever its todos say, nobody works on a plan that was not handed out."""
    assert with_todos(status, is_built=False).derived_progress is PlanProgress.PENDING


@pytest.mark.parametrize("status", [TodoStatus.PENDING, TodoStatus.IN_PROGRESS])
def test_one_unfinished_todo_keeps_a_plan_in_progress(status: TodoStatus) -> None:
    """A built plan is in progress while any todo is pending or in progress."""
    plan = with_todos(TodoStatus.COMPLETED, status, is_built=True)
    assert plan.derived_progress is PlanProgress.IN_PROGRESS


def test_a_plan_is_complete_when_nothing_is_left_to_do() -> None:
    """Completed and cancelled todos are both finished."""
    plan = with_todos(TodoStatus.COMPLETED, TodoStatus.CANCELLED, is_built=True)
    assert plan.derived_progress is PlanProgress.COMPLETE


def test_every_state_of_a_plan_tells_the_state_of_its_session() -> None:
    """There is no plan whose session would be nowhere."""
    assert STATE_WITH.keys() == set(PlanState)


@pytest.mark.parametrize(
    ("state", "session"),
    [
        (PlanState.IN_REVIEW, FsmState.PLAN_REVIEW),
        (PlanState.APPROVED, FsmState.PLAN_EXECUTION),
        (PlanState.REJECTED, FsmState.IDLE),
        (PlanState.EXPIRED, FsmState.IDLE),
        (PlanState.CHANGES_REQUESTED, FsmState.ARCHITECT_PLANNING),
    ],
)
def test_a_decision_moves_the_session(state: PlanState, session: FsmState) -> None:
    """Where a session stands after each outcome of a review is part of the contract."""
    assert STATE_WITH[state] is session


def test_a_plan_that_goes_on_has_not_ended() -> None:
    """Plans in review, approved, in change or in work can still become something else."""
    going_on = {PlanState.DRAFT, PlanState.IN_REVIEW, PlanState.CHANGES_REQUESTED}
    assert set(PlanState) - ENDED == going_on | {PlanState.APPROVED, PlanState.BUILDING}
