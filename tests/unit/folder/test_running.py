"""What is looked at, and when: files when they are quiet, plans when the gate is there, nothing twice."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from plangate import errors
from plangate.folder import hearing, running
from plangate.folder.hearing import Blind, Everything, Heard, Moved, Queue, Touched, Trouble
from plangate.folder.running import CannotWatch, Sync
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from tests.helpers.conditions import PATIENCE
from tests.helpers.folders import Desk, Mortal


class Clock:
    """The time of the module, which passes only when somebody waits."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def time_ns(self) -> int:
        return 0  # so that no file was written just now

    def advance(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(running, "time", clock)
    return clock


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path / "plans")
    desk.propose()
    return desk


@pytest.fixture
def sync(desk: Desk, clock: Clock) -> Iterator[Sync]:
    """In step, with nothing to do."""
    with desk.keeper(Mortal()) as keeper, desk.gate.client() as client:
        sync = Sync(client, keeper)
        turn(sync)
        yield sync


def turn(sync: Sync, *said: Heard) -> None:
    """Let it hear this, and do what there is to do now."""
    heard: Queue = queue.SimpleQueue()
    for each in (*said, Touched(frozenset())):
        heard.put(each)
    turns = iter([True, False])
    sync.run(heard, lambda: next(turns))


def test_it_begins_with_everything(sync: Sync, desk: Desk) -> None:
    """Every plan that is alive has its file."""
    assert desk.read().body == desk.plan.plan


def test_a_plan_that_moved_is_looked_at(sync: Sync, desk: Desk) -> None:
    """The gate says which; what it says by then counts."""
    desk.revise("# Other words\n")
    turn(sync)
    assert desk.read().body != "# Other words\n"
    turn(sync, Moved(desk.plan_uri), Moved(desk.plan_uri))
    assert desk.read().body == "# Other words\n"


def test_a_file_is_looked_at_when_it_is_quiet(sync: Sync, desk: Desk, clock: Clock) -> None:
    """Not before nobody has written to it for a while, however often that begins anew."""
    touched = Touched(frozenset({desk.file.name}))
    for number in (1, 2, 3):
        desk.edit(body=f"# Mine {number}\n")
        turn(sync, touched)
        clock.advance(running.QUIET_SECONDS * 0.9)
        turn(sync)
        assert desk.plan.revision == 1
    desk.edit(body="# Mine, without a word to anybody\n")
    clock.advance(running.QUIET_SECONDS)
    turn(sync)
    assert desk.plan.revision == 1
    clock.advance(running.QUIET_SECONDS)
    turn(sync)
    assert (desk.plan.revision, desk.plan.plan) == (2, "# Mine, without a word to anybody\n")


def test_news_of_the_gate_do_not_disturb_somebody_who_writes(sync: Sync, desk: Desk, clock: Clock) -> None:
    """A file that is being written is not read because its plan moved, but when it is quiet."""
    desk.edit(body="# Mi")
    desk.progress("sort", 3)  # type: ignore[arg-type]
    turn(sync, Touched(frozenset({desk.file.name})), Moved(desk.plan_uri))
    assert desk.plan.revision == 1
    desk.edit(body="# Mine\n")
    turn(sync, Touched(frozenset({desk.file.name})))
    clock.advance(running.QUIET_SECONDS)
    turn(sync)
    assert (desk.plan.revision, desk.read().todos[0].status) == (2, "completed")


def test_a_file_that_was_written_just_now_waits(desk: Desk, clock: Clock, monkeypatch: Any) -> None:
    """Also at the start, when nobody was told that somebody writes."""
    desk.look()
    desk.edit(body="# Mine\n")
    monkeypatch.setattr(clock, "time_ns", lambda: desk.file.stat().st_mtime_ns + 1)
    with desk.keeper(Mortal()) as keeper, desk.gate.client() as client:
        sync = Sync(client, keeper)
        turn(sync)
        assert desk.plan.revision == 1
        monkeypatch.setattr(clock, "time_ns", lambda: 0)
        clock.advance(running.QUIET_SECONDS)
        turn(sync)
        assert desk.plan.revision == 2


