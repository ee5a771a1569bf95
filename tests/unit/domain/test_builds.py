"""Handing out todos: only what was approved, and each todo to one agent at a time."""

from datetime import timedelta

import pytest

from plangate_server.domain.builds import DEFAULT_LEASE, BuildOutcome, BuildStatus
from plangate_server.domain.errors import (
    InvalidField,
    LimitExceeded,
    MissingField,
    NotApproved,
    Reason,
    StaleApproval,
    TodoHeld,
    TodoNotFound,
    WrongState,
)
from plangate_server.domain.events import EventType
from plangate_server.domain.plan import PlanState
from plangate_server.domain.todos import TodoStatus
from tests.helpers.domain import a_draft
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
)

NEVER_APPROVED = [
    PlanState.DRAFT,
    PlanState.IN_REVIEW,
    PlanState.CHANGES_REQUESTED,
    PlanState.REJECTED,
    PlanState.EXPIRED,
    PlanState.WITHDRAWN,
]


def test_a_build_is_of_the_approved_text() -> None:
    """It carries revision and digest of what was approved, its agent and its times."""
    plan = approved()
    change = starting(plan)
    (build,) = change.builds
    assert (build.build_id, build.agent_id, build.status) == ("build-1", "coder", BuildStatus.ACTIVE)
    assert (build.revision, build.digest) == (1, plan.revision.digest)
    assert (build.start_time, build.outcome, build.end_time) == (after(4), None, None)
    assert (change.plan.state, change.plan.builds) == (PlanState.BUILDING, (build,))
    assert change.plan.is_approved


def test_a_build_is_told_once() -> None:
    """One event says who builds what."""
    change = starting(approved())
    assert types_of(change) == [EventType.BUILD_STARTED]
    assert (change.events[0].actor, change.events[0].build) == ("coder", change.builds[0])


@pytest.mark.parametrize("state", NEVER_APPROVED)
def test_what_was_never_approved_is_not_built(state: PlanState) -> None:
    """The refusal says where the plan is instead, with and without a digest."""
    plan = plan_that_is(state)
    for expected in ("", plan.revision.digest):
        with pytest.raises(NotApproved) as refused:
            starting(plan, expected_digest=expected)
        assert refused.value.reason is Reason.NOT_APPROVED
        assert refused.value.metadata == {"plan_uri": plan.uri, "state": state}


def test_what_was_changed_after_approval_is_not_built() -> None:
    """The approval of the old text covers neither the new one nor a builder that still has the old."""
    old = approved()
    plan = revising(old).plan
    for expected in ("", plan.revision.digest, old.revision.digest):
        with pytest.raises(StaleApproval) as refused:
            starting(plan, expected_digest=expected)
        assert refused.value.reason is Reason.STALE_APPROVAL
        assert refused.value.metadata["approved_digest"] == old.revision.digest


def test_a_builder_can_say_what_it_expects() -> None:
    """With the digest of the approved head it builds; with any other it is told which was approved."""
    plan = approved()
    assert starting(plan, expected_digest=plan.revision.digest).plan.builds
    with pytest.raises(StaleApproval) as refused:
        starting(plan, expected_digest="0" * 64)
    assert refused.value.metadata == {
        "plan_uri": plan.uri,
        "approved_digest": plan.revision.digest,
        "digest": "0" * 64,
    }


def test_without_a_choice_all_that_is_left_is_built() -> None:
    """Every todo that is neither finished nor held is handed over, also one that was begun before."""
    plan = marked(approved(), TodoStatus.CANCELLED, "tidy")
    plan = marked(plan, TodoStatus.IN_PROGRESS, "move")
    assert starting(plan).builds[0].todo_ids == ("measure", "move")


def test_a_choice_is_what_is_built() -> None:
    """Exactly the named todos are handed over, each once, in an order that can be worked in."""
    assert starting(approved(), "move", "measure", "move").builds[0].todo_ids == ("measure", "move")


def test_a_todo_that_the_plan_does_not_have_is_refused() -> None:
    """The refusal names it and the place where it was asked for."""
    with pytest.raises(TodoNotFound) as refused:
        starting(approved(), "measure", "nothing")
    assert refused.value.field == "todo_ids[1]"
    assert refused.value.metadata["todo_id"] == "nothing"


