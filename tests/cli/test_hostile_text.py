"""Text from elsewhere can neither act on the reader's terminal nor hide from the reader."""

import shlex
from pathlib import Path

import pytest

from plangate import Client
from plangate._common.text_safety import is_hidden
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.agent.v1.tool_approval_service_pb2 import Approval, Remember, RememberScope
from tests.helpers.asking import ask_for, new_session
from tests.helpers.command_line import CommandLine
from tests.helpers.terminal import at_terminal

# Colors, a window title, an 8-bit escape, text turned around, a zero-width space, a carriage return, blank
# signs, and more accents than a letter bears.
HOSTILE = f"a\x1b[31mb\x1b]0;c\x07d\x9b2Je\u202ef\u200bg\rh\u2800i\U0001d159j\ufffck{chr(0x301) * 9}"
HARMLESS = (
    r"a\u{1b}[31mb\u{1b}]0;c\u{7}d\u{9b}2Je\u{202e}f\u{200b}g\u{d}h\u{2800}i\u{1d159}j\u{fffc}k"
    f"{chr(0x301) * 4}\\u{{301*5}}"
)


def unprintable(text: str) -> set[str]:
    """What a terminal would obey or not show, other than the ends of lines."""
    return {character for character in text if is_hidden(character)}


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
    assert f"name {HARMLESS}  (in review, revision 1, by agent {HARMLESS})\n  > overview {HARMLESS}\n" in out
    assert f"\n   1 │ # plan\n   2 │ {HARMLESS}\n" in out
    assert f"  [id {HARMLESS}] todo {HARMLESS}\n" in out
    assert f"  (after id {HARMLESS})\n" in out


