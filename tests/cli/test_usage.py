"""What the command line says about itself, and when it is used wrongly."""

import importlib.metadata
import socket
import subprocess
from pathlib import Path

import pytest

from tests.helpers.command_line import CommandLine, Done
from tests.helpers.conditions import PATIENCE

HOSTILE = "\x1b[31m\u202e"
COMMANDS = [
    "serve",
    "policy",
    "backup",
    "propose",
    "pending",
    "show",
    "approve",
    "reject",
    "request-changes",
    "edit",
    "comment",
    "watch",
    "approvals",
    "remembered",
    "sessions",
    "mode",
    "sync",
    "todos",
    "build",
    "import",
    "export",
    "demo",
    "completion",
    "audit",
    "token",
    "doctor",
    "certs",
    "version",
]


@pytest.fixture
def plangate(tmp_path: Path) -> CommandLine:
    """The command line where no gate is: nothing here may need one."""
    return CommandLine("127.0.0.1:1", tmp_path)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("aprove",), "no command is called 'aprove': do you mean 'approve'?"),
        (("juggle",), "no command is called 'juggle': 'plangate --help' lists them"),
        (("--json",), "unrecognized arguments: --json"),
        (("show",), "the following arguments are required: PLAN"),
        (("reject", "cellar"), "the following arguments are required: WORDS"),
        (("pending", "--all"), "unrecognized arguments: --all"),
        (("show", "cellar", "--revision", "two"), "'two' is no revision: they are counted from 1"),
        (("show", "cellar", "--since", "0"), "'0' is no revision: they are counted from 1"),
        (("comment",), "the following arguments are required: ACTION"),
        (("comment", "add", "cellar"), "the following arguments are required: WORDS"),
        (
            ("comment", "add", "cellar", "no", "--lines", "3-"),
            "'3-' is neither a line nor lines: write 3, or 3-5",
        ),
        (("approvals", "answer", "call-1", "yes"), "argument ANSWER: invalid choice: 'yes'"),
        (("approvals", "answer", "call-1", "denied", "--for", "ever"), "'ever' is no duration"),
        (("remembered", "reset"), "one of the arguments --session --workspace is required"),
        (("mode", "session-1", "yolo"), "argument MODE: invalid choice: 'yolo'"),
        (("audit",), "the following arguments are required: ACTION"),
        (("build",), "the following arguments are required: ACTION"),
        (("build", "run", "cellar"), "the following arguments are required: COMMAND"),
        (("export",), "one of the arguments PLAN --all is required"),
        (("import",), "the following arguments are required: FILE"),
        (("import", "--format", "word", "a.doc"), "invalid choice: 'word'"),
        (("completion", "tcsh"), "invalid choice: 'tcsh'"),
    ],
)
def test_wrong_usage(plangate: CommandLine, arguments: tuple[str, ...], problem: str) -> None:
    """A command that is missing, unknown or incomplete exits with 2, a line of usage and the problem."""
    done = plangate(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("usage: plangate")
    assert problem in done.err.splitlines()[-1]


def test_help_lists_every_command(plangate: CommandLine) -> None:
    """`plangate --help` names each command; `plangate` alone says the same, as an error."""
    done, alone = plangate("--help"), plangate()
    assert (done.code, done.err) == (0, "")
    assert {line.split()[0] for line in done.out.splitlines() if line} >= set(COMMANDS)
    assert alone == Done(2, "", done.out)


@pytest.mark.parametrize("command", ["pending", "approvals list", "nothing"])
def test_what_was_typed_does_not_act_on_the_terminal(plangate: CommandLine, command: str) -> None:
    """A script may pass on what an agent wrote: the line that refuses it shows its control characters."""
    done = plangate(*command.split(), "--\x1b[31m\u202e")
    assert done.code == 2
    assert "\x1b" not in done.err
    assert "\u202e" not in done.err


@pytest.mark.parametrize(
    "command",
    [
        ("serve", f"--{HOSTILE}"),
        ("serve", "--policy", f"/nope{HOSTILE}"),
        ("serve", "--config", f"/nope{HOSTILE}"),
        ("policy", HOSTILE),
        ("policy", "check", f"--{HOSTILE}"),
        ("policy", "check", f"/nope{HOSTILE}"),
        ("backup", "copy.db", f"--{HOSTILE}"),
        ("backup", f"/nope{HOSTILE}/copy.db", "--database", "sqlite:///none.db"),
        ("backup", "copy.db", "--database", f"sqlite:///{HOSTILE}"),
    ],
    ids=lambda command: " ".join(command).replace(HOSTILE, "HOSTILE"),
)
def test_nor_does_what_the_server_was_given(plangate: CommandLine, command: tuple[str, ...]) -> None:
    """Its own commands show options, and the names of files, in the same way."""
    done = CommandLine(plangate.target, plangate.folder, {"HOME": str(plangate.folder)})(*command)
    assert done.code in {1, 2}
    assert done.err
    assert not {"\x1b", "\u202e"} & {*done.out, *done.err}


def test_help_lists_every_action(plangate: CommandLine) -> None:
    """Also of a command that does something without one, which it says."""
    said = " ".join(plangate("approvals", "--help").out.split())
    assert all(action in said for action in ("list", "show", "answer"))
    assert "Without an action, 'list' is meant." in said


def test_serve_helps_with_its_own_options(plangate: CommandLine) -> None:
    """`plangate serve --help` shows each default, and the variable that changes it."""
    done = plangate("serve", "--help")
    said = " ".join(done.out.split())
    assert (done.code, done.err) == (0, "")
    assert said.startswith("usage: plangate serve ")
    assert "(default 127.0.0.1:50061; PLANGATE_LISTEN)" in said
    assert "plangate.db; PLANGATE_DATABASE)" in said


def test_version(plangate: CommandLine) -> None:
    """`plangate version`, or --version, prints the installed version and nothing else."""
    printed = Done(0, f"{importlib.metadata.version('plangate')}\n", "")
    assert plangate("version") == plangate("--version") == printed


@pytest.mark.parametrize("arguments", [("version",), ("--help",), ("build", "--help"), ("completion", "zsh")])
def test_output_that_cannot_be_written(plangate: CommandLine, arguments: tuple[str, ...]) -> None:
    """A full disk is said in one line, and the exit code says that it was not done."""
    command, environment = plangate.command(*arguments), plangate.environment()
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, check=False, env=environment, timeout=PATIENCE
        )
    said = b"plangate: the output cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, said)


