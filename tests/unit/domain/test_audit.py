"""The chain over the event log: whatever was done to the log, the first entry that it hits is named."""

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from plangate_server.domain.audit import Entry, Link, Verdict, Verifier, chain, hash_body
from tests.helpers.examples import repeatable

LENGTH = 5


def entry(sequence: int, body: bytes) -> Entry:
    return Entry(
        workspace="acme",
        sequence=sequence,
        plan_id="1" * 32,
        session_id="s-1",
        revision=1,
        digest="d" * 64,
        type="plan_created",
        time="2025-03-04T05:06:07Z",
        actor="ada",
        body_hash=hash_body(body),
    )


def linked(entries: Sequence[tuple[Entry, bytes]]) -> list[Link]:
    """A whole log of these entries."""
    links: list[Link] = []
    for number, body in entries:
        previous = links[-1].hash if links else ""
        links.append(Link(number, chain(previous, number), body))
    return links


LOG = linked([(entry(n, f"event {n}".encode()), f"event {n}".encode()) for n in range(1, LENGTH + 1)])
HEAD = (LENGTH, LOG[-1].hash)


def verdict(links: Sequence[Link], saved: tuple[int, str] | None = None) -> Verdict:
    verifier = Verifier(saved)
    verifier.follow(links)
    return verifier.verdict()


def altered(number: int, **changes: Any) -> list[Link]:
    """The log with something of one link changed."""
    links = list(LOG)
    links[number - 1] = replace(links[number - 1], **changes)
    return links


def with_field(number: int, field: str) -> list[Link]:
    """The log with one field of one entry changed."""
    old = LOG[number - 1].entry
    value = getattr(old, field)
    changes: dict[str, Any] = {field: value + 100 if isinstance(value, int) else f"{value}!"}
    return altered(number, entry=replace(old, **changes))


def assert_bad(found: Verdict, number: int) -> None:
    """The log does not hold, entry so-and-so is named, and everything before it was checked."""
    assert not found.valid
    assert found.first_bad_sequence == number
    assert f"entry {number}" in found.problem
    assert found.checked == found.head_sequence == number - 1


def test_a_log_that_nobody_touched_holds() -> None:
    """All entries are checked, and the verdict gives the head to be saved elsewhere."""
    assert verdict(LOG) == Verdict(LENGTH, *HEAD)
    assert verdict(LOG).valid


def test_an_empty_log_holds() -> None:
    """Where nothing happened nothing was altered."""
    assert verdict([]) == Verdict(0, 0, "")


@pytest.mark.parametrize("number", range(1, LENGTH + 1))
def test_an_altered_body_is_found(number: int) -> None:
    """What an entry says at length cannot be changed."""
    assert_bad(verdict(altered(number, body=b"event x")), number)


@pytest.mark.parametrize("field", sorted(set(Entry.__struct_fields__) - {"sequence"}))
@pytest.mark.parametrize("number", [1, 3, LENGTH])
def test_an_altered_field_is_found(number: int, field: str) -> None:
    """No field of an entry can be changed."""
    assert_bad(verdict(with_field(number, field)), number)


def test_a_body_altered_with_its_hash_is_found() -> None:
    """Making the hash of the body anew does not help."""
    changed = replace(LOG[2].entry, body_hash=hash_body(b"event x"))
    assert_bad(verdict(altered(3, body=b"event x", entry=changed)), 3)


def test_an_entry_altered_with_its_link_is_found_at_the_next() -> None:
    """Making the link anew, too, breaks the tie to the entry after it."""
    changed = replace(LOG[2].entry, actor="mallory")
    assert_bad(verdict(altered(3, entry=changed, hash=chain(LOG[1].hash, changed))), 4)


def test_a_log_made_anew_is_found_by_the_saved_head() -> None:
    """Who writes the whole rest of the chain anew cannot make the head that was saved."""
    entries = [(link.entry, link.body or b"") for link in LOG]
    forged = linked([(replace(e, actor="mallory") if e.sequence == 3 else e, body) for e, body in entries])
    assert verdict(forged).valid
    assert not verdict(forged, HEAD).valid
    assert_bad(verdict(forged, HEAD), LENGTH)


@pytest.mark.parametrize("number", range(1, LENGTH))
def test_a_removed_entry_is_found(number: int) -> None:
    """The number that is missing is named, and said to be missing."""
    found = verdict([link for link in LOG if link.entry.sequence != number])
    assert_bad(found, number)
    assert f"entry {number} is missing" in found.problem


