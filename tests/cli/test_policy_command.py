"""`plangate policy` tells what a policy file says, before any agent hears it."""

from pathlib import Path

import pytest

from tests.helpers.command_line import CommandLine, Done
from tests.helpers.policies import FULL


@pytest.fixture
def plangate(tmp_path: Path) -> CommandLine:
    """The command line where no gate is: nothing here needs one."""
    (tmp_path / "policy.yaml").write_text(FULL, encoding="utf-8")
    (tmp_path / "bad.yaml").write_text("dney: []\ncalls:\n  expires_after: soon\n", encoding="utf-8")
    return CommandLine("127.0.0.1:1", tmp_path)


def verdict_of(done: Done) -> tuple[str, str]:
    """The first two lines: what is said by which rule, and why."""
    assert (done.code, done.err) == (0, "")
    first, second, *_ = done.out.splitlines()
    return first, second.strip()


def test_check_counts_the_rules_of_a_sound_file(plangate: CommandLine) -> None:
    """One line, and 0."""
    done = plangate("policy", "check", "policy.yaml")
    assert done == Done(
        0, "policy.yaml: 3 deny, 2 allow, 1 auto_approve, 6 tool rules, four_eyes: fine\n", ""
    )


@pytest.mark.parametrize("action", [("check", "bad.yaml"), ("test", "bad.yaml", "--tool", "bash")])
def test_every_problem_is_told(plangate: CommandLine, action: tuple[str, ...]) -> None:
    """Each on its own line with its place, and 1."""
    done = plangate("policy", *action)
    assert (done.code, done.out) == (1, "")
    assert [line.partition(" ")[0] for line in done.err.splitlines()] == ["bad.yaml:1:", "bad.yaml:3:"]


def test_a_missing_file(plangate: CommandLine) -> None:
    """A file that is not there is a problem like any other."""
    done = plangate("policy", "check", "nowhere.yaml")
    assert done == Done(1, "", "nowhere.yaml: cannot be read: No such file or directory\n")


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        (["--tool", "bash", "--command", "pytest -q"], "ALLOW by allow:tests"),
        (["--tool", "bash", "--command", "pytest; ls"], "CONFIRM by default"),
        (["--tool", "bash", "--command", "cat .env"], "DENY by deny:no-secrets"),
        (["--tool", "read_file", "--path", "a.md"], "ALLOW by read_only"),
        (["--tool", "read_file", "--path", "a.md", "--path", "secrets/a"], "DENY by deny:no-secrets"),
        (["--tool", "read_file", "--kind", "terminal", "--command", "ls"], "CONFIRM by default"),
        (["--tool", "other", "--access", "read"], "CONFIRM by default"),
        (["--tool", "other", "--mode", "full_access"], "ALLOW by full_access"),
        (["--tool", "write_file", "--mode", "plan"], "DENY by plan_mode"),
        (["--tool", "write_file", "--path", "docs/a", "--role", "agent"], "CONFIRM by default"),
        (["--tool", "read_file", "--role", "observer", "--agent", "rogue-1"], "DENY by deny:no-observers"),
    ],
)
def test_test_tells_the_verdict(plangate: CommandLine, arguments: list[str], first: str) -> None:
    """What is said comes first with the rule that says it; the exit code is 0 whatever it is."""
    role = [] if "--role" in arguments else ["--role", "agent"]
    agent = [] if "--agent" in arguments else ["--agent", "someone"]
    assert verdict_of(plangate("policy", "test", "policy.yaml", *arguments, *role, *agent))[0] == first


def test_test_tells_why(plangate: CommandLine) -> None:
    """The operator's own reason, if the rule has one."""
    done = plangate("policy", "test", "policy.yaml", "--tool", "bash", "--command", "cat .env")
    assert verdict_of(done) == ("DENY by deny:no-secrets", "secrets stay where they are")


def test_test_lists_every_rule_in_its_order(plangate: CommandLine) -> None:
    """Somebody who expected another verdict sees what each rule said."""
    done = plangate("policy", "test", "policy.yaml", "--tool", "bash", "--command", "cat .env")
    listed = done.out.split("bash counts as execute. All rules, in the order of asking:\n")[1]
    said = [tuple(line.split(maxsplit=1)) for line in listed.splitlines()]
    assert ("deny:no-secrets", "DENY: secrets stay where they are") in said
    assert said.index(("plan_mode", "does not apply")) == 0
    assert said[-1][0] == "default"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "the following arguments are required: ACTION"),
        (("chek", "policy.yaml"), "invalid choice: 'chek'"),
        (("check",), "the following arguments are required: FILE"),
        (("test", "policy.yaml"), "the following arguments are required: --tool"),
        (("test", "policy.yaml", "--tool", "a", "--mode", "yolo"), "invalid choice: 'yolo'"),
    ],
)
def test_wrong_usage(plangate: CommandLine, arguments: tuple[str, ...], problem: str) -> None:
    """A command that is missing, unknown or incomplete exits with 2, a line of usage and the problem."""
    done = plangate("policy", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("usage: plangate policy")
    assert problem in done.err.splitlines()[-1]


def test_it_is_in_the_help(plangate: CommandLine) -> None:
    """`plangate --help` names it; its own help names what it does."""
    assert any(line.split()[:1] == ["policy"] for line in plangate("--help").out.splitlines())
    assert {"check", "test"} <= set(plangate("policy", "--help").out.split())


def test_it_needs_the_server(plangate: CommandLine) -> None:
    """Without the server's packages it says what to install, and exits with 2."""
    hidden = "import sys; sys.modules['yaml'] = None\nfrom plangate.cli import main\nsys.exit(main())"
    done = plangate.process("policy", "check", "policy.yaml", main=hidden)
    assert (done.code, done.out) == (2, "")
    assert "pip install 'plangate[server]'" in done.err
