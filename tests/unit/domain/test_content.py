"""A draft becomes content, or is refused with the field at fault."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from msgspec.structs import replace

from plangate_server.domain import limits
from plangate_server.domain.content import Content, Draft, PhaseDraft, compose, sketch_content, with_todos
from plangate_server.domain.errors import InvalidField, LimitExceeded, MissingField
from plangate_server.domain.limits import DEFAULTS, Limits
from plangate_server.domain.todos import TodoHint
from tests.helpers.domain import a_draft, a_todo


@pytest.mark.parametrize("plan", ["", " ", "\n\n\t", "\u2028\u3000"])
def test_a_plan_that_says_nothing_is_refused(plan: str) -> None:
    """The text of a plan is required; white space of any kind is no text."""
    with pytest.raises(MissingField) as refused:
        compose(a_draft(plan))
    assert refused.value.field == "plan"


def test_what_was_handed_in_is_what_is_kept() -> None:
    """Text, overview and flags are taken over as they are, to the last space."""
    draft = Draft("  # A  \r\n", "A", " an overview ", is_project=True, is_spec=True)
    content = compose(draft)
    assert (content.plan, content.overview) == (draft.plan, draft.overview)
    assert (content.is_project, content.is_spec) == (True, True)


def test_a_given_name_is_kept_without_the_space_around_it() -> None:
    """A name that was given wins over whatever the text says."""
    assert compose(a_draft("# Other", name="  Move it ")).name == "Move it"


@pytest.mark.parametrize(
    ("plan", "name"),
    [
        ("# Move the cache", "Move the cache"),
        ("intro\n\n## Second level ##\n# First level", "Second level"),
        ("###### Sixth\r\n", "Sixth"),
        ("#\tTabbed", "Tabbed"),
        ("\n  \nfirst words\nmore words", "first words"),
        ("#hashtag is no heading", "#hashtag is no heading"),
        ("####### seven is no heading", "####### seven is no heading"),
        ("# 計画 🙂", "計画 🙂"),
    ],
)
@pytest.mark.parametrize("given", ["", "  \t"])
def test_a_plan_without_a_name_is_named_after_its_first_words(plan: str, name: str, given: str) -> None:
    """The first heading names the plan, or else the first line that says something."""
    assert compose(a_draft(plan, name=given)).name == name


def test_a_name_made_from_the_text_is_short() -> None:
    """A long first line gives a name of its first hundred characters."""
    assert compose(a_draft("🙂" * 5000)).name == "🙂" * 100


def test_a_heading_keeps_a_hash_that_belongs_to_its_last_word() -> None:
    """Only marks that stand alone close a heading, as Markdown has it."""
    assert compose(a_draft("# Port to C#")).name == "Port to C#"


@pytest.mark.parametrize("plan", ["###", "# #", "## ##\nthen words"])
def test_every_plan_has_a_name(plan: str) -> None:
    """However odd the text is, what is kept has a name that people can see."""
    assert compose(a_draft(plan)).name


Fill = Callable[[str], Draft]


def filling(size: int, character: str) -> str:
    """A text of exactly so many bytes."""
    length = len(character.encode())
    return character * (size // length) + "x" * (size % length)


@pytest.mark.parametrize("character", ["a", "é", "語", "🙂"])
def test_an_overview_is_measured_in_bytes(character: str) -> None:
    """A text of exactly the limit passes; one byte more is refused, however many characters it has."""
    fits = filling(limits.OVERVIEW_BYTES, character)
    compose(a_draft(overview=fits))
    with pytest.raises(LimitExceeded) as refused:
        compose(a_draft(overview=fits + "x"))
    assert refused.value.field == "overview"
    assert refused.value.metadata == {"limit": "overview_bytes", "maximum": "65536", "actual": "65537"}


def test_a_text_that_is_too_large_alone_is_the_field_at_fault() -> None:
    """A plan's text above the limit is refused by its own name."""
    with pytest.raises(LimitExceeded) as refused:
        compose(a_draft("x" * (DEFAULTS.plan_bytes + 1)))
    assert refused.value.field == "plan"
    assert refused.value.metadata["limit"] == "plan_bytes"


@pytest.mark.parametrize("character", ["a", "é", "語", "🙂"])
def test_a_plan_is_measured_with_all_its_texts(character: str) -> None:
    """Texts, todos and phases together are exactly the limit, or one byte more and refused."""
    todos = [a_todo("a", "語" * 1000), a_todo("b", "Do it", needs=["a"])]
    rest = a_draft("", name="N", overview="O" * 100, todos=todos, phases=[PhaseDraft("P", (todos[0],))])
    others = len(b"N") + 100 + len(b"a") + 3000 + len(b"bDo ita") + len(b"Pa")
    fits = filling(DEFAULTS.plan_bytes - others, character)
    compose(replace(rest, plan=fits))
    with pytest.raises(LimitExceeded) as refused:
        compose(replace(rest, plan=fits + "x"))
    maximum = DEFAULTS.plan_bytes
    assert refused.value.metadata == {
        "limit": "plan_bytes",
        "maximum": str(maximum),
        "actual": str(maximum + 1),
    }


