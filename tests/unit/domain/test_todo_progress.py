"""How far todos have come: who may say so, what is told of it, and what follows from it."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate_server.domain.errors import BuildEnded, Reason, TodoHeld
from plangate_server.domain.events import EventType
from plangate_server.domain.plan import Plan
from plangate_server.domain.todos import (
    Todo,
    TodoEdit,
    TodoProgress,
    TodoStatus,
    needs_in_progress,
    ready_ids,
)
from tests.helpers.domain import NOW
from tests.helpers.examples import repeatable
from tests.helpers.lives import (
    TODOS,
    after,
    approved,
    assert_nothing_happened,
    building,
    marked,
    proposed,
    starting,
    statuses_of,
    todo_graphs,
    types_of,
    writing,
)

DONE, PENDING, ACTIVE = TodoStatus.COMPLETED, TodoStatus.PENDING, TodoStatus.IN_PROGRESS
KNOWN_IDS = [todo.id for todo in TODOS]
known = st.builds(
    TodoEdit,
    id=st.sampled_from(KNOWN_IDS),
    content=st.sampled_from(["", "Measure it", "Something else"]),
    status=st.none() | st.sampled_from(TodoStatus),
)
unknown = st.builds(
    TodoEdit,
    id=st.sampled_from(["new", "newer"]),
    content=st.sampled_from(["Measure it", "Something else"]),
    status=st.none() | st.sampled_from(TodoStatus),
    dependencies=st.lists(st.sampled_from(KNOWN_IDS), max_size=2).map(tuple),
)
edit_lists = st.lists(known | unknown, max_size=4, unique_by=lambda edit: edit.id)


@st.composite
def graphs_at_work(draw: st.DrawFn) -> tuple[tuple[Todo, ...], dict[str, TodoProgress]]:
    """Todos that need each other, each as far as it may be."""
    todos = draw(todo_graphs())
    statuses = st.sampled_from(TodoStatus)
    return todos, {todo.id: TodoProgress(draw(statuses), NOW, NOW) for todo in todos}


def two_builds() -> Plan:
    """measure is in the hands of coder, tidy in those of tidier; nobody holds move."""
    plan = building("measure")
    return starting(plan, "tidy", agent_id="tidier", build_id="build-2").plan


def test_progress_is_no_revision() -> None:
    """Marking a todo keeps revision, review and approval, and moves only that todo's time."""
    plan = approved()
    moved = marked(plan, ACTIVE, "move")
    assert (moved.revision, moved.review, moved.approved) == (plan.revision, plan.review, plan.approved)
    assert moved.is_approved
    assert moved.progress["move"] == TodoProgress(ACTIVE, NOW, after(3))
    assert {id: moved.progress[id] for id in ("measure", "tidy")} == {
        id: plan.progress[id] for id in ("measure", "tidy")
    }


def test_exactly_the_todos_that_moved_are_told() -> None:
    """One event names the ids whose status changed, in the plan's order, and no others."""
    plan = marked(approved(), DONE, "measure")
    change = writing(plan, *(TodoEdit(id, status=DONE) for id in ("tidy", "measure", "move")))
    assert types_of(change) == [EventType.TODOS_CHANGED]
    assert change.events[0].todo_ids == ("move", "tidy")


def test_what_has_not_moved_is_not_told() -> None:
    """The same status again is no event and no new time."""
    plan = marked(approved(), DONE, "measure")
    assert_nothing_happened(writing(plan, TodoEdit("measure", status=DONE), now=after(9)), plan)


def test_a_todo_can_go_back() -> None:
    """Progress is what the agent says it is, also if it is less than before."""
    assert statuses_of(marked(marked(approved(), DONE, "move"), PENDING, "move"))["move"] is PENDING


@pytest.mark.parametrize(
    ("agent_id", "build_id"), [("tidier", ""), ("tidier", "build-2"), ("", "build-2"), ("stranger", "")]
)
@pytest.mark.parametrize(
    "edit", [TodoEdit("measure", status=DONE), TodoEdit("measure", "Guess it")], ids=["status", "words"]
)
def test_what_another_holds_is_refused(edit: TodoEdit, agent_id: str, build_id: str) -> None:
    """Neither progress nor words of a held todo change by another's hand; the refusal names the holder."""
    with pytest.raises(TodoHeld) as refused:
        writing(two_builds(), edit, agent_id=agent_id, build_id=build_id)
    assert refused.value.reason is Reason.TODO_HELD
    assert refused.value.metadata == {
        "todo_id": "measure",
        "build_id": "build-1",
        "lease_expire_time": after(14).isoformat(),
    }


