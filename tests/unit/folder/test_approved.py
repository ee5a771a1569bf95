"""The file with the text that was approved last: whatever became of the plan, and nobody's words are lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from plangate import Client
from plangate.folder.approved import Approved
from plangate.folder.files import Directory
from plangate.folder.running import Sync
from plangate.testing import Gate
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from tests.helpers.folders import Dead, Desk, Mortal

OTHER, QUICK, WANTED = "# Other\n", "# Quick\n", "# As I want it\n"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A folder at a gate where one plan was approved, and its text is in the file."""
    desk = Desk(tmp_path / "plans")
    approve(desk, OTHER)
    look(desk)
    assert said(desk) == OTHER
    return desk


def approve(desk: Desk, text: str) -> Plan:
    with desk.gate.client() as client:
        plan = client.create_plan(text, name="Cellar")
        client.decide(plan, "approve")
        return client.get_plan(plan)


def target(desk: Desk) -> Path:
    return desk.path.parent / "PLAN.md"


def said(desk: Desk) -> str:
    return target(desk).read_text()


def beside(desk: Desk) -> dict[str, str]:
    """What else is in the folder of the file."""
    files = {each for each in desk.path.parent.iterdir() if each.is_file()} - {target(desk)}
    return {each.name: each.read_text() for each in files}


@contextmanager
def syncing(desk: Desk, mortal: Mortal | None = None) -> Iterator[Sync]:
    with desk.keeper(mortal or Mortal()) as keeper, desk.gate.client() as client:
        yield Sync(client, keeper, Approved(target(desk), client, keeper.memory.own, keeper.tell))


def look(desk: Desk, mortal: Mortal | None = None) -> None:
    """A new process looks at everything once."""
    with syncing(desk, mortal) as sync:
        sync.look_at_everything()


def completed(client: Client, plan: Plan) -> None:
    with client.build(plan):
        return


def failed(client: Client, plan: Plan) -> None:
    with client.build(plan) as build:
        build.fail()


def rejected_after_a_revision(client: Client, plan: Plan) -> None:
    client.decide(client.update_plan(plan, "# Not this\n"), "reject", "no")


AFTER: dict[str, Callable[[Client, Plan], object]] = {
    "completed": completed,
    "failed": failed,
    "withdrawn": lambda client, plan: client.withdraw(plan),
    "revised": lambda client, plan: client.update_plan(plan, "# Not this yet\n"),
    "rejected after a revision": rejected_after_a_revision,
}


@pytest.mark.parametrize("after", AFTER)
def test_whatever_became_of_the_plan(desk: Desk, after: str) -> None:
    """What was approved last counts, also if nobody looked before the plan went on; and it stays."""
    plan = approve(desk, QUICK)
    with desk.gate.client() as client:
        AFTER[after](client, plan)
    for _ in range(2):
        look(desk)
        assert said(desk) == QUICK


def test_what_a_person_edited_is_what_was_approved(desk: Desk) -> None:
    """Not what was asked about, also when there is a newer revision by now."""
    with desk.gate.client() as client:
        plan = client.create_plan(QUICK, name="Cellar")
        client.decide(plan, "edit", edited=WANTED)
        client.update_plan(client.get_plan(plan), "# Not this yet\n")
    look(desk)
    assert said(desk) == WANTED


def test_a_plan_that_is_over_when_its_news_is_heard(desk: Desk) -> None:
    """While it runs, the gate says that a plan moved; by then it may be built already."""
    with syncing(desk) as sync, desk.gate.client() as client:
        plan = approve(desk, QUICK)
        completed(client, plan)
        sync._plans.add(plan.plan_id)
        sync._everything = False
        sync._do()
    assert said(desk) == QUICK


