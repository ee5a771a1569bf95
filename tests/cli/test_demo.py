"""`plangate demo`: everything in one terminal, and nothing of it left afterwards."""

import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from tests.helpers.command_line import MAIN, CommandLine
from tests.helpers.conditions import look_until
from tests.helpers.terminal import CTRL_C, CTRL_D, Terminal, at_terminal
from tests.helpers.visitor import Visitor

pytestmark = pytest.mark.e2e

QUESTION = "decide in an[o]ther terminal? "
SETTLE = "approve as edited [a], edit again [e], forget it [f]? "
REVIEWS = "aiserver.v1.PlanReviewService"
EDITOR = """\
import pathlib, sys
path = pathlib.Path(sys.argv[1])
path.write_text(path.read_text(encoding="utf-8").replace("three notes", "3 notes"), encoding="utf-8")
"""


@pytest.fixture
def plangate(tmp_path: Path) -> CommandLine:
    """A person with settings of their own, all of which lead elsewhere."""
    for name in ("home", "tmp", "here"):
        (tmp_path / name).mkdir()
    variables = {
        "HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path / "tmp"),
        "PLANGATE_TOKEN": "of-my-own",
        "PLANGATE_CA": "missing.pem",
        "PLANGATE_DATABASE": "postgresql://nowhere/",
    }
    return CommandLine("elsewhere.example:1", tmp_path / "here", variables)


def left(plangate: CommandLine) -> list[str]:
    """The files that are there now and were not before."""
    return [str(path) for path in plangate.folder.parent.rglob("*") if not path.is_dir()]


def gates_of(plangate: CommandLine) -> list[int]:
    """The processes whose database is in the folder of temporary files."""
    folder = os.fsencode(plangate.folder.parent / "tmp")
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if folder in (process / "cmdline").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue  # it has just ended
    return found


def assert_nothing_is_left(plangate: CommandLine) -> None:
    look_until(lambda: not gates_of(plangate))
    assert left(plangate) == []
    assert list((plangate.folder.parent / "tmp").iterdir()) == []


def typed(terminal: Terminal, *answers: tuple[str, str]) -> None:
    """Answer each question when it comes, all from the first one on: the same one can come again."""
    asked: Counter[str] = Counter()
    for question, answer in answers:
        asked[question] += 1
        terminal.wait_for(question, asked[question])
        terminal.type(answer)


def test_without_a_terminal(plangate: CommandLine) -> None:
    """With --yes it plays to the end: a plan, a decision, a build, a tool call, a log that was checked."""
    done = plangate("demo", "--yes")
    assert (done.code, done.err) == (0, "")
    for shown in (
        "Publish the reading list  (in review, revision 1, by demo-agent, session demo)",
        "== The plan is approved",
        "● [gather] Put the three notes together\n",
        "The agent wants to run: cp page.md public/\n",
        "● [publish] Put the page into public/\n",
        "It made notes.txt, page.md, public/page.md, words.txt.\n",
    ):
        assert shown in done.out
    entries = re.findall(r"^(\d+) +[\d:]+Z  (.+?)  +\S+$", done.out, re.MULTILINE)
    assert [int(number) for number, _ in entries] == [*range(1, len(entries) + 1)]
    assert {what for _, what in entries} >= {"plan approved", "tool call decided", "execution completed"}
    count = len(entries)
    assert re.search(rf"every hash was checked: {count} entries, head {count}:[0-9a-f]{{64}}\n", done.out)
    assert "\x1b" not in done.out
    assert_nothing_is_left(plangate)


def test_nobody_is_there(plangate: CommandLine) -> None:
    """Without a terminal and without --yes nothing is started."""
    assert plangate("demo").complaint == "nobody is there to ask: give --yes"


def test_a_person_approves(plangate: CommandLine) -> None:
    """They see the plan and the very command, say yes twice, and watch a bar."""
    with at_terminal(plangate, "demo") as terminal:
        typed(terminal, (QUESTION, "what?\n"), (QUESTION, "a\n"), ("May it? [y/N] ", "y\n"))
        assert terminal.exit_code() == 0
    assert f"{'█' * 24} 4/4\n" in terminal.screen
    assert "every hash was checked" in terminal.screen
    assert_nothing_is_left(plangate)


