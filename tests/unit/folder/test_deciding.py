"""What is to be done about a plan and its file: from three facts, without a gate and without files."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate.folder.content import Content
from plangate.folder.deciding import (
    PROGRESS,
    Accept,
    Action,
    GateSide,
    InStep,
    Leave,
    Missing,
    Nothing,
    Readable,
    Send,
    SetAside,
    Unusable,
    Write,
    decide,
)

FILE = "cellar_0123abcd.plan.md"
OLD, NEW = (Content("Cellar", "", text, (("a", "Sort", ()),), (), False, False) for text in ("old", "new"))
GATE = GateSide(FILE, 3, OLD, {"a": "pending"}, has_file=True)
SAME = Readable("h1", OLD, {"a": "pending"})
EDITED = Readable("h2", NEW, {"a": "pending"})
BASE = InStep(FILE, 3, "h1")
AHEAD = replace(GATE, revision=4, content=NEW)


@pytest.mark.parametrize(
    ("gate", "file", "base", "expected"),
    [
        (GATE, Missing(), None, Write("")),
        (replace(GATE, has_file=False), Missing(), None, Nothing()),
        (GATE, SAME, BASE, Nothing()),
        (AHEAD, SAME, BASE, Write("h1")),
        (replace(GATE, statuses={"a": "completed"}), SAME, BASE, Write("h1")),
        (replace(GATE, file="attic_0123abcd.plan.md"), SAME, BASE, Write("h1")),
        (GATE, EDITED, BASE, Send("h2", 3)),
        (replace(AHEAD, content=replace(NEW, plan="other")), EDITED, BASE, Send("h2", 3)),
        (AHEAD, EDITED, BASE, Accept("h2")),
        (GATE, replace(SAME, hash="h2"), BASE, Accept("h2")),
        (GATE, Readable("h2", OLD, {"a": "completed"}), BASE, Write("h2", PROGRESS)),
        (GATE, Missing(), BASE, Nothing()),
        (replace(GATE, statuses={"a": "completed"}), Missing(), BASE, Nothing()),
        (AHEAD, Missing(), BASE, Write("")),
        (GATE, SAME, None, Accept("h1")),
        (GATE, EDITED, None, SetAside("h2", 0)),
        (GATE, Unusable("line 3: no"), BASE, Leave("line 3: no")),
        (AHEAD, Unusable("line 3: no"), BASE, Leave("line 3: no")),
        (GATE, Unusable("line 3: no"), None, Leave("line 3: no")),
    ],
)
def test_every_case(gate: GateSide, file: Missing | Readable, base: InStep | None, expected: Action) -> None:
    """Each side alone, both, neither, and what the folder knows nothing of."""
    assert decide(gate, file, base) == expected


contents = st.sampled_from([OLD, NEW, replace(OLD, plan="other")])
statuses = st.sampled_from([{"a": "pending"}, {"a": "completed"}])
revisions = st.integers(1, 3)
names = st.sampled_from([FILE, "attic_0123abcd.plan.md"])
gates = st.builds(GateSide, names, revisions, contents, statuses, st.booleans())
readable = st.builds(Readable, st.sampled_from(["h1", "h2"]), contents, statuses)
files = st.one_of(st.just(Missing()), st.just(Unusable("no")), readable)
bases = st.one_of(st.none(), st.builds(InStep, names, revisions, st.sampled_from(["h1", "h2"])))


@given(gates, files, bases)
def test_a_text_of_a_person_is_never_written_over(
    gate: GateSide, file: Missing | Unusable | Readable, base: InStep | None
) -> None:
    """What is replaced is what the gate has, or what was in step before; and only what was looked at."""
    action = decide(gate, file, base)
    if isinstance(action, Write) and isinstance(file, Readable):
        assert action.over == file.hash
        assert file.content == gate.content or (base is not None and file.hash == base.hash)
    elif isinstance(action, Write):
        assert (file, action.over) == (Missing(), "")


@given(gates, files, bases)
def test_only_what_a_person_wrote_is_sent(
    gate: GateSide, file: Missing | Unusable | Readable, base: InStep | None
) -> None:
    """A file as the folder left it is no edit, and an edit is based on what the file was made from."""
    action = decide(gate, file, base)
    if isinstance(action, Send):
        assert isinstance(file, Readable)
        assert base is not None
        assert action == Send(file.hash, base.revision)
        assert file.hash != base.hash
        assert file.content != gate.content


@given(gates, files, bases)
def test_what_was_done_needs_nothing_more(
    gate: GateSide, file: Missing | Unusable | Readable, base: InStep | None
) -> None:
    """After it is written or accepted, the two are at rest."""
    match decide(gate, file, base):
        case Write():
            written = Readable("h3", gate.content, gate.statuses)
            assert decide(gate, written, InStep(gate.file, gate.revision, "h3")) == Nothing()
        case Accept(hash):
            name = base.file if base else gate.file
            assert decide(gate, file, InStep(name, gate.revision, hash)) == Nothing()
        case _:
            return
