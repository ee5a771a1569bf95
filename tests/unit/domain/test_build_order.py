"""The order to build in, the waves that can run side by side, and what the agent is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate_server.domain.builds import prompt, waves
from plangate_server.domain.todos import Todo
from tests.helpers.domain import a_draft, a_todo
from tests.helpers.examples import repeatable
from tests.helpers.lives import TODOS, approved, starting, todo_graphs

Chosen = tuple[tuple[Todo, ...], list[str]]


@st.composite
def chosen_todos(draw: st.DrawFn) -> Chosen:
    """A plan's todos, and some of their ids."""
    todos = draw(todo_graphs())
    wanted = draw(st.integers(0, 2 ** len(todos) - 1))
    return todos, [todo.id for place, todo in enumerate(todos) if wanted >> place & 1]


def test_what_needs_nothing_can_run_side_by_side() -> None:
    """The first wave is what can begin at once; the next is what needed only that."""
    assert waves(TODOS, ["measure", "move", "tidy"]) == [["measure", "tidy"], ["move"]]


def test_what_is_not_chosen_is_not_waited_for() -> None:
    """A dependency outside the choice does not hold a todo back."""
    assert waves(TODOS, ["move", "tidy"]) == [["move", "tidy"]]


def test_nothing_chosen_is_no_wave() -> None:
    """An empty plan and an empty choice have no waves at all, not an empty one."""
    assert waves((), []) == waves(TODOS, []) == []


def test_the_longest_chain_is_as_many_waves() -> None:
    """500 todos one after the other are built one after the other."""
    chain = [a_todo("0"), *(a_todo(str(n), needs=[str(n - 1)]) for n in range(1, 500))]
    ids = [todo.id for todo in chain]
    assert waves(chain[::-1], ids) == [[id] for id in ids]


@repeatable
@given(chosen_todos())
def test_waves_share_out_exactly_the_choice(chosen: Chosen) -> None:
    """Each chosen todo is in one wave and no other todo in any; no wave is empty."""
    todos, ids = chosen
    found = waves(todos, ids)
    assert all(found)
    assert sorted(id for wave in found for id in wave) == sorted(ids)


@repeatable
@given(chosen_todos())
def test_what_a_todo_needs_lies_in_earlier_waves(chosen: Chosen) -> None:
    """Todos of one wave never wait for each other, nor for a later wave."""
    todos, ids = chosen
    wave_of = {id: number for number, wave in enumerate(waves(todos, ids)) for id in wave}
    for todo in todos:
        if todo.id in wave_of:
            needs = [wave_of[need] for need in todo.dependencies if need in wave_of]
            assert wave_of[todo.id] == max(needs, default=-1) + 1


@repeatable
@given(chosen_todos())
def test_within_a_wave_the_plan_gives_the_order(chosen: Chosen) -> None:
    """Where nothing else decides, todos come as the author listed them."""
    todos, ids = chosen
    place = [todo.id for todo in todos].index
    assert all(wave == sorted(wave, key=place) for wave in waves(todos, ids))


@repeatable
@given(todo_graphs().filter(bool))
def test_a_build_is_in_an_order_that_can_be_worked_in(todos: tuple[Todo, ...]) -> None:
    """Whatever a todo needs stands before it in the list that the agent gets."""
    order = starting(approved(a_draft(todos=todos))).builds[0].todo_ids
    assert sorted(order) == sorted(todo.id for todo in todos)
    assert all(order.index(need) < order.index(todo.id) for todo in todos for need in todo.dependencies)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_prompt_names_every_todo(count: int) -> None:
    """It says how many there are, and the id and words of each, in the given order."""
    told = prompt("Move the cache", TODOS[:count])
    assert f"Implement {count} {'todo' if count == 1 else 'todos'} of" in told
    assert '"Move the cache"' in told
    places = [told.index(f"[{todo.id}] {todo.content}") for todo in TODOS[:count]]
    assert places == sorted(places)
    assert not any(todo.id in told for todo in TODOS[count:])


def test_the_prompt_says_how_to_work() -> None:
    """The plan is attached and not to be edited, the todos exist, each is marked, and all are done."""
    told = prompt("Move the cache", TODOS)
    for words in (
        "attached",
        "do not edit it",
        "do not add them again",
        "in_progress",
        "completed",
        "do not stop before every one of them is done",
    ):
        assert words in told


def test_the_prompt_of_a_plan_without_todos_is_about_its_text() -> None:
    """There is nothing to list; the text is still not to be edited."""
    told = prompt("Move the cache", [])
    for words in ('"Move the cache"', "attached", "do not edit it", "Go on until everything in it is done"):
        assert words in told