def test_a_person_asks_for_changes_and_denies_the_command(plangate: CommandLine) -> None:
    """The agent answers with a revision that has what was asked for; what it may not do is left out."""
    with at_terminal(plangate, "demo") as terminal:
        changes = (QUESTION, "c\n"), ("What to change: ", "mind the cat\n")
        typed(terminal, *changes, (QUESTION, "a\n"), ("May it? [y/N] ", "n\n"))
        assert terminal.exit_code() == 0
    assert "  > mind the cat\n" in terminal.screen
    assert "  +## Asked for after revision 1\n" in terminal.screen
    assert "[asked-1] See to it: mind the cat" in terminal.screen
    assert "✕ [publish] was not allowed, and is left out\n" in terminal.screen
    assert "public/page.md" not in terminal.screen
    assert_nothing_is_left(plangate)


def test_a_person_rejects(plangate: CommandLine) -> None:
    """Nothing is built, and the exit code is that of a rejected plan."""
    with at_terminal(plangate, "demo") as terminal:
        typed(terminal, (QUESTION, "r\n"), ("What to do differently: ", "not on a Sunday\n"))
        assert terminal.exit_code() == 3
    assert "rejected, in these words: not on a Sunday: the agent stops" in terminal.screen
    assert "build started" not in terminal.screen
    assert_nothing_is_left(plangate)


def test_a_person_edits(plangate: CommandLine, tmp_path: Path) -> None:
    """What they changed in their editor is shown, and is what is built."""
    (tmp_path / "home" / "editor.py").write_text(EDITOR, encoding="utf-8")
    editor = {**plangate.variables, "EDITOR": f"{sys.executable} {tmp_path / 'home' / 'editor.py'}"}
    with at_terminal(CommandLine(plangate.target, plangate.folder, editor), "demo") as terminal:
        typed(terminal, (QUESTION, "e\n"), (SETTLE, "a\n"), ("May it? [y/N] ", "y\n"))
        assert terminal.exit_code() == 0
    assert "+    content: Put the 3 notes together" in terminal.screen
    assert "● [gather] Put the 3 notes together" in terminal.screen
    (tmp_path / "home" / "editor.py").unlink()
    assert_nothing_is_left(plangate)


def test_what_an_edit_left_cannot_be_done(plangate: CommandLine, tmp_path: Path) -> None:
    """The build has failed, and the line and the log say so; what was written was not lost before."""
    text = "---\nname: Publish\ntodos:\n  - id: publish\n    content: Put it there\n---\n\n# Publish\n"
    (tmp_path / "home" / "text").write_text(text, encoding="utf-8")
    (tmp_path / "home" / "editor").write_text(f'#!/bin/sh\ncat {tmp_path}/home/text > "$1"\n')
    editor = {**plangate.variables, "EDITOR": f"sh {tmp_path}/home/editor"}
    with at_terminal(CommandLine(plangate.target, plangate.folder, editor), "demo") as terminal:
        typed(terminal, (QUESTION, "e\n"), (SETTLE, "e\n"), (SETTLE, "a\n"), ("May it? [y/N] ", "y\n"))
        assert terminal.exit_code() == 1
    assert "✕ [publish] cp page.md public/ exited with 1\n" in terminal.screen
    assert "It made nothing.\n" in terminal.screen
    assert "execution failed" in terminal.screen
    assert "every hash was checked" in terminal.screen
    assert "Traceback" not in terminal.screen
    for name in ("text", "editor"):
        (tmp_path / "home" / name).unlink()
    assert_nothing_is_left(plangate)


