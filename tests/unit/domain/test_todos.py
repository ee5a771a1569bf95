"""Todos get ids, and are refused when they are not sound in themselves."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate_server.domain import limits
from plangate_server.domain.errors import DuplicateTodoId, LimitExceeded, MissingField, Reason
from plangate_server.domain.limits import DEFAULTS
from plangate_server.domain.todos import (
    Todo,
    TodoHint,
    TodoProgress,
    TodoStatus,
    check_todos,
    started,
    total_estimate,
    with_ids,
)
from tests.helpers.domain import NOW, a_todo
from tests.helpers.examples import repeatable

# Ids that look like the ones that are made, so that they get in each other's way.
some_ids = st.sampled_from(["", "", "todo-1", "todo-2", "todo-2x", "todo-3", "build"])


def check(*todos: Todo) -> None:
    check_todos(todos, [f"todos[{place}]" for place in range(len(todos))])


def test_a_todo_without_an_id_is_named_after_its_place() -> None:
    """Ids are made for those that have none, and given ids stay as they are."""
    named = with_ids([a_todo(), a_todo("build"), a_todo()])
    assert [todo.id for todo in named] == ["todo-1", "build", "todo-3"]


def test_a_made_id_steps_aside_for_a_given_one() -> None:
    """An id that someone else has, before or after, is never made."""
    named = with_ids([a_todo("todo-2"), a_todo(), a_todo("todo-2-2")])
    assert [todo.id for todo in named] == ["todo-2", "todo-2-3", "todo-2-2"]


@repeatable
@given(st.lists(some_ids, max_size=8))
def test_made_ids_are_stable_and_collide_with_nothing(given_ids: list[str]) -> None:
    """The same todos get the same ids, no made id equals any other, and naming twice changes nothing."""
    todos = [a_todo(todo_id) for todo_id in given_ids]
    named = with_ids(todos)
    made = [todo.id for todo, before in zip(named, todos, strict=True) if not before.id]
    assert named == with_ids(todos) == with_ids(named)
    assert all(made)
    assert len({*made, *filter(None, given_ids)}) == len(made) + len(set(filter(None, given_ids)))


def test_naming_a_todo_changes_nothing_else() -> None:
    """Content and dependencies come through the naming as they were given."""
    (named, _) = with_ids([a_todo("", "Measure", ["b"]), a_todo("b")])
    assert named == Todo("todo-1", "Measure", ("b",))


def test_two_todos_with_one_id_are_refused() -> None:
    """The refusal names the id and the second of the two places."""
    with pytest.raises(DuplicateTodoId) as refused:
        check(a_todo("a"), a_todo("b"), a_todo("a"))
    assert refused.value.reason is Reason.DUPLICATE_TODO_ID
    assert refused.value.field == "todos[2].id"
    assert refused.value.metadata == {"todo_id": "a"}


@pytest.mark.parametrize("content", ["", " ", "\n\t "])
def test_a_todo_that_says_nothing_is_refused(content: str) -> None:
    """Content that is empty or white space is missing, and the refusal names the place."""
    with pytest.raises(MissingField) as refused:
        check(a_todo("a"), a_todo("b", content))
    assert refused.value.field == "todos[1].content"


@pytest.mark.parametrize("character", ["a", "é", "語", "🙂"])
def test_the_content_of_a_todo_is_measured_in_bytes(character: str) -> None:
    """A content of exactly the limit passes; one byte more is refused, however many characters it has."""
    length = len(character.encode())
    fits = character * (DEFAULTS.todo_bytes // length) + "x" * (DEFAULTS.todo_bytes % length)
    check(a_todo("a", fits))
    with pytest.raises(LimitExceeded) as refused:
        check(a_todo("a", fits + "x"))
    assert refused.value.field == "todos[0].content"
    assert refused.value.metadata == {"limit": "todo_bytes", "maximum": "4096", "actual": "4097"}


@pytest.mark.parametrize("character", ["a", "é", "🙂"])
def test_the_id_of_a_todo_is_measured_in_bytes(character: str) -> None:
    """An id of exactly the limit passes; one byte more is refused."""
    fits = character * (limits.ID_BYTES // len(character.encode()))
    check(a_todo(fits))
    with pytest.raises(LimitExceeded) as refused:
        check(a_todo(fits + "x"))
    assert refused.value.field == "todos[0].id"
    assert refused.value.metadata == {"limit": "id_bytes", "maximum": "256", "actual": "257"}


def test_as_many_todos_as_the_limit_pass() -> None:
    """500 todos in one chain of dependencies are fine."""
    check(a_todo("0"), *(a_todo(str(n), needs=[str(n - 1)]) for n in range(1, 500)))


def test_one_todo_more_than_the_limit_is_refused() -> None:
    """The refusal of 501 todos says which limit, how much it allows and how many there were."""
    with pytest.raises(LimitExceeded) as refused:
        check(*(a_todo(str(n)) for n in range(501)))
    assert refused.value.field == "todos"
    assert refused.value.metadata == {"limit": "todos", "maximum": "500", "actual": "501"}


def test_work_starts_out_pending() -> None:
    """Nobody has begun any todo of a plan that was just made."""
    pending = TodoProgress(TodoStatus.PENDING, NOW, NOW)
    assert started([a_todo("a"), a_todo("b")], NOW) == {"a": pending, "b": pending}


def test_estimates_add_up() -> None:
    """The whole takes as long as the known parts together."""
    hints = [TodoHint(), TodoHint("x", timedelta(hours=1)), TodoHint("", timedelta(minutes=5))]
    assert total_estimate(hints) == timedelta(hours=1, minutes=5)


def test_no_estimate_is_not_an_estimate_of_nothing() -> None:
    """Without any estimate there is no sum; with estimates of zero the sum is zero."""
    assert total_estimate([TodoHint(), TodoHint("x")]) is None
    assert total_estimate([TodoHint("x", timedelta())]) == timedelta()