@pytest.mark.parametrize("agent_id", ["coder", "other"])
def test_a_todo_has_one_builder(agent_id: str) -> None:
    """A todo of a live build is refused to anyone who names it, with the build that holds it."""
    with pytest.raises(TodoHeld) as refused:
        starting(building("measure"), "move", "measure", agent_id=agent_id, build_id="build-2")
    assert refused.value.reason is Reason.TODO_HELD
    assert refused.value.metadata["todo_id"] == "measure"
    assert refused.value.metadata["build_id"] == "build-1"


def test_who_names_nothing_gets_what_is_free() -> None:
    """Two agents that ask for everything share the plan: the second gets the rest."""
    plan = starting(building("measure"), agent_id="other", build_id="build-2").plan
    assert [build.todo_ids for build in plan.builds] == [("measure",), ("move", "tidy")]


def test_when_all_is_held_nothing_is_handed_out() -> None:
    """An agent that asks for everything is refused if others hold all that is left."""
    with pytest.raises(TodoHeld):
        starting(building(), agent_id="other", build_id="build-2")
    plan = marked(building("measure", "move"), TodoStatus.COMPLETED, "tidy")
    with pytest.raises(TodoHeld):
        starting(plan, agent_id="other", build_id="build-2")


def test_when_nothing_is_left_nothing_is_handed_out() -> None:
    """A plan whose every todo is finished has nothing to build."""
    plan = marked(marked(approved(), TodoStatus.COMPLETED, "measure", "move"), TodoStatus.CANCELLED, "tidy")
    with pytest.raises(WrongState) as refused:
        starting(plan)
    assert "every todo finished" in str(refused.value)


def test_a_plan_without_todos_can_be_built() -> None:
    """Its build holds no todo, and its end completes the plan."""
    plan = starting(approved(a_draft("# Just do it"))).plan
    assert plan.builds[0].todo_ids == ()
    assert (plan.state, plan.built_by) == (PlanState.BUILDING, {"coder": ()})
    assert finishing(plan).plan.state is PlanState.COMPLETED


def test_a_build_leaves_progress_to_its_agent() -> None:
    """Being handed out is not being begun."""
    assert set(statuses_of(building()).values()) == {TodoStatus.PENDING}


def test_a_plan_that_failed_can_be_built_again() -> None:
    """The approval holds for as long as the text is the same."""
    plan = starting(plan_that_is(PlanState.FAILED), build_id="build-2").plan
    assert (plan.state, plan.is_approved) == (PlanState.BUILDING, True)


def test_who_built_what_is_on_record() -> None:
    """The registry lists for each agent the todos it was ever given, each once."""
    plan = building("measure")
    plan = starting(plan, "tidy", agent_id="other", build_id="build-2").plan
    plan = finishing(plan, BuildOutcome.FAILED).plan
    plan = starting(plan, "move", "measure", build_id="build-3").plan
    plan = starting(finishing(plan, build_id="build-3").plan, "move", build_id="build-4").plan
    assert plan.built_by == {"coder": ("measure", "move"), "other": ("tidy",)}
    assert plan.referenced_by == ("builder-bot", "coder", "other")


def test_the_record_outlives_the_text() -> None:
    """What was built stays on record when the plan is revised."""
    assert revising(building("measure")).plan.built_by == {"coder": ("measure",)}


def test_an_agent_has_a_name() -> None:
    """Nobody builds anonymously, or under a name without bounds."""
    with pytest.raises(MissingField) as missing:
        starting(approved(), agent_id="")
    assert missing.value.field == "agent_id"
    with pytest.raises(LimitExceeded):
        starting(approved(), agent_id="x" * 257)


@pytest.mark.parametrize("lease", [timedelta(seconds=1), timedelta(minutes=3), timedelta(hours=24)])
def test_a_lease_is_as_long_as_asked_for(lease: timedelta) -> None:
    """From a second to a day, the todos are held that long."""
    (build,) = starting(approved(), lease=lease).builds
    assert (build.lease, build.lease_expire_time) == (lease, after(4) + lease)


def test_a_lease_has_a_default() -> None:
    """Who asks for none holds the todos for ten minutes."""
    assert starting(approved()).builds[0].lease_expire_time == after(14) == after(4) + DEFAULT_LEASE


@pytest.mark.parametrize(
    "lease", [timedelta(), timedelta(seconds=-1), timedelta(seconds=0.9), timedelta(hours=24, seconds=1)]
)
def test_a_lease_out_of_bounds_is_refused(lease: timedelta) -> None:
    """Less than a second and more than a day are no leases."""
    with pytest.raises(InvalidField) as refused:
        starting(approved(), lease=lease)
    assert refused.value.field == "lease"