def test_a_person_decides_in_another_terminal(plangate: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands that are shown lead there, whatever else is set."""
    with at_terminal(plangate, "demo") as terminal:
        typed(terminal, (QUESTION, "o\n"))
        terminal.wait_for("The agent waits.")
        unset, export, approve = re.findall(
            r"^  (unset .+|export .+|plangate .+)$", terminal.screen, re.MULTILINE
        )
        assert unset.split()[1:] == [
            *("PLANGATE_CA", "PLANGATE_DATABASE", "PLANGATE_TARGET", "PLANGATE_TOKEN", "PLANGATE_TOKEN_DIR")
        ]
        variables: Mapping[str, str] = dict(each.split("=", 1) for each in export.split()[1:])
        monkeypatch.setenv("PLANGATE_TOKEN_DIR", variables["PLANGATE_TOKEN_DIR"])
        with Client(variables["PLANGATE_TARGET"]) as client:
            (plan,) = client.list_plans(PlanState.PLAN_STATE_IN_REVIEW)
            there = CommandLine(variables["PLANGATE_TARGET"], plangate.folder)
            done = there(*approve.split()[1:], "--digest", plan.digest)
        assert (done.code, done.err) == (0, "")
        typed(terminal, ("May it? [y/N] ", "y\n"))
        assert terminal.exit_code() == 0
    assert_nothing_is_left(plangate)


async def test_a_person_decides_in_a_browser(plangate: CommandLine) -> None:
    """The link that is shown signs a browser in; the plan and the command are answered there alone."""
    with at_terminal(plangate, "demo") as terminal:
        terminal.wait_for(QUESTION)
        ((web, code),) = re.findall(r"browser, at http://(.+)/#code=(\S+)\n", terminal.screen)
        browser = Visitor(web)
        assert (await browser.sign_in(code=code)).status == 200
        ((item,),) = (await browser.call(f"{REVIEWS}/ListReviews")).body.values()
        seen = {name: item["review"][name] for name in ("approvalRequestId", "revision", "digest")}
        approve = {**seen, "humanReview": {"selectedOption": "approve"}, "requestId": "one"}
        assert (await browser.call(f"{REVIEWS}/SubmitReview", approve)).status == 200
        terminal.wait_for("that was answered elsewhere")
        terminal.wait_for("May it? [y/N] ")
        async with browser.listening() as page:
            told = await page.until("prompt")
            while "prompt" not in told.data:
                told = await page.until("prompt")
        named = {name: told.data["prompt"][name] for name in ("sessionId", "callId", "authorityToken")}
        deny = {**named, "decision": "APPROVAL_DECISION_DENIED", "requestId": "two"}
        assert (await browser.call("agent.v1.ApprovalService/ResolveApproval", deny)).status == 200
        assert terminal.exit_code() == 0
    assert "✕ [publish] was not allowed, and is left out\n" in terminal.screen
    assert terminal.screen.count("that was answered elsewhere") == 2
    assert_nothing_is_left(plangate)


@pytest.mark.parametrize("asked", [[], [(QUESTION, "a\n")]], ids=["about the plan", "about the command"])
@pytest.mark.parametrize(("key", "code"), [(CTRL_C, 130), (CTRL_D, 1)], ids=["Ctrl-C", "Ctrl-D"])
def test_whoever_leaves_leaves_nothing(
    plangate: CommandLine, asked: list[tuple[str, str]], key: str, code: int
) -> None:
    """At whichever question: the gate is ended and the folder removed, without a traceback."""
    with at_terminal(plangate, "demo") as terminal:
        typed(terminal, *asked)
        terminal.wait_for("May it? [y/N] " if asked else QUESTION)
        assert gates_of(plangate)
        terminal.type(key)
        assert terminal.exit_code() == code
    assert "Traceback" not in terminal.screen
    assert_nothing_is_left(plangate)


def test_being_ended_leaves_nothing(plangate: CommandLine) -> None:
    """So does SIGTERM, while the gate is still starting or at any other time."""
    with at_terminal(plangate, "demo") as terminal:
        terminal.wait_for("\n== A gate opens in a temporary folder.\n")
        look_until(lambda: bool(gates_of(plangate)))
        terminal.send_signal(signal.SIGTERM)
        assert terminal.exit_code() == 143
    assert_nothing_is_left(plangate)


def test_without_the_server(plangate: CommandLine) -> None:
    """Where only the client is installed, it says what to install."""
    missing = "import sys; sys.modules['sqlalchemy'] = None\nimport importlib.util as u; f = u.find_spec\n"
    missing += "u.find_spec = lambda name: None if name == 'sqlalchemy' else f(name)\n"
    done = plangate.process("demo", "--yes", main=missing + MAIN)
    assert (done.code, done.out) == (2, "")
    assert done.err == "plangate: the server is not installed: pip install 'plangate[server]'\n"
