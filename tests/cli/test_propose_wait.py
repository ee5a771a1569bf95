"""`plangate propose --wait`: the exit code tells a script what people decided."""

import signal
from pathlib import Path

import pytest

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from tests.helpers.command_line import MAIN, CommandLine, Done

DECISIONS: dict[str, tuple[tuple[str, ...], Done]] = {
    "approve": ((), Done(0, "approved by ada\n", "")),
    "reject": (
        ("not on a Sunday\nask Ada",),
        Done(3, "rejected by ada\nnot on a Sunday\nask Ada\n", ""),
    ),
    "request-changes": (("sweep first",), Done(5, "changes requested by ada\nsweep first\n", "")),
}

# The command, and a line for each event, so that a test knows when its stream is open.
TELLING_EVENTS = f"""
from plangate import Client

follow = Client._follow

def telling(client, stream):
    for event in follow(client, stream):
        print("an event", flush=True)
        yield event

Client._follow = telling
{MAIN}
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "plan.md"
    path.write_text("# Tidy the cellar\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("decision", DECISIONS)
def test_the_decision_ends_the_wait(plangate: CommandLine, client: Client, file: str, decision: str) -> None:
    """Who decided, what and why is printed, and each decision has an exit code of its own."""
    words, ending = DECISIONS[decision]
    with plangate.started("propose", file, "--wait") as waiting:
        assert waiting.line().endswith(" is in review")
        plan = client.get_plan(waiting.line())
        assert not waiting.is_over
        decided = plangate(decision, plan.plan_id, *words, "--digest", plan.digest)
        assert (decided.code, decided.err) == (0, "")
        assert waiting.done() == ending


def test_another_agents_text_ends_the_wait(plangate: CommandLine, client: Client, file: str) -> None:
    """Nobody decided about this one any more: it says whose text took its place, and is no yes."""
    with plangate.started("propose", file, "--agent", "tidy-bot", "--wait") as waiting:
        waiting.line()
        plan = client.get_plan(waiting.line())
        newer = client.update_plan(plan, "# Tidy the attic", agent_id="other-bot")
        client.decide(newer, "approve")
        words = "revision 2 by other-bot took its place: this text was not decided about"
        assert waiting.done() == Done(6, f"superseded\n{words}\n", "")
    shown = plangate("show", plan.plan_uri, "--revision", "1").out
    assert "superseded: a newer text of the plan took its place, revision 2 by other-bot\n" in shown


@pytest.mark.parametrize("agent", [[], ["--agent", "tidy-bot"]], ids=["nameless", "named"])
def test_another_file_of_the_same_agent_ends_the_wait(
    plangate: CommandLine, client: Client, file: str, tmp_path: Path, agent: list[str]
) -> None:
    """A script that proposed one text is not told yes to another, which took its place in the session."""
    other = tmp_path / "other.md"
    other.write_text("# Tidy the attic\n", encoding="utf-8")
    session = ["--session", tmp_path.name, *agent]
    with plangate.started("propose", file, *session, "--wait") as waiting:
        waiting.line()
        plan = client.get_plan(waiting.line())
        assert plangate("propose", str(other), *session).code == 0
        newer = client.get_plan(plan)
        assert (newer.revision, newer.plan) == (2, "# Tidy the attic\n")
        client.decide(newer, "approve")
        done = waiting.done()
    assert (done.code, done.out.splitlines()[0]) == (6, "superseded")
    assert done.out.splitlines()[1].startswith("revision 2 by ")
    assert done.out.splitlines()[1].endswith("took its place: this text was not decided about")


def test_what_a_person_saved_is_an_edit_of_the_text(
    plangate: CommandLine, client: Client, address: str, file: str
) -> None:
    """Approved then, it is a yes to whoever proposed the text."""
    with plangate.started("propose", file, "--wait") as waiting:
        waiting.line()
        plan = client.get_plan(waiting.line())
        with Client(address, role="reviewer") as person:
            person.decide(person.update_plan(plan, "# Tidy the cellar well"), "approve")
        assert waiting.done().code == 0


def test_interrupting_the_wait_leaves_the_review_open(
    plangate: CommandLine, client: Client, file: str
) -> None:
    """Ctrl-C ends the command as shells expect, without a traceback, and people can still decide."""
    with plangate.started("propose", file, "--wait", main=TELLING_EVENTS) as waiting:
        waiting.line()
        plan_uri = waiting.line()
        assert waiting.line() == "an event"
        waiting.process.send_signal(signal.SIGINT)
        assert waiting.done() == Done(130, "", "")
    assert client.get_plan(plan_uri).state == PlanState.PLAN_STATE_IN_REVIEW
