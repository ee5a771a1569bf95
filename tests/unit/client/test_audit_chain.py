"""The client's own check of the chain: the same hashes as the server's, and the same bad entry."""

from dataclasses import replace

import pytest

from plangate._audit import BrokenChain, Chain, Entry, Head
from tests.helpers.audit_logs import exported_entries

CONTENTS = [f'{{"event":{number}}}'.encode() for number in range(1, 6)]
LOG = exported_entries(CONTENTS)
LENGTH = len(LOG)
HEAD = Head(LENGTH, LOG[-1].hash)


def followed(entries: list[Entry], saved: Head | None = None) -> Chain:
    chain = Chain("acme", saved)
    for entry in entries:
        chain.follow(entry)
    chain.end()
    return chain


def broken(entries: list[Entry], saved: Head | None = None) -> BrokenChain:
    """How a log is found not to hold."""
    with pytest.raises(BrokenChain) as caught:
        followed(entries, saved)
    assert f"entry {caught.value.sequence}" in str(caught.value)
    return caught.value


def with_entry(number: int, **changes: object) -> list[Entry]:
    log = list(LOG)
    log[number - 1] = replace(log[number - 1], **changes)  # type: ignore[arg-type]
    return log


def test_a_log_of_the_server_holds() -> None:
    """The client follows to the end what the server chained, and gives the same head."""
    assert followed(LOG).head == HEAD
    assert followed([]).head == Head()


@pytest.mark.parametrize("number", [1, 3, LENGTH])
def test_whatever_is_altered_is_found_at_its_entry(number: int) -> None:
    """The entry, its hash, or its content."""
    old = LOG[number - 1]
    for changes, problem in (
        ({"said": old.said.replace("Zoë", "Zoe")}, "was altered, or is not the one that followed"),
        ({"said": "[]"}, "was altered, or is not the one that followed"),
        ({"hash": "0" * 64}, "was altered, or is not the one that followed"),
        ({"content": b"{}"}, "the content of entry"),
        ({"content": b""}, "the content of entry"),
    ):
        found = broken(with_entry(number, **changes))
        assert found.sequence == number
        assert problem in str(found)


def test_what_is_missing_or_moved_is_named() -> None:
    """With what stands in its place."""
    assert str(broken(LOG[1:])) == "entry 1 is missing: entry 2 follows entry 0"
    assert str(broken([*LOG[:2], LOG[3]])) == "entry 3 is missing: entry 4 follows entry 2"
    assert str(broken([*LOG[:3], LOG[1]])) == "entry 4 is missing: entry 2 comes again after entry 3"


def test_a_saved_head_finds_what_was_cut_off_or_exchanged() -> None:
    """Both would hold without it; a log that only grew since holds with it, too."""
    assert str(broken(LOG[:3], HEAD)) == "entry 4 is missing: the log ends at entry 3, and entry 5 was saved"
    forged = exported_entries([*CONTENTS[:2], b"forged", *CONTENTS[3:]])
    assert followed(forged).head != HEAD
    assert str(broken(forged, HEAD)) == "entry 5 is not the one whose hash was saved"
    assert followed(LOG, Head(2, LOG[1].hash)).head == HEAD


@pytest.mark.parametrize("removed", [1, 3, LENGTH])
def test_what_retention_removes_leaves_the_chain_whole(removed: int) -> None:
    """Content goes from the oldest on; the head stays what it was, and what is gone is counted."""
    log = [replace(entry, content=None) for entry in LOG[:removed]] + LOG[removed:]
    chain = followed(log, HEAD)
    assert (chain.head, chain.without_content) == (HEAD, removed)


def test_content_that_retention_cannot_have_removed() -> None:
    """Where older content is there, the newer was taken away by somebody else."""
    assert str(broken(with_entry(4, content=None))) == "the content of entry 4 is gone, and not by retention"


def test_the_log_of_another_workspace_is_not_taken() -> None:
    """However well it is chained."""
    found = broken(exported_entries(CONTENTS, workspace="elsewhere"))
    assert str(found) == "entry 1 of workspace 'acme' says that it is entry 1 of workspace 'elsewhere'"


def test_a_head_is_read_as_it_is_printed() -> None:
    """Also that of an empty log, and however it was pasted."""
    for head in (HEAD, Head()):
        assert Head.parse(str(head)) == head
    assert Head.parse(f" {LENGTH}:{HEAD.hash.upper()}\n") == HEAD


@pytest.mark.parametrize("text", ["", "5", f":{'0' * 64}", f"0:{'0' * 64}", "5:", "5:abc", f"-1:{'0' * 64}"])
def test_what_is_no_head_is_refused(text: str) -> None:
    """Half a head would find nothing."""
    with pytest.raises(ValueError, match="is not SEQUENCE:HASH"):
        Head.parse(text)
