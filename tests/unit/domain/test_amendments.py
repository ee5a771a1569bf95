"""Changing a part of a plan: what is given replaces, what is left empty stays."""

import pytest
from msgspec.structs import replace

from plangate_server.domain.content import Content, Draft, Phase, PhaseDraft, amended, compose
from plangate_server.domain.errors import MissingField, Reason, TextNotFound, TextNotUnique
from tests.helpers.domain import a_todo

A, B = a_todo("a", "First"), a_todo("b", "Second", ["a"])
HEAD = Content(
    name="Cache",
    overview="Faster",
    plan="Measure it, then move it.",
    todos=(A, B),
    phases=(Phase("One", ("a",)), Phase("Two", ("b",))),
)
NOTHING = Draft(plan="")


def content_after(changes: Draft, old: str = "", new: str = "") -> Content:
    return compose(amended(HEAD, changes, old, new))


def text_after(old: str, new: str, head: Content = HEAD) -> str:
    return amended(head, NOTHING, old, new).plan


def test_nothing_given_changes_nothing() -> None:
    """A change that leaves every field empty gives the same content."""
    assert content_after(NOTHING) == HEAD


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (Draft("New text"), replace(HEAD, plan="New text")),
        (Draft("", name="New name"), replace(HEAD, name="New name")),
        (Draft("", overview="New overview"), replace(HEAD, overview="New overview")),
        (Draft("", is_project=True), replace(HEAD, is_project=True)),
        (Draft("", is_spec=True), replace(HEAD, is_spec=True)),
    ],
)
def test_what_is_given_replaces(changes: Draft, expected: Content) -> None:
    """Each field that is given replaces the old one, and no other field moves."""
    assert content_after(changes) == expected


def test_todos_are_replaced_as_a_whole() -> None:
    """The given list is the list; phases keep those of their todos that are still there."""
    new = a_todo("c", "Third")
    assert content_after(Draft("", todos=(A, new))) == replace(
        HEAD, todos=(A, new), phases=(Phase("One", ("a",)), Phase("Two", ()))
    )


def test_phases_are_replaced_as_a_whole() -> None:
    """The given phases are the phases; todos that they name as they are stay one todo each."""
    changes = Draft("", phases=(PhaseDraft("All", (A, B)),))
    assert content_after(changes) == replace(HEAD, phases=(Phase("All", ("a", "b")),))


def test_one_place_of_the_text_is_replaced() -> None:
    """What stood there once stands there no more, and everything around it is untouched."""
    assert text_after("then move", "then carefully move") == "Measure it, then carefully move it."
    assert content_after(NOTHING, "Measure", "Weigh") == replace(HEAD, plan="Weigh it, then move it.")


def test_a_place_of_the_text_can_be_taken_out() -> None:
    """An empty new text deletes the old one."""
    assert text_after(", then move it", "") == "Measure it."


def test_a_text_that_does_not_occur_is_refused() -> None:
    """Nothing is guessed at: case and blanks count."""
    with pytest.raises(TextNotFound) as refused:
        text_after("measure it", "x")
    assert (refused.value.reason, refused.value.field) == (Reason.TEXT_NOT_FOUND, "old_str")


def test_a_text_that_occurs_twice_is_refused() -> None:
    """Of several places none is chosen; the refusal says how many there are."""
    with pytest.raises(TextNotUnique) as refused:
        text_after("it", "x")
    assert (refused.value.reason, refused.value.field) == (Reason.TEXT_NOT_UNIQUE, "old_str")
    assert refused.value.metadata == {"occurrences": "2"}


def test_an_empty_old_text_fills_an_empty_body() -> None:
    """Where nothing is written yet, the new text becomes the body."""
    assert text_after("", "All new", replace(HEAD, plan="")) == "All new"


def test_an_empty_old_text_is_refused_where_something_is_written() -> None:
    """An empty text names no place in a body that is not empty."""
    with pytest.raises(TextNotFound):
        text_after("", "All new")


@pytest.mark.parametrize("old", ["Measure", "not in the text", "it", ""])
def test_a_whole_text_wins(old: str) -> None:
    """With a plan given, what is to be replaced in the old one is not even looked for."""
    assert amended(HEAD, Draft("New text"), old, "x").plan == "New text"


def test_taking_out_the_whole_text_leaves_no_plan() -> None:
    """The text of a plan cannot be emptied by replacing all of it with nothing."""
    with pytest.raises(MissingField):
        content_after(NOTHING, HEAD.plan, "")
