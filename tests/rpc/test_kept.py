"""What is kept of plans has a bound, which counts what is kept alive along with it."""

from msgspec.structs import replace

from plangate_server.rpc import kept
from plangate_server.rpc.convert import Shown
from tests.helpers.lives import proposed

SIZE = kept.MAX_BYTES // 4


def test_summaries_do_not_keep_all_the_texts_that_they_are_of() -> None:
    """A small message of a large revision counts as much as the revision, and soon gives way to others."""
    head = proposed().revision
    shown = Shown()
    revisions = [
        replace(head, number=number, content=replace(head.content, plan=str(number) * SIZE))
        for number in range(1, 9)
    ]
    first = shown.summaries.of(revisions[0])
    assert shown.summaries.of(revisions[0]) is first
    for each in revisions[1:]:
        shown.summaries.of(each)
    assert shown.summaries.of(revisions[0]) is not first


def test_what_takes_the_place_of_another_is_counted_once() -> None:
    """Putting the same thing again and again leaves room for others."""
    found: kept.Bounded[str, str] = kept.Bounded()
    found.put("other", "stays", SIZE)
    for _ in range(100):
        found.put("same", "value", SIZE)
    assert found.get("other") == "stays"
