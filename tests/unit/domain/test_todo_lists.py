"""Writing todos: merge and replace, and what makes a new revision."""

import pytest

from plangate_server.domain.builds import BuildStatus
from plangate_server.domain.errors import (
    DependencyCycle,
    DuplicateTodoId,
    MissingField,
    Refusal,
    UnknownDependency,
    WrongState,
)
from plangate_server.domain.events import EventType
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import ReviewOutcome
from plangate_server.domain.todos import Todo, TodoEdit, TodoStatus
from tests.helpers.domain import a_draft, a_todo
from tests.helpers.lives import (
    TODOS,
    after,
    approved,
    assert_nothing_happened,
    building,
    marked,
    plan_that_is,
    proposed,
    statuses_of,
    types_of,
    writing,
)

MEASURE, MOVE, TIDY = TODOS
WHOLE_LIST = tuple(TodoEdit(todo.id, todo.content, None, todo.dependencies) for todo in TODOS)


def todos_of(plan: Plan) -> tuple[Todo, ...]:
    return plan.revision.content.todos


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (TodoEdit("move", "Move all"), Todo("move", "Move all", ("measure",))),
        (TodoEdit("move", dependencies=("tidy",)), Todo("move", "Move it", ("tidy",))),
        (TodoEdit("move", "Move all", None, ("tidy",)), Todo("move", "Move all", ("tidy",))),
    ],
)
def test_merging_keeps_what_is_left_empty(edit: TodoEdit, expected: Todo) -> None:
    """A known id is changed where the edit says something, in its place; all else stays."""
    assert todos_of(writing(proposed(), edit).plan) == (MEASURE, expected, TIDY)


def test_merging_appends_what_is_unknown() -> None:
    """A new id is a new todo at the end of the list, pending unless the edit says otherwise."""
    change = writing(
        proposed(), TodoEdit("ship", "Ship it", TodoStatus.IN_PROGRESS, ("move",)), TodoEdit("rest", "Rest")
    )
    assert todos_of(change.plan) == (*TODOS, a_todo("ship", "Ship it", ["move"]), a_todo("rest", "Rest"))
    assert statuses_of(change.plan)["ship"] is TodoStatus.IN_PROGRESS
    assert statuses_of(change.plan)["rest"] is TodoStatus.PENDING


def test_replacing_leaves_only_what_is_given() -> None:
    """The list is the given one, in its order; progress of those that stay is kept."""
    plan = marked(proposed(), TodoStatus.COMPLETED, "tidy")
    edits = (TodoEdit("tidy", "Tidy up"), TodoEdit("new", "Something else"))
    replaced = writing(plan, *edits, merge=False).plan
    assert todos_of(replaced) == (TIDY, a_todo("new", "Something else"))
    assert statuses_of(replaced) == {"tidy": TodoStatus.COMPLETED, "new": TodoStatus.PENDING}


def test_replacing_keeps_nothing_of_a_field_that_is_empty() -> None:
    """Without its words or dependencies in the new list, a todo has none."""
    plan = writing(proposed(), TodoEdit("move", "Move it"), merge=False).plan
    assert todos_of(plan) == (a_todo("move", "Move it"),)
    with pytest.raises(MissingField):
        writing(proposed(), TodoEdit("move"), merge=False)


def test_replacing_with_nothing_empties_the_list() -> None:
    """A plan may be left without todos."""
    plan = writing(proposed(), merge=False).plan
    assert (todos_of(plan), plan.progress) == ((), {})


@pytest.mark.parametrize("merge", [True, False])
def test_a_change_of_content_is_a_revision(merge: bool) -> None:
    """People are asked anew, about the new digest; the rest of the content is as it was."""
    plan = approved()
    change = writing(plan, *WHOLE_LIST, TodoEdit("ship", "Ship it"), merge=merge)
    assert (change.plan.state, change.plan.revision.number) == (PlanState.IN_REVIEW, 2)
    assert change.plan.revision.digest != plan.revision.digest
    assert change.plan.revision.content.plan == plan.revision.content.plan
    assert not change.plan.is_approved
    assert types_of(change) == [EventType.PLAN_UPDATED, EventType.PLAN_APPROVAL_REQUIRED]


def test_a_change_of_content_supersedes_and_ends_builds() -> None:
    """An open review and live builds end as with any other revision."""
    (review,) = writing(proposed(), TodoEdit("new", "New")).reviews
    assert review.outcome is ReviewOutcome.SUPERSEDED
    (build,) = writing(building("measure"), TodoEdit("new", "New")).builds
    assert (build.status, build.outcome, build.end_time) == (BuildStatus.COMPLETE, None, after(3))