def test_changes_and_comments_show_what_they_are(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """Whatever is hostile in a diff, in what was asked for and in comments is written out."""
    client.comment(plan, f"why {HOSTILE}", 2)
    client.decide(plan, "requestChanges", f"less {HOSTILE}")
    client.update_plan(client.get_plan(plan), f"# plan\nmore {HOSTILE}", todos=[f"other {HOSTILE}"])
    out = plangate("show", plan.plan_uri).out
    assert unprintable(out) == set()
    for words in (f"> why {HARMLESS}", f"> less {HARMLESS}", f"+more {HARMLESS}", f"other {HARMLESS}"):
        assert words in out
    assert f"  > why {HARMLESS}\n" in plangate("comment", "list", plan.plan_uri).out


@pytest.fixture
def call(client: Client) -> Approval:
    """A tool call with something hostile in every field that an agent can fill."""
    session = f"{new_session()} {HOSTILE}"
    ask_for(
        client,
        session,
        f"make {HOSTILE}\nrm {HOSTILE}",
        f"tool {HOSTILE}",
        call_id=f"call {HOSTILE}",
        agent_id=f"agent {HOSTILE}",
        prompt=f"because {HOSTILE}",
        metadata={f"key {HOSTILE}": f"value {HOSTILE}"},
    )
    (call,) = client.tool_calls(session_id=session)
    return call


@pytest.mark.parametrize("action", [("list",), ("show", "call"), ("answer", "call", "denied")])
def test_tool_calls_show_what_they_are(
    plangate: CommandLine, call: Approval, action: tuple[str, ...]
) -> None:
    """Whatever is hostile in a call is written out, before and after it is answered."""
    digest = ("--digest", call.digest) if action[0] == "answer" else ()
    done = plangate("approvals", *action, *digest, "--session", call.session_id)
    assert (done.code, done.err) == (0, "")
    assert unprintable(done.out) == set()
    assert f"call {HARMLESS}" in done.out


def test_what_to_type_is_one_word_for_a_shell(plangate: CommandLine, client: Client) -> None:
    """Ids are chosen by agents: whoever copies a command that is shown runs nothing else with it."""
    session = f"{new_session()}; touch there"
    ask_for(client, session, call_id="x; touch there")
    for arguments in (("approvals", "show", "x", "--session", session), ("sessions", session)):
        typed = [line for line in plangate(*arguments).out.splitlines() if line.startswith("  plangate ")]
        assert typed
        assert all(shlex.split(line)[0] == "plangate" and "touch" not in shlex.split(line) for line in typed)


def test_sessions_show_what_they_are(plangate: CommandLine, client: Client, call: Approval) -> None:
    """The id of a session and its last call are written out, in the list and alone."""
    client.answer(next(client.prompts(call.session_id)).prompt, "denied")
    for arguments in (("sessions",), ("sessions", call.session_id), ("mode", call.session_id)):
        out = plangate(*arguments).out
        assert unprintable(out) == set()
        assert f" {HARMLESS}" in out


def test_what_is_remembered_shows_what_it_is(plangate: CommandLine, client: Client) -> None:
    """A tool's name and the session of a remembered answer are written out."""
    session = f"{new_session()} {HOSTILE}"
    ask_for(client, session, "make test", f"tool {HOSTILE}")
    session_only = Remember(scope=RememberScope.REMEMBER_SCOPE_SESSION)
    client.answer(next(client.prompts(session)).prompt, "denied", remember=session_only)
    out = plangate("remembered", "list", "--session", session).out
    assert unprintable(out) == set()
    assert f"tool {HARMLESS}" in out


def test_events_show_what_they_are(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """A live line is one line, whatever somebody wrote."""
    with plangate.started("watch", "--plan", plan.plan_uri) as watching:
        waits = watching.line()
        client.comment(plan, f"why {HOSTILE}\nand {HOSTILE}")
        commented = watching.line()
    assert unprintable(waits + commented) == set()
    assert waits.endswith(f"overview {HARMLESS}  waits for a decision")
    assert commented.endswith(f"comment added by ada: why {HARMLESS}\\u{{a}}and {HARMLESS}")


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


@pytest.mark.parametrize(
    "arguments",
    [
        ("reject", "PLAN", b"no \xff", "--digest", "DIGEST"),
        ("comment", "add", "PLAN", b"why \xff"),
        ("sessions", b"\xff"),
        ("mode", b"\xff", "plan"),
        ("approvals", "--session", b"\xff"),
        ("remembered", "reset", "--session", b"\xff"),
        ("watch", "--session", b"\xff"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_what_is_no_text_is_refused(
    plangate: CommandLine, plan: Plan, arguments: tuple[str | bytes, ...]
) -> None:
    """Bytes that are not UTF-8 end a command with one line that shows them, not with a traceback."""
    real: dict[str | bytes, str] = {"PLAN": plan.plan_uri, "DIGEST": plan.digest}
    complaint = plangate(*(real.get(argument, argument) for argument in arguments)).complaint
    assert complaint.endswith("\\udcff' is not text in UTF-8: write it anew")


def test_a_terminal_that_knows_few_characters(plangate: CommandLine, plan: Plan) -> None:
    """What it cannot show is written out, and the command goes on."""
    few = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    done = CommandLine(plangate.target, plangate.folder, few).process("show", plan.plan_uri)
    assert (done.code, done.err) == (0, "")
    assert done.out.isascii()
    assert "   1 \\u2502 # plan\n" in done.out


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


@pytest.mark.parametrize(
    "arguments",
    [
        ("start", "--todo", f"id {HOSTILE}"),
        ("start", "--prompt"),
        ("run", "--agent", f"agent {HOSTILE}", "--", f"no {HOSTILE}"),
    ],
    ids=["waves", "prompt", "end"],
)
def test_a_build_shows_what_it_is(
    plangate: CommandLine, client: Client, plan: Plan, arguments: tuple[str, ...]
) -> None:
    """Waves, the prompt, progress and the end of a build have nothing raw."""
    client.decide(plan, "approve")
    subcommand, *others = arguments
    done = plangate("build", subcommand, plan.plan_uri, *others)
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