def test_what_another_holds_cannot_be_left_out() -> None:
    """A list without the held todo is refused like one that changes it."""
    with pytest.raises(TodoHeld):
        writing(two_builds(), TodoEdit("tidy", "Tidy up"), merge=False, agent_id="tidier")


@pytest.mark.parametrize(("agent_id", "build_id"), [("coder", ""), ("", "build-1"), ("coder", "build-1")])
def test_a_builder_marks_its_own(agent_id: str, build_id: str) -> None:
    """The holder is known by its build or by its name."""
    change = writing(two_builds(), TodoEdit("measure", status=ACTIVE), agent_id=agent_id, build_id=build_id)
    assert statuses_of(change.plan)["measure"] is ACTIVE


def test_a_build_speaks_for_its_own_todos_only() -> None:
    """Who names a build is not let at the todos of another, even if both are the same agent's."""
    plan = starting(building("measure"), "tidy", agent_id="coder", build_id="build-2").plan
    with pytest.raises(TodoHeld):
        writing(plan, TodoEdit("measure", status=DONE), agent_id="coder", build_id="build-2")


def test_what_nobody_holds_is_free() -> None:
    """Any agent may mark a todo that is in no live build."""
    change = writing(two_builds(), TodoEdit("move", status=DONE), agent_id="stranger")
    assert change.events[0].todo_ids == ("move",)


@pytest.mark.parametrize("status", [ACTIVE, PENDING])
def test_a_write_renews_the_lease(status: TodoStatus) -> None:
    """A build that is heard from holds its todos for a whole lease again, even if nothing moved."""
    plan = two_builds()
    change = writing(plan, TodoEdit("measure", status=status), build_id="build-1", now=after(13))
    (build,) = change.builds
    assert build.lease_expire_time == after(13) + timedelta(minutes=10)
    assert change.plan.builds == (build, plan.builds[1])


def test_a_write_of_a_build_that_ended_is_refused() -> None:
    """An agent that lost its build learns so before it changes anything."""
    with pytest.raises(BuildEnded):
        writing(two_builds(), TodoEdit("move", status=DONE), build_id="build-0")


@repeatable
@given(edit_lists)
def test_merging_twice_is_merging_once(edits: list[TodoEdit]) -> None:
    """The same edits again change nothing, whatever they were."""
    once = writing(proposed(), *edits).plan
    assert_nothing_happened(writing(once, *edits, now=after(9)), once)


@repeatable
@given(edit_lists)
def test_every_todo_has_progress(edits: list[TodoEdit]) -> None:
    """After any write the progress is that of exactly the plan's todos, in their order."""
    plan = writing(proposed(), *edits).plan
    assert list(plan.progress) == [todo.id for todo in plan.revision.content.todos]


@repeatable
@given(graphs_at_work())
def test_a_todo_is_ready_when_all_it_needs_is_completed(
    work: tuple[tuple[Todo, ...], dict[str, TodoProgress]],
) -> None:
    """Pending todos whose every dependency is completed, in the plan's order; cancelled does not count."""
    todos, progress = work
    expected = []
    for todo in todos:
        unmet = [need for need in todo.dependencies if progress[need].status is not DONE]
        if progress[todo.id].status is PENDING and not unmet:
            expected.append(todo.id)
    assert ready_ids(todos, progress) == expected


def test_a_cancelled_dependency_is_not_met() -> None:
    """What was to come first and never will keeps its followers waiting."""
    plan = marked(proposed(), TodoStatus.CANCELLED, "measure")
    assert ready_ids(TODOS, plan.progress) == ["tidy"]


@repeatable
@given(st.lists(st.sampled_from(TodoStatus), max_size=5))
def test_somebody_should_say_what_they_work_on(statuses: list[TodoStatus]) -> None:
    """Something is in need of being begun if some todo is pending and none is in progress."""
    progress = {str(n): TodoProgress(status, NOW, NOW) for n, status in enumerate(statuses)}
    expected = any(s is PENDING for s in statuses) and not any(s is ACTIVE for s in statuses)
    assert needs_in_progress(progress) is expected
