"""Text from elsewhere can neither act on the reader's terminal nor hide from the reader."""

from pathlib import Path

import pytest

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from tests.helpers.command_line import CommandLine
from tests.helpers.terminal import at_terminal

# Colors, a window title, an 8-bit escape, a bidirectional override, a zero-width space, a carriage return.
HOSTILE = "a\x1b[31mb\x1b]0;c\x07d\x9b2Je\u202ef\u200bg\rh"
HARMLESS = r"a\u{1b}[31mb\u{1b}]0;c\u{7}d\u{9b}2Je\u{202e}f\u{200b}g\u{d}h"


def unprintable(text: str) -> set[str]:
    """What a terminal would obey or not show, other than the ends of lines."""
    return {character for character in text if not character.isprintable()} - {"\n"}


@pytest.fixture
def plan(client: Client) -> Plan:
    """A plan with something hostile in every field that an agent can fill."""
    return client.create_plan(
        f"# plan\n{HOSTILE}",
        name=f"name {HOSTILE}",
        overview=f"overview {HOSTILE}",
        todos=[
            TodoItem(id=f"id {HOSTILE}", content=f"todo {HOSTILE}"),
            TodoItem(content="after", dependencies=[f"id {HOSTILE}"]),
        ],
        agent_id=f"agent {HOSTILE}",
    )


def test_pending_shows_what_it_is(plangate: CommandLine, plan: Plan) -> None:
    """A hostile name or author is written out in the list."""
    out = plangate("pending").out
    assert unprintable(out) == set()
    assert f"{plan.plan_id[-8:]}  name {HARMLESS}  agent {HARMLESS}  2" in out


def test_show_shows_what_it_is(plangate: CommandLine, plan: Plan) -> None:
    """Whatever is hostile in name, author, overview, text and todos is written out."""
    out = plangate("show", plan.plan_uri).out
    assert unprintable(out) == set()
    assert f"name {HARMLESS}  (in review, revision 1, by agent {HARMLESS})\noverview {HARMLESS}\n" in out
    assert f"\n# plan\n{HARMLESS}\n" in out
    assert f"\n  1. [id {HARMLESS}] todo {HARMLESS}\n" in out
    assert f"  (after id {HARMLESS})\n" in out


def test_the_question_shows_what_it_is(plangate: CommandLine, plan: Plan) -> None:
    """Nothing raw reaches the screen of a person who is asked."""
    with at_terminal(plangate, "approve", plan.plan_uri) as terminal:
        terminal.wait_for("[y/N] ")
        assert unprintable(terminal.screen) == set()


def test_feedback_is_shown_as_what_it_is(plangate: CommandLine, client: Client, tmp_path: Path) -> None:
    """Hostile feedback is written out for whoever waits; its lines stay lines."""
    (tmp_path / "plan.md").write_text("# Tidy the cellar", encoding="utf-8")
    with plangate.started("propose", "plan.md", "--wait") as waiting:
        waiting.line()
        client.decide(client.get_plan(waiting.line()), "reject", f"no {HOSTILE}\nnever {HOSTILE}")
        done = waiting.done()
    assert done.out == f"rejected by ada\nno {HARMLESS}\nnever {HARMLESS}\n"


@pytest.mark.parametrize("named", [f"no plan {HOSTILE}", "name"], ids=["unknown", "ambiguous"])
def test_complaints_are_harmless(plangate: CommandLine, client: Client, plan: Plan, named: str) -> None:
    """What a complaint quotes is written out: the words that were given, the names that fit them."""
    client.create_plan("# plan", name=f"name {HOSTILE}")
    assert unprintable(plangate("show", named).complaint) == set()


def test_propose_names_the_plan_harmlessly(plangate: CommandLine) -> None:
    """The file name that is printed for a proposed plan has nothing hostile left of the plan's name."""
    done = plangate("propose", "-", "--name", HOSTILE, "--todo", HOSTILE, stdin=HOSTILE.encode())
    assert done.code == 0
    assert unprintable(done.out) == set()


def test_todos_show_what_they_are(plangate: CommandLine, plan: Plan) -> None:
    """Ids, contents, dependencies and agents of todos are written out in the table."""
    out = plangate("todos", plan.plan_uri).out
    assert unprintable(out) == set()
    assert f"id {HARMLESS}" in out
    assert f"todo {HARMLESS}" in out


def test_a_build_shows_what_it_is(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """Waves, the prompt, progress and the end of a build have nothing raw."""
    client.decide(plan, "approve")
    for arguments in (
        ("start", plan.plan_uri, "--todo", f"id {HOSTILE}", "--lease", "1s"),
        ("start", plan.plan_uri, "--todo", "todo-2", "--prompt"),
        ("run", plan.plan_uri, "--agent", f"agent {HOSTILE}", "--", f"no {HOSTILE}"),
    ):
        done = plangate("build", *arguments)
        assert unprintable(done.out + done.err) == set()
        assert HARMLESS in done.out + done.err


def test_files_are_named_harmlessly(plangate: CommandLine) -> None:
    """What import and export say about files and what is in them is written out."""
    (plangate.folder / f"{HOSTILE}.md").write_text(f"---\nname: a: b\n---\n{HOSTILE}", encoding="utf-8")
    (plangate.folder / f"{HOSTILE}.json").write_text('{"x": 1}', encoding="utf-8")
    imported = plangate("import", f"{HOSTILE}.md", f"{HOSTILE}.json", f"{HOSTILE}.txt")
    assert imported.code == 1
    assert unprintable(imported.out + imported.err) == set()
    exported = plangate("export", imported.out.split()[-4], "--output", f"{HOSTILE}.txt")
    assert exported.code == 0, exported.err
    assert unprintable(exported.out) == set()


def test_deciding_names_the_plan_harmlessly(plangate: CommandLine, plan: Plan) -> None:
    """The file name that is printed for a decided plan has nothing hostile left of the plan's name."""
    done = plangate("approve", plan.plan_uri, "--digest", plan.digest)
    assert done.code == 0
    assert unprintable(done.out) == set()