def test_a_file_that_was_there_before_is_set_aside(tmp_path: Path) -> None:
    """Somebody wrote it by hand: it is kept beside the approved text, and they are told where."""
    desk = Desk(tmp_path / "plans")
    target(desk).write_text("mine")
    look(desk)
    assert (said(desk), desk.told) == ("mine", [])  # nothing is approved
    approve(desk, OTHER)
    look(desk)
    assert (said(desk), beside(desk)) == (OTHER, {"PLAN.conflict-0.md": "mine"})
    assert desk.told == [
        f"{target(desk)}: only what was approved is in this file: your text is in PLAN.conflict-0.md"
    ]


def test_what_somebody_changes_in_it_is_set_aside(desk: Desk) -> None:
    """Each under a name of its own, named after the revision that was changed; what was approved is back."""
    for words in ("mine", "mine, too"):
        target(desk).write_text(words)
        look(desk)
        assert said(desk) == OTHER
    target(desk).write_text("mine again")
    approve(desk, QUICK)
    look(desk)
    names = ["PLAN.conflict-1.md", "PLAN.conflict-1-2.md", "PLAN.conflict-1-3.md"]
    assert beside(desk) == dict(zip(names, ["mine", "mine, too", "mine again"], strict=True))
    assert (said(desk), len(desk.told)) == (QUICK, 3)


def test_a_file_that_was_deleted_is_written_again(desk: Desk) -> None:
    """There is nothing to lose."""
    target(desk).unlink()
    look(desk)
    assert (said(desk), beside(desk), desk.told) == (OTHER, {}, [])


@pytest.mark.parametrize("mine", ["", "mine"])
def test_between_any_two_steps(tmp_path: Path, mine: str) -> None:
    """Whichever step the process did not come to: nobody's text is lost, and ours is never set aside."""
    for dies_before in range(1, 100):
        desk = Desk(tmp_path / str(dies_before) / "plans")
        desk.path.parent.mkdir()
        approve(desk, OTHER)
        look(desk)
        approve(desk, QUICK)
        if mine:
            target(desk).write_text(mine)
        try:
            look(desk, Mortal(dies_before))
            over = True
        except Dead:
            over = False
        approve(desk, WANTED)
        look(desk)
        kept = {name: words for name, words in beside(desk).items() if not name.endswith(".part")}
        assert (said(desk), [*kept.values()]) == (WANTED, [mine] if mine else [])
        if over:
            return
    raise AssertionError("it has more steps than any look can have")


def test_an_approval_at_another_gate_keeps_nothing_out(desk: Desk) -> None:
    """Its plan is not there, so whatever was approved here counts; and our own old text is not set aside."""
    elsewhere = Desk(desk.path)
    elsewhere.gate = Gate()
    with elsewhere.gate.client() as client:
        old = client.create_plan(QUICK, name="Cellar")
        client.decide(old, "approve")
    approve(desk, WANTED)
    look(desk)
    look(elsewhere)
    assert (said(desk), beside(desk)) == (QUICK, {})


def test_only_one_session_counts(desk: Desk) -> None:
    """What was noted of another one keeps nothing out, however new it is."""
    with desk.keeper(Mortal()) as keeper, desk.gate.client() as client:
        ours = client.create_plan(QUICK, session_id="s")
        client.decide(ours, "approve")
        client.decide(client.create_plan(WANTED, session_id="t"), "approve")
        for session, text in (("t", WANTED), ("s", QUICK), ("nobody's", QUICK)):
            Approved(target(desk), client, keeper.memory.own, keeper.tell, session).look(client.list_plans())
            assert said(desk) == text


def test_a_save_between_look_and_write_is_not_written_over(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is faster finds their text beside the file."""
    write = Directory._write

    def save_and_write(self: Directory, name: str, data: bytes, mode: int | None) -> None:
        write(self, name, data, mode)
        if data == QUICK.encode():
            monkeypatch.undo()
            target(desk).write_text("mine")

    approve(desk, QUICK)
    monkeypatch.setattr(Directory, "_write", save_and_write)
    look(desk)
    assert (said(desk), beside(desk)) == (QUICK, {"PLAN.conflict-1.md": "mine"})