def test_a_gate_that_is_away_is_said_once_and_forgets_nothing(
    sync: Sync, desk: Desk, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was to be looked at is looked at when it is back."""
    away = errors.GateUnreachable("no gate at 127.0.0.1:1", code=grpc.StatusCode.UNAVAILABLE)

    def gone(*_: Any) -> Plan:
        raise away

    monkeypatch.setattr(sync.gate, "get_plan", gone)
    monkeypatch.setattr(sync.gate, "list_plans", gone)
    desk.revise("# Other words\n")
    turn(sync, Moved(desk.plan_uri))
    turn(sync, Trouble(away))
    assert len(desk.told) == 1
    assert desk.told[0].endswith("trying again")
    monkeypatch.undo()
    monkeypatch.setattr(running, "time", clock)
    clock.advance(hearing.RETRY_SECONDS)
    turn(sync)
    assert (desk.read().body, desk.told[1:]) == ("# Other words\n", [": the gate is back"])


def test_what_time_does_not_cure_ends_it(sync: Sync) -> None:
    """Credentials that are not taken, and a folder that cannot be watched."""
    refused = errors.InvalidCredentials("unknown token", code=grpc.StatusCode.UNAUTHENTICATED)
    with pytest.raises(errors.InvalidCredentials):
        turn(sync, Trouble(refused))
    with pytest.raises(CannotWatch, match="too many"):
        turn(sync, Blind("too many watches"))


def test_a_file_without_a_plan_is_said_once(sync: Sync, desk: Desk, clock: Clock) -> None:
    """Not one that is gone again, one of ours that was set aside, or one that an editor hides."""
    for name in ("mine.plan.md", "cellar.conflict-1.plan.md", ".mine.plan.md", "gone.plan.md"):
        (desk.path / name).write_text("# Mine\n")
    names = frozenset({"mine.plan.md", "cellar.conflict-1.plan.md", ".mine.plan.md", "gone.plan.md"})
    turn(sync, Touched(names))
    (desk.path / "gone.plan.md").unlink()
    for _ in range(3):
        clock.advance(running.QUIET_SECONDS)
        turn(sync, Everything())
    assert [line.partition(":")[0] for line in desk.told] == ["mine.plan.md"]


def test_plans_that_are_over_are_not_asked_for_again(sync: Sync, desk: Desk) -> None:
    """Unless their file has changed; and a plan that the gate does not have is said."""
    with desk.gate.client() as client:
        client.withdraw(desk.plan_uri)
    turn(sync, Moved(desk.plan_uri))
    plan_id = desk.plan.plan_id
    assert not sync.keeper.may_have_changed(plan_id)
    desk.file.write_bytes(desk.file.read_bytes() + b"more\n")
    assert sync.keeper.may_have_changed(plan_id)
    sync.keeper.leave_behind(plan_id)
    assert desk.told[-1].endswith("its plan is not at this gate; the file is left alone")


def event(kind: str, plan_uri: str = "") -> ReviewEvent:
    return ReviewEvent(type=ReviewEventType.Value(f"REVIEW_EVENT_TYPE_{kind}"), plan_uri=plan_uri)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([event("SNAPSHOT", "a"), event("CHECKPOINT")], [Everything()]),
        ([event("CHECKPOINT"), event("CHECKPOINT")], [Everything()]),
        ([event("CHECKPOINT"), event("PLAN_UPDATED", "a")], [Everything(), Moved("a")]),
        ([event("CHECKPOINT"), event("DRAFT_UPDATED", "a")], [Everything()]),
        (
            [event("CHECKPOINT"), event("SNAPSHOT", "a"), event("CHECKPOINT")],
            [Everything(), Everything()],
        ),
    ],
)
def test_what_the_gate_tells(events: list[ReviewEvent], expected: list[Heard]) -> None:
    """All, when a stream begins or has missed something; else the plan that something happened to."""
    assert list(hearing.news(iter(events))) == expected


def test_a_folder_that_cannot_be_watched_is_told(tmp_path: Path) -> None:
    """Whoever waits for news of it must know that none will come."""
    heard: Queue = queue.SimpleQueue()
    hearing.hear_folder(tmp_path / "nowhere", heard)
    assert isinstance(heard.get(timeout=PATIENCE), Blind)
