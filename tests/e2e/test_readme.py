"""Every command and every piece of code of README.md and docs/digest.md does what the page says."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from tests.e2e.cookbook import ADDRESS, Command, commands_of
from tests.e2e.pages import at_home, check
from tests.e2e.processes import ROOT, serving
from tests.helpers.command_line import CommandLine
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate_process import gate_process
from tests.helpers.terminal import at_terminal
from tests.helpers.tokens import token_dir

README = (ROOT / "README.md").read_text(encoding="utf-8")
DIGEST = (ROOT / "docs" / "digest.md").read_text(encoding="utf-8")
PLANGATE = ".venv/bin/plangate"


def python_of(page: str) -> list[str]:
    """The Python blocks of a page."""
    return re.findall(r"^```python\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture
def plangate(tmp_path: Path) -> Iterator[CommandLine]:
    """A gate, and a folder in which the command stands where `make` puts it."""
    script = tmp_path / PLANGATE
    script.parent.mkdir(parents=True)
    main = "import sys; from plangate.cli import main; sys.exit(main())"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "{main}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    with gate_process(tmp_path) as address:
        yield CommandLine(address, tmp_path, at_home(tmp_path, token_dir()))


@pytest.fixture
def client(plangate: CommandLine) -> Iterator[Client]:
    with Client(plangate.target) as client:
        yield client


def run(plangate: CommandLine, *command: str) -> str:
    done = subprocess.run(
        command,
        cwd=plangate.folder,
        env=plangate.environment(),
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE,
    )
    return done.stdout.decode()


def wait_for_a_plan(client: Client) -> None:
    """Return when something is in review."""
    latest = time.monotonic() + PATIENCE
    while not any(client.list_plans(PlanState.PLAN_STATE_IN_REVIEW)):
        assert time.monotonic() < latest, "nothing was proposed"


async def test_the_welcome(tmp_path: Path) -> None:
    """What the page shows of it is what a server prints."""
    (shown,) = re.findall(r"^```text\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    async with serving(tmp_path / "plangate.db") as server:
        welcome = server.welcome.replace(server.address, ADDRESS)
        # Where a user's own tokens are, which the tests keep elsewhere.
        check(Command("make run", shown.splitlines()), welcome.replace(str(token_dir()), "/home/ada/tokens"))


def test_the_first_success(plangate: CommandLine, client: Client) -> None:
    """Proposed in one terminal, listed and approved in another, each prints what the page says."""
    propose, pending, approve, _ = commands_of(README)
    with ThreadPoolExecutor() as terminal:
        proposing = terminal.submit(run, plangate, "bash", "-c", propose.text)
        wait_for_a_plan(client)
        check(pending, run(plangate, "bash", "-c", pending.text))
        name, *arguments = shlex.split(approve.text)
        assert name == PLANGATE
        with at_terminal(plangate, *arguments) as person:
            person.wait_for("[y/N] ")
            person.type("y\n")
            assert person.exit_code() == 0
            check(approve, person.screen)
        check(propose, proposing.result(PATIENCE))


@pytest.mark.parametrize("block", python_of(README), ids=["sync", "async"])
def test_the_python_of_the_readme(plangate: CommandLine, client: Client, block: str) -> None:
    """Both agents run as printed: they go on when a person has said yes, and finish what they began."""
    with ThreadPoolExecutor() as terminal:
        running = terminal.submit(run, plangate, sys.executable, "-c", block)
        wait_for_a_plan(client)
        (plan,) = client.list_plans()
        client.decide(plan, "approve")
        assert running.result(PATIENCE) == "done: sort the boxes\ndone: sweep the floor\n"
    assert client.get_plan(plan).state == PlanState.PLAN_STATE_COMPLETED


@pytest.mark.parametrize("block", python_of(README), ids=["sync", "async"])
def test_the_python_of_the_readme_after_a_no(plangate: CommandLine, client: Client, block: str) -> None:
    """Nothing is built, and the words of the person are the last."""
    with ThreadPoolExecutor() as terminal:
        running = terminal.submit(run, plangate, sys.executable, "-c", block)
        wait_for_a_plan(client)
        (plan,) = client.list_plans()
        client.decide(plan, "reject", "not on a Sunday")
        assert running.result(PATIENCE) == "no: not on a Sunday\n"


def test_the_call_from_anywhere(plangate: CommandLine) -> None:
    """The grpcurl command prints what the page says."""
    if shutil.which("grpcurl", path=os.environ.get("PATH", os.defpath)) is None:
        pytest.skip("grpcurl is not on the PATH: see docs/cookbook.md for how to get it")
    *_, call = commands_of(README)
    check(call, run(plangate, "bash", "-c", call.text.replace(ADDRESS, plangate.target)))


def test_the_python_of_the_digest_page(plangate: CommandLine) -> None:
    """Whoever makes the digest as the page says gets the one that people approve."""
    (block,) = python_of(DIGEST)
    assert run(plangate, sys.executable, "-c", block) == "the same\n"


def test_the_figures_of_the_readme_were_measured() -> None:
    """Every row of the table is one of the bench's own, at 64 callers."""
    results = (ROOT / "bench" / "results" / "alternatives.md").read_text(encoding="utf-8")
    measured = {(cells[1], cells[2], cells[4]) for cells in rows_of(results) if cells[0] == "64"}
    quoted = [cells for cells in rows_of(README) if len(cells) == 3]
    assert quoted
    for name, per_second, of_floor in quoted[2:]:
        assert (re.sub(r" \(.*\)", "", name), per_second, of_floor) in measured


def rows_of(page: str) -> list[list[str]]:
    """The cells of every table row."""
    lines = (line for line in page.splitlines() if line.startswith("|"))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
