"""Dependencies must exist and be free of cycles; a refusal names the cycle that it found."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate_server.domain.errors import DependencyCycle, Reason, UnknownDependency
from plangate_server.domain.todos import Todo, check_todos
from tests.helpers.domain import a_todo
from tests.helpers.examples import repeatable

NODES = "abcdef"
Graph = dict[str, list[str]]
graphs: st.SearchStrategy[Graph] = st.fixed_dictionaries(
    {node: st.lists(st.sampled_from(NODES), max_size=2) for node in NODES}
)


def check(*todos: Todo) -> None:
    check_todos(todos, [f"todos[{place}]" for place in range(len(todos))])


def check_graph(graph: Graph) -> None:
    check(*(a_todo(node, needs=needs) for node, needs in graph.items()))


def cycle_in(graph: Graph) -> list[str] | None:
    """The cycle that a refusal names; None if the graph is accepted."""
    try:
        check_graph(graph)
    except DependencyCycle as refused:
        return refused.metadata["cycle"].split(" -> ")
    return None


def can_be_done(graph: Graph) -> bool:
    """Whether all can be done, one after the other, each after what it needs."""
    done: set[str] = set()
    while ready := [n for n, needs in graph.items() if n not in done and done.issuperset(needs)]:
        done.update(ready)
    return len(done) == len(graph)


def test_a_dependency_that_the_plan_does_not_have_is_refused() -> None:
    """The refusal names the todo, what it depends on, and the place where that stands."""
    with pytest.raises(UnknownDependency) as refused:
        check(a_todo("a"), a_todo("b", needs=["a", "c"]))
    assert refused.value.reason is Reason.UNKNOWN_DEPENDENCY
    assert refused.value.field == "todos[1].dependencies[1]"
    assert refused.value.metadata == {"todo_id": "b", "dependency": "c"}


def test_a_todo_may_depend_on_a_later_one() -> None:
    """The order of the list says nothing about the order of the work."""
    check(a_todo("a", needs=["b"]), a_todo("b"))


def test_a_todo_may_name_a_dependency_twice() -> None:
    """The same dependency again is no cycle."""
    check(a_todo("a"), a_todo("b", needs=["a", "a"]))


@pytest.mark.parametrize(
    ("graph", "cycle"),
    [
        ({"a": ["a"]}, "a -> a"),
        ({"a": ["b"], "b": ["a"]}, "a -> b -> a"),
        ({"a": ["b"], "b": ["c"], "c": ["a"]}, "a -> b -> c -> a"),
        ({"start": ["a"], "a": ["b"], "b": ["a"]}, "a -> b -> a"),
    ],
)
def test_a_cycle_is_named_as_people_read_it(graph: Graph, cycle: str) -> None:
    """Each todo in the refusal needs the next one, and the last is the first again."""
    with pytest.raises(DependencyCycle) as refused:
        check_graph(graph)
    assert refused.value.reason is Reason.DEPENDENCY_CYCLE
    assert refused.value.field == "todos"
    assert refused.value.metadata == {"cycle": cycle}
    assert f"({cycle})" in str(refused.value)


@repeatable
@given(graphs)
def test_a_plan_is_accepted_exactly_if_it_can_be_done(graph: Graph) -> None:
    """Dependencies are refused when, and only when, there is no order to do the work in."""
    assert (cycle_in(graph) is None) == can_be_done(graph)


@repeatable
@given(graphs)
def test_every_step_of_a_named_cycle_is_a_dependency(graph: Graph) -> None:
    """A refusal names a cycle that really is in the plan, once round and no further."""
    cycle = cycle_in(graph)
    if cycle is not None:
        assert cycle[0] == cycle[-1]
        assert len(set(cycle)) == len(cycle) - 1 >= 1
        assert all(needed in graph[node] for node, needed in itertools.pairwise(cycle))


def test_a_cycle_through_every_todo_is_found() -> None:
    """The largest cycle that the limits allow is named in full."""
    cycle = cycle_in({str(n): [str((n + 1) % 500)] for n in range(500)})
    assert cycle == [*map(str, range(500)), "0"]