def test_words_and_progress_can_come_together() -> None:
    """A content change moves todos on as told, in the same revision."""
    change = writing(proposed(), TodoEdit("tidy", "Tidy all", TodoStatus.CANCELLED))
    assert change.plan.revision.number == 2
    assert statuses_of(change.plan)["tidy"] is TodoStatus.CANCELLED


def test_another_order_is_another_content() -> None:
    """The same todos in another order are a new revision."""
    plan = writing(proposed(), *reversed(WHOLE_LIST), merge=False).plan
    assert plan.revision.number == 2
    assert todos_of(plan) == TODOS[::-1]


@pytest.mark.parametrize("merge", [True, False])
def test_the_same_list_changes_nothing(merge: bool) -> None:
    """Writing what is there already is no revision, no progress and no event."""
    plan = marked(approved(), TodoStatus.COMPLETED, "measure")
    assert_nothing_happened(writing(plan, *WHOLE_LIST, merge=merge), plan)


def test_a_write_tells_what_was_before() -> None:
    """Who writes gets the list as it was beside the list as it is."""
    plan = proposed()
    assert writing(plan, TodoEdit("tidy", "Tidy all")).before == plan
    assert writing(plan, TodoEdit("tidy", status=TodoStatus.COMPLETED)).before == plan


def test_ids_are_made_for_those_without() -> None:
    """A todo without an id is a new one, under a name that no other todo has."""
    plan = proposed(a_draft(todos=[a_todo("todo-1"), a_todo("todo-2x")]))
    after_merge = writing(plan, TodoEdit(content="New"), TodoEdit(content="Newer")).plan
    ids = [todo.id for todo in todos_of(after_merge)]
    assert ids[:2] == ["todo-1", "todo-2x"]
    assert len(set(ids)) == 4
    assert [todo.content for todo in todos_of(after_merge)[2:]] == ["New", "Newer"]


@pytest.mark.parametrize("merge", [True, False])
def test_an_id_twice_is_refused(merge: bool) -> None:
    """Which of the two should count is not guessed; the refusal names the second place."""
    edits = (TodoEdit("a", "One"), TodoEdit("b", "Other"), TodoEdit("a", "Two"))
    with pytest.raises(DuplicateTodoId) as refused:
        writing(proposed(), *edits, merge=merge)
    assert refused.value.field == "todos[2].id"
    assert refused.value.metadata == {"todo_id": "a"}


@pytest.mark.parametrize(
    ("edits", "field"),
    [
        ((TodoEdit("tidy", "Tidy all"), TodoEdit("new")), "todos[1].content"),
        ((TodoEdit("new", "New"), TodoEdit("measure", dependencies=("no",))), "todos[1].dependencies[0]"),
        ((TodoEdit("move", dependencies=("measure", "no")),), "todos[0].dependencies[1]"),
        ((TodoEdit("new", "New"), TodoEdit("", "Newer"), TodoEdit("")), "todos[2].content"),
    ],
)
def test_a_bad_todo_is_named_by_its_place_in_the_request(edits: tuple[TodoEdit, ...], field: str) -> None:
    """And not in the list that the merge would make."""
    with pytest.raises(Refusal) as refused:
        writing(proposed(), *edits)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("edit", "refusal"),
    [
        (TodoEdit("new"), MissingField),
        (TodoEdit("measure", dependencies=("nowhere",)), UnknownDependency),
        (TodoEdit("measure", dependencies=("move",)), DependencyCycle),
    ],
)
def test_a_list_that_is_not_sound_is_refused(edit: TodoEdit, refusal: type[Refusal]) -> None:
    """Todos are checked as those of a proposal, and the plan stays as it was."""
    plan = proposed()
    with pytest.raises(refusal):
        writing(plan, edit)
    assert plan == proposed()


def test_a_todo_that_others_need_cannot_be_left_out() -> None:
    """Replacing is refused if a todo would depend on one that is gone."""
    with pytest.raises(UnknownDependency):
        writing(proposed(), TodoEdit("move", "Move it", None, ("measure",)), merge=False)


@pytest.mark.parametrize("state", sorted(set(PlanState) - {PlanState.DRAFT, PlanState.WITHDRAWN}))
def test_progress_can_be_told_in_any_state_of_a_submitted_plan(state: PlanState) -> None:
    """Marking a todo moves no plan to another state and asks nobody."""
    plan = plan_that_is(state)
    moved = marked(plan, TodoStatus.COMPLETED, "tidy", now=after(9))
    assert (moved.state, moved.revision, moved.review) == (plan.state, plan.revision, plan.review)


def test_the_todos_of_a_finished_plan_keep_their_words() -> None:
    """What was completed cannot be rewritten."""
    with pytest.raises(WrongState) as refused:
        writing(plan_that_is(PlanState.COMPLETED), TodoEdit("tidy", "Something else"))
    assert refused.value.metadata["state"] == "completed"
