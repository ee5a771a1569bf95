"""`plangate completion`: shells complete what the parsers know, and the names of plans."""

from __future__ import annotations

import os
import pty
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event, Timer

import pytest

from plangate import Client
from plangate.cli import _completion_plans
from plangate.cli._commands import OF_THE_SERVER, SUMMARIES
from plangate.cli._surface import surfaces
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import ListPlansResponse
from tests.helpers.command_line import CommandLine, Done
from tests.helpers.conditions import PATIENCE
from tests.helpers.listeners import answering
from tests.helpers.terminal import Terminal

pytestmark = pytest.mark.ui

Complete = Callable[[str], set[str]]
BASH = """
source ./script
read -ra COMP_WORDS <<< "$LINE"
[[ "$LINE" == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { compgen -f -- "${COMP_WORDS[COMP_CWORD]}"; }
_plangate
printf '%s\\n' "${COMPREPLY[@]}"
"""
ZSH = """
autoload -Uz compinit
compinit -D -u
source ./script
zstyle ':completion:*' list-prompt ''
zstyle ':completion:*' list-separator '#'
LISTMAX=10000 PS1='ready> '
"""


@pytest.fixture
def shell_folder(plangate: CommandLine) -> Path:
    """Where shells are started: `plangate` is on their path."""
    script = plangate.folder / "bin" / "plangate"
    script.parent.mkdir()
    patient = f"from plangate.cli import _completion_plans as plans; plans.SECONDS = {PATIENCE}"
    main = f"import sys; {patient}; from plangate.cli import main; sys.exit(main())"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "{main}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return plangate.folder


def environment(plangate: CommandLine, **more: str) -> dict[str, str]:
    path = os.pathsep.join((str(plangate.folder / "bin"), os.environ.get("PATH", os.defpath)))
    return {**plangate.environment(), "PATH": path, "HOME": str(plangate.folder), "TERM": "dumb", **more}