MIB = DEFAULTS.plan_bytes
SMALL = replace(DEFAULTS, plan_bytes=900, todo_bytes=MIB)
LARGEST = {
    "plan": (a_draft("x" * (MIB - 10), overview="O" * 1000), DEFAULTS),
    "overview": (a_draft(name="N" * 300, overview="O" * 601), SMALL),
    "name": (a_draft(name="N" * 601, overview="O" * 300), SMALL),
    "todos[1].content": (a_draft(todos=[a_todo("a"), a_todo("b", "x" * 901)]), SMALL),
    "phases[0].todos[0].content": (a_draft(phases=[PhaseDraft("P", (a_todo("a", "x" * 901),))]), SMALL),
    "todos": (a_draft(todos=[a_todo(f"t{n}", "x" * 100) for n in range(9)]), SMALL),
    "phases": (a_draft(phases=[PhaseDraft("P" * 500, ())] * 2), SMALL),
}


@pytest.mark.parametrize("field", LARGEST)
@pytest.mark.parametrize("make", [compose, sketch_content])
def test_the_largest_part_is_at_fault(field: str, make: Callable[[Draft, Limits], Content]) -> None:
    """Of a plan that is too large as a whole, the refusal names what is best made smaller."""
    with pytest.raises(LimitExceeded) as refused:
        make(*LARGEST[field])
    assert (refused.value.field, refused.value.metadata["limit"]) == (field, "plan_bytes")


def test_a_large_todo_of_a_draft_is_at_fault() -> None:
    """A draft is not checked todo by todo, and its refusal names the large one all the same."""
    with pytest.raises(LimitExceeded) as refused:
        sketch_content(a_draft(todos=[a_todo("a", "x" * MIB)]))
    assert refused.value.field == "todos[0].content"


def test_whoever_writes_todos_is_told_of_todos() -> None:
    """The text of the plan is no part of such a request, however large it is."""
    content = compose(a_draft("x" * 800), SMALL)
    for todos, field in (
        ((a_todo("a", "x" * 101),), "todos[0].content"),
        (tuple(a_todo(each, "x" * 40) for each in "abc"), "todos"),
    ):
        with pytest.raises(LimitExceeded) as refused:
            with_todos(content, todos, [f"todos[{place}]" for place in range(len(todos))], SMALL)
        assert refused.value.field == field


def _as_name(text: str) -> Draft:
    return a_draft(name=text)


def _as_phase_name(text: str) -> Draft:
    return a_draft(phases=[PhaseDraft("", ()), PhaseDraft(text, ())])


@pytest.mark.parametrize(("fill", "field"), [(_as_name, "name"), (_as_phase_name, "phases[1].name")])
@pytest.mark.parametrize("character", ["a", "🙂"])
def test_names_are_measured_in_characters(fill: Fill, field: str, character: str) -> None:
    """A name of a thousand characters passes; one more is refused, however many bytes they have."""
    compose(fill(character * 1000))
    with pytest.raises(LimitExceeded) as refused:
        compose(fill(character * 1001))
    assert refused.value.field == field
    assert refused.value.metadata == {"limit": "name_characters", "maximum": "1000", "actual": "1001"}


def test_a_hint_for_a_todo_may_use_an_id_that_was_made() -> None:
    """Made ids can be counted on: they are the same for the same draft."""
    compose(a_draft(todos=[a_todo()], hints={"todo-1": TodoHint("coder", timedelta())}))


def test_a_hint_for_a_todo_that_is_not_there_is_refused() -> None:
    """The refusal names the id that no todo has."""
    with pytest.raises(InvalidField) as refused:
        compose(a_draft(todos=[a_todo("a")], hints={"b": TodoHint("coder")}))
    assert refused.value.field == "todo_hints['b']"


def test_a_negative_estimate_is_refused() -> None:
    """No work takes less than no time."""
    hint = TodoHint(estimated_time=timedelta(microseconds=-1))
    with pytest.raises(InvalidField) as refused:
        compose(a_draft(todos=[a_todo("a")], hints={"a": hint}))
    assert refused.value.field == "todo_hints['a'].estimated_time"


def test_the_agent_in_a_hint_is_bounded_like_any_id() -> None:
    """An agent's name of exactly the limit passes; one byte more is refused."""
    fits = "a" * limits.ID_BYTES
    compose(a_draft(todos=[a_todo("a")], hints={"a": TodoHint(fits)}))
    with pytest.raises(LimitExceeded) as refused:
        compose(a_draft(todos=[a_todo("a")], hints={"a": TodoHint(fits + "a")}))
    assert refused.value.field == "todo_hints['a'].agent"
    assert refused.value.metadata["limit"] == "id_bytes"


def test_estimates_that_cannot_be_added_up_are_refused() -> None:
    """A plan whose summary could never be made is not taken in."""
    longest = TodoHint(estimated_time=timedelta.max)
    with pytest.raises((InvalidField, LimitExceeded)):
        compose(a_draft(todos=[a_todo("a"), a_todo("b")], hints={"a": longest, "b": longest}))