@pytest.mark.parametrize("number", range(1, LENGTH))
def test_a_removed_entry_is_found_if_the_rest_is_renumbered(number: int) -> None:
    """Closing the gap alters the entries that move up."""
    rest = [link for link in LOG if link.entry.sequence != number]
    moved = [replace(link, entry=replace(link.entry, sequence=n)) for n, link in enumerate(rest, 1)]
    assert_bad(verdict(moved), number)


@pytest.mark.parametrize("number", range(1, LENGTH + 1))
def test_an_inserted_entry_is_found(number: int) -> None:
    """What is put in before an entry takes a number that it cannot have."""
    forged = Link(entry(number, b"forged"), "0" * 64, b"forged")
    assert_bad(verdict([*LOG[: number - 1], forged, *LOG[number - 1 :]]), number)


def test_an_inserted_entry_with_a_right_hash_is_found_at_the_next() -> None:
    """An entry that continues the chain pushes out the one that truly did."""
    entry_in_between = entry(3, b"forged")
    forged = Link(entry_in_between, chain(LOG[1].hash, entry_in_between), b"forged")
    assert_bad(verdict([*LOG[:2], forged, *LOG[2:]]), 4)


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(range(LENGTH), 2)))
def test_reordered_entries_are_found(one: int, other: int) -> None:
    """Of two entries that changed places the first place is named."""
    links = list(LOG)
    links[one], links[other] = links[other], links[one]
    assert_bad(verdict(links), one + 1)


@pytest.mark.parametrize("kept", range(LENGTH))
def test_a_truncated_log_is_found_by_the_saved_head(kept: int) -> None:
    """Without the saved head a shorter log holds; with it the first lost entry is named."""
    assert verdict(LOG[:kept]).valid
    found = verdict(LOG[:kept], HEAD)
    assert (found.valid, found.first_bad_sequence) == (False, kept + 1)
    assert f"entry {LENGTH} was saved" in found.problem


@pytest.mark.parametrize("number", range(1, LENGTH + 1))
def test_a_saved_head_may_be_an_old_one(number: int) -> None:
    """A log that grew since its head was saved holds."""
    assert verdict(LOG, (number, LOG[number - 1].hash)).valid


@pytest.mark.parametrize("removed", [{1}, {1, 2, 3}, set(range(1, LENGTH + 1))])
def test_bodies_that_retention_removed_leave_the_chain_whole(removed: set[int]) -> None:
    """The chain covers a body by its hash, so that it holds when the body is gone."""
    links = [replace(link, body=None) if link.entry.sequence in removed else link for link in LOG]
    assert verdict(links, HEAD) == Verdict(LENGTH, *HEAD)


def test_what_is_left_of_an_entry_without_its_body_cannot_be_altered() -> None:
    """Retention opens no way to change who did what and when."""
    links = [replace(link, body=None) for link in with_field(3, "actor")]
    assert_bad(verdict(links), 3)


@pytest.mark.parametrize(("forgotten", "bad"), [(None, 0), (LENGTH, 0), (3, 0), (2, 3), (0, 1)])
def test_a_body_that_retention_did_not_remove_is_found(forgotten: int | None, bad: int) -> None:
    """Who knows how far retention has come finds what somebody else has emptied."""
    verifier = Verifier(forgotten=forgotten)
    verifier.follow([replace(link, body=None) for link in LOG[:3]] + LOG[3:])
    assert verifier.verdict().first_bad_sequence == bad


@pytest.mark.parametrize("kept", range(LENGTH + 1))
def test_a_log_that_should_be_longer_is_found(kept: int) -> None:
    """Who knows the last entry finds that it is missing, also without a saved head."""
    verifier = Verifier()
    verifier.follow(LOG[:kept])
    verifier.expect(LENGTH)
    found = verifier.verdict()
    assert (found.valid, found.first_bad_sequence) == ((True, 0) if kept == LENGTH else (False, kept + 1))


def test_the_first_of_several_bad_entries_is_named() -> None:
    """What comes after it is not looked at."""
    links = altered(2, body=b"x")
    links[3] = replace(links[3], body=b"y")
    assert_bad(verdict(links), 2)


def test_a_log_can_be_followed_piece_by_piece() -> None:
    """The verdict is the same as over the whole, also when something is wrong."""
    for links in (LOG, altered(3, body=b"x")):
        verifier = Verifier()
        for link in links:
            verifier.follow([link])
        assert verifier.verdict() == verdict(links)


@repeatable
@given(st.lists(st.integers(0, LENGTH - 1), max_size=LENGTH + 1))
def test_only_the_log_itself_holds(places: list[int]) -> None:
    """Of all logs made of the true entries only those that begin with them in order are valid."""
    is_a_beginning = places == list(range(len(places)))
    assert verdict([LOG[place] for place in places]).valid == is_a_beginning