def needs(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed: apt-get install {shell}")


@pytest.fixture(params=["bash", "fish"])
def complete(request: pytest.FixtureRequest, plangate: CommandLine, shell_folder: Path) -> Complete:
    """What a shell offers for a line, asked of the shell itself."""
    shell: str = request.param
    needs(shell)
    (shell_folder / "script").write_text(plangate("completion", shell).out, encoding="utf-8")
    command = ["bash", "--norc", "-c", BASH]
    if shell == "fish":
        command = ["fish", "--no-config", "-c", 'source ./script; complete -C "$LINE"']

    def completed(line: str) -> set[str]:
        env = environment(plangate, LINE=line)
        done = subprocess.run(
            command, cwd=shell_folder, env=env, check=True, capture_output=True, text=True, timeout=PATIENCE
        )
        assert done.stderr == ""
        return {each.partition("\t")[0] for each in done.stdout.splitlines() if each}

    return completed


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever pressed Tab inside the tests waits for as long as it takes."""
    monkeypatch.setattr(_completion_plans, "SECONDS", PATIENCE)


@pytest.fixture
def plan(client: Client) -> Plan:
    return client.create_plan("# Tidy the cellar", name="Completed by shells")


def test_commands(complete: Complete) -> None:
    """Every command is offered, or those that begin like the word."""
    assert complete("plangate ") == set(SUMMARIES)
    assert complete("plangate app") == {"approve", "approvals"}


def test_actions(complete: Complete) -> None:
    """So are the actions of a command."""
    for name, command in surfaces().items():
        if command.actions:
            assert complete(f"plangate {name} ") == set(command.actions)


def test_options(complete: Complete) -> None:
    """Every option of every command and action is offered."""
    for name in ("propose", "build start", "token create", "export"):
        command, _, action = name.partition(" ")
        surface = surfaces()[command]
        surface = surface.actions[action] if action else surface
        assert complete(f"plangate {name} --") >= {
            option.flag for option in surface.options if option.flag != "--help"
        }


def test_choices(complete: Complete) -> None:
    """An option with choices offers them; what takes any text offers nothing."""
    assert complete("plangate token create --role ") == {"agent", "reviewer", "observer", "admin"}
    assert complete("plangate propose --name ") == set()


def test_plans(complete: Complete, plan: Plan) -> None:
    """Where a plan is wanted, the gate's plans are offered."""
    for line in ("plangate show ", "plangate build start --agent me ", "plangate reject compl"):
        assert plan.file_name in complete(line)


def test_files(complete: Complete) -> None:
    """Where a file is wanted, files are offered."""
    for line in ("plangate propose scr", "plangate export --output scr", "plangate import a.md scr"):
        assert complete(line) == {"script"}


def test_only_the_first_word_is_a_plan(plangate: CommandLine, shell_folder: Path, plan: Plan) -> None:
    """In bash, the words of a rejection are not taken for plans."""
    needs("bash")
    (shell_folder / "script").write_text(plangate("completion", "bash").out, encoding="utf-8")
    env = environment(plangate, LINE=f"plangate reject {plan.file_name} compl")
    done = subprocess.run(
        ["bash", "--norc", "-c", BASH],
        cwd=shell_folder,
        env=env,
        check=True,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.stdout == "\n"


def test_zsh(plangate: CommandLine, client: Client, shell_folder: Path) -> None:
    """At a terminal, Tab completes commands, actions, options, choices, plans and files."""
    needs("zsh")
    plan = client.create_plan("# Tidy the cellar", name="Only for zsh")
    (shell_folder / "script").write_text(plangate("completion", "zsh").out, encoding="utf-8")
    (shell_folder / ".zshrc").write_text(ZSH, encoding="utf-8")
    keyboard, line = pty.openpty()
    with subprocess.Popen(
        ["zsh", "-i", "-d"],
        stdin=line,
        stdout=line,
        stderr=line,
        cwd=shell_folder,
        env=environment(plangate),
        start_new_session=True,
    ) as process:
        os.close(line)
        try:
            terminal = Terminal(process, keyboard)
            terminal.wait_for("ready> ")
            for typed, completed in (
                ("plangate approve\t", "plangate approve "),
                ("plangate build fin\t", "plangate build finish "),
                ("plangate propose --exp\t", "plangate propose --expires "),
                ("plangate token create --role obs\t", "--role observer "),
                ("plangate show only_for\t", f"plangate show {plan.file_name} "),
                ("plangate build start only_for\t", f"build start {plan.file_name} "),
                ("plangate propose scr\t", "plangate propose script "),
            ):
                terminal.type(typed)
                terminal.wait_for(completed)
                terminal.type("\x15")  # takes the line back
        finally:
            process.kill()
            os.close(keyboard)


def test_no_gate(tmp_path: Path) -> None:
    """Whoever presses Tab where no gate answers gets nothing, and no complaint."""
    assert CommandLine("127.0.0.1:1", tmp_path)("completion", "plans") == Done(0, "", "")
    assert CommandLine("http://nonsense", tmp_path)("completion", "plans") == Done(0, "", "")


def test_a_gate_that_does_not_come_to_an_end(
    tmp_path: Path, patient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the time for all is over, what was told until then is offered, however many pages there are."""
    is_read, offered = Event(), _completion_plans._offered

    def reading(plan: Plan) -> str:
        is_read.set()
        return offered(plan)

    def over_when_read(seconds: float, end: Callable[[], None]) -> Timer:
        assert seconds == PATIENCE

        def end_when_read() -> None:
            if is_read.wait(PATIENCE):
                end()

        return Timer(0, end_when_read)

    monkeypatch.setattr(_completion_plans, "_offered", reading)
    monkeypatch.setattr(_completion_plans, "Timer", over_when_read)
    plan = Plan(plan_id="0" * 32, file_name="tidy_1234abcd.plan.md")
    page = ListPlansResponse(plans=[plan], next_page_token="more")
    with answering("agent.v1.PlanService", "ListPlans", page) as target:
        done = CommandLine(target, tmp_path)("completion", "plans")
    assert (done.code, done.err) == (0, "")
    assert set(done.out.splitlines()) == {plan.file_name}


@pytest.mark.parametrize("unseen", ["\u3164", "\u115f"], ids=["filler", "choseong filler"])
def test_a_name_with_what_nobody_sees(
    plangate: CommandLine, client: Client, patient: None, unseen: str
) -> None:
    """Letters that no terminal draws are not put on a command line either."""
    plan = client.create_plan("# x", name=f"tidy{unseen}up")
    assert unseen in plan.file_name
    offered = plangate("completion", "plans").out.splitlines()
    assert plan.plan_id[-8:] in offered
    assert plan.file_name not in offered


def test_a_name_that_means_something_to_a_shell(plangate: CommandLine, client: Client, patient: None) -> None:
    """It is never put on a command line: the plan is offered by its id."""
    plan = client.create_plan("# x", name="$(touch owned);`x`'&")
    offered = plangate("completion", "plans").out.splitlines()
    assert "$" in plan.file_name
    assert plan.file_name not in offered
    assert plan.plan_id[-8:] in offered
    assert plangate("show", plan.plan_id[-8:]).code == 0


def test_every_command_is_completed_or_said_not_to_be() -> None:
    """Only the server's own commands have options that no script knows."""
    assert {
        name for name, each in surfaces().items() if not each.options and not each.actions
    } == OF_THE_SERVER
