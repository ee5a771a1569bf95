"""Cursors are opaque: the one that was given out leads back, and nothing else leads anywhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate_server.domain.errors import InvalidCursor, Reason
from plangate_server.domain.events import Cursors
from tests.helpers.examples import repeatable

CURSORS = Cursors("log-1")
sequences = st.integers(0, 2**63 - 1)
# The characters that a cursor can consist of, and some that it cannot.
characters = st.sampled_from("ABCXYZabcxyz0189-_=") | st.characters(exclude_characters="+/")


@repeatable
@given(st.text(max_size=20), sequences)
def test_a_cursor_leads_back(workspace: str, sequence: int) -> None:
    """The number that a cursor was made from is the number that is read from it."""
    assert CURSORS.decode(workspace, CURSORS.encode(workspace, sequence)) == sequence


@repeatable
@given(sequences)
def test_a_cursor_is_plain_text(sequence: int) -> None:
    """A cursor can stand in a URL, a header or a file name."""
    assert CURSORS.encode("acme", sequence).replace("-", "").replace("_", "").isalnum()
    assert CURSORS.encode("acme", sequence).isascii()


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        " ",
        "0",
        "7",
        "AAAA",
        "A" * 16,
        "=" * 16,
        "-" * 16,
        "é" * 16,
        "\0" * 16,
        "🙂",
        "a" * 10_000,
        "null",
    ],
)
def test_what_was_never_given_out_is_refused(cursor: str) -> None:
    """Empty, short, long, guessed and non-ASCII cursors are refused and not guessed at."""
    with pytest.raises(InvalidCursor) as refused:
        CURSORS.decode("acme", cursor)
    assert refused.value.reason is Reason.INVALID_CURSOR
    assert refused.value.field == "cursor"


@repeatable
@given(sequences, st.data())
def test_any_changed_character_is_seen(sequence: int, data: st.DataObject) -> None:
    """A cursor with one other character is refused instead of pointing somewhere else."""
    cursor = CURSORS.encode("acme", sequence)
    place = data.draw(st.integers(0, len(cursor) - 1))
    other = data.draw(characters.filter(lambda character: character != cursor[place]))
    with pytest.raises(InvalidCursor):
        CURSORS.decode("acme", cursor[:place] + other + cursor[place + 1 :])


def test_a_cursor_has_one_spelling() -> None:
    """Other spellings of the same bytes were not given out: another alphabet, or padding behind it."""
    spelled = (CURSORS.encode("acme", sequence) for sequence in range(100))
    cursor = next(cursor for cursor in spelled if "-" in cursor)
    for altered in (cursor + "=", cursor.replace("-", "+")):
        with pytest.raises(InvalidCursor):
            CURSORS.decode("acme", altered)


@repeatable
@given(sequences, st.integers(0, 15))
def test_a_cursor_that_was_cut_off_is_refused(sequence: int, length: int) -> None:
    """No beginning of a cursor is a cursor."""
    with pytest.raises(InvalidCursor):
        CURSORS.decode("acme", CURSORS.encode("acme", sequence)[:length])


@repeatable
@given(sequences, st.text(min_size=1, max_size=3).filter(lambda added: added.strip("=")))
def test_a_cursor_with_something_added_is_refused(sequence: int, added: str) -> None:
    """Nothing may stand before or behind a cursor."""
    cursor = CURSORS.encode("acme", sequence)
    for altered in (cursor + added, added + cursor):
        with pytest.raises(InvalidCursor):
            CURSORS.decode("acme", altered)


@repeatable
@given(sequences)
def test_a_cursor_of_another_database_is_refused(sequence: int) -> None:
    """The same number in another log is another place."""
    with pytest.raises(InvalidCursor):
        CURSORS.decode("acme", Cursors("log-2").encode("acme", sequence))


@repeatable
@given(sequences)
def test_a_cursor_of_another_workspace_is_refused(sequence: int) -> None:
    """Workspaces count on their own, so their cursors are not to be mixed up."""
    with pytest.raises(InvalidCursor):
        CURSORS.decode("acme", CURSORS.encode("elsewhere", sequence))
