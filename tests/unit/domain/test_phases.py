"""Phases group todos: a plan has one list of todos, and its phases name them."""

import pytest

from plangate_server.domain.content import Content, Phase, PhaseDraft, compose
from plangate_server.domain.errors import DuplicateTodoId, LimitExceeded, MissingField, UnknownDependency
from plangate_server.domain.todos import Todo
from tests.helpers.domain import a_draft, a_todo


def todo_ids(content: Content) -> list[str]:
    return [todo.id for todo in content.todos]


def test_todos_of_phases_join_the_list_in_order() -> None:
    """A todo that stands only in a phase follows the listed ones, phase by phase."""
    content = compose(
        a_draft(
            todos=[a_todo("a")],
            phases=[PhaseDraft("one", (a_todo("b"), a_todo("c"))), PhaseDraft("two", (a_todo("d"),))],
        )
    )
    assert todo_ids(content) == ["a", "b", "c", "d"]
    assert content.phases == (Phase("one", ("b", "c")), Phase("two", ("d",)))


def test_a_todo_in_both_places_is_one_todo() -> None:
    """A phase that repeats a listed todo names it and adds nothing."""
    todo = a_todo("a", "Measure")
    content = compose(a_draft(todos=[todo, a_todo("b")], phases=[PhaseDraft("one", (todo,))]))
    assert todo_ids(content) == ["a", "b"]
    assert content.phases == (Phase("one", ("a",)),)


def test_a_listed_todo_may_stand_in_several_phases() -> None:
    """Naming a listed todo again is not repeating it."""
    todo = a_todo("a")
    content = compose(a_draft(todos=[todo], phases=[PhaseDraft("one", (todo,)), PhaseDraft("two", (todo,))]))
    assert todo_ids(content) == ["a"]
    assert [phase.todo_ids for phase in content.phases] == [("a",), ("a",)]


def test_a_phase_keeps_its_own_order() -> None:
    """A phase lists its todos in the order in which it was given, listed and own ones mixed."""
    listed = a_todo("a")
    content = compose(a_draft(todos=[listed], phases=[PhaseDraft("one", (a_todo("b"), listed))]))
    assert content.phases == (Phase("one", ("b", "a")),)


def test_the_same_id_with_other_words_is_two_todos() -> None:
    """A phase that says something else under a listed id is refused, at the place in the phase."""
    with pytest.raises(DuplicateTodoId) as refused:
        compose(a_draft(todos=[a_todo("a", "One")], phases=[PhaseDraft("p", (a_todo("a", "Other"),))]))
    assert refused.value.field == "phases[0].todos[0].id"


def test_todos_without_ids_in_phases_get_one() -> None:
    """Ids are made over the whole plan, so the phases' todos count on from the list."""
    content = compose(a_draft(todos=[a_todo()], phases=[PhaseDraft("one", (a_todo(), a_todo("x")))]))
    assert todo_ids(content) == ["todo-1", "todo-2", "x"]
    assert content.phases == (Phase("one", ("todo-2", "x")),)


def test_dependencies_reach_across_phases() -> None:
    """A todo may need any todo of the plan, wherever it stands."""
    content = compose(a_draft(todos=[a_todo("a", needs=["b"])], phases=[PhaseDraft("one", (a_todo("b"),))]))
    assert content.todos[0] == Todo("a", "Do it", ("b",))


@pytest.mark.parametrize(
    ("bad", "refusal", "field"),
    [
        (a_todo("x", " "), MissingField, "phases[1].todos[0].content"),
        (a_todo("x", needs=["nowhere"]), UnknownDependency, "phases[1].todos[0].dependencies[0]"),
        (a_todo("x" * 257), LimitExceeded, "phases[1].todos[0].id"),
    ],
)
def test_a_refusal_names_the_place_in_the_phase(
    bad: Todo, refusal: type[MissingField | UnknownDependency | LimitExceeded], field: str
) -> None:
    """What is wrong with a phase's todo is told where it was given."""
    with pytest.raises(refusal) as refused:
        compose(a_draft(todos=[a_todo("a")], phases=[PhaseDraft("", ()), PhaseDraft("", (bad,))]))
    assert refused.value.field == field


def test_the_limit_of_todos_counts_those_of_phases() -> None:
    """250 listed todos and 251 in a phase are one too many."""
    listed = [a_todo(f"l{n}") for n in range(250)]
    in_phase = tuple(a_todo(f"p{n}") for n in range(251))
    compose(a_draft(todos=listed, phases=[PhaseDraft("", in_phase[:250])]))
    with pytest.raises(LimitExceeded) as refused:
        compose(a_draft(todos=listed, phases=[PhaseDraft("", in_phase)]))
    assert refused.value.metadata == {"limit": "todos", "maximum": "500", "actual": "501"}


def test_phases_have_a_limit_of_their_own() -> None:
    """500 phases pass and 501 are refused."""
    compose(a_draft(phases=[PhaseDraft("", ())] * 500))
    with pytest.raises(LimitExceeded) as refused:
        compose(a_draft(phases=[PhaseDraft("", ())] * 501))
    assert refused.value.field == "phases"
    assert refused.value.metadata == {"limit": "phases", "maximum": "500", "actual": "501"}