@pytest.mark.parametrize(
    "arguments",
    [
        ("propose", "-"),
        ("pending",),
        ("show", "cellar"),
        ("approve", "cellar", "--digest", "0" * 64),
        ("audit", "export"),
        ("comment", "list", "cellar"),
        ("watch",),
        ("approvals",),
        ("approvals", "answer", "call-1", "approved"),
        ("remembered",),
        ("remembered", "reset", "--workspace"),
        ("sessions",),
        ("mode", "session-1", "plan"),
        ("todos", "cellar"),
        ("build", "start", "cellar"),
        ("build", "run", "cellar", "--", "true"),
        ("build", "finish", "none"),
        ("import", "-"),
        ("export", "cellar"),
        ("export", "--all"),
    ],
    ids=" ".join,
)
def test_no_gate_answers(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """Every command that needs a gate says in one line where it looked, and what to do."""
    with socket.socket() as taken:
        # Bound and not listening: nobody else can open a gate there meanwhile.
        taken.bind(("127.0.0.1", 0))
        target = f"127.0.0.1:{taken.getsockname()[1]}"
        done = CommandLine(target, tmp_path)(*arguments, stdin=b"# Tidy the cellar")
    assert done.complaint == (
        f"no gate answers at {target}: start one with 'plangate serve', or set PLANGATE_TARGET"
    )
