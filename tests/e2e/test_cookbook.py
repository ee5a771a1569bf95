"""Every command of docs/cookbook.md does what the page says, run as it stands there."""

from __future__ import annotations

import asyncio
import shutil
from asyncio.subprocess import PIPE, STDOUT, Process
from pathlib import Path

import pytest

from tests.e2e.cookbook import ADDRESS, Command, sections
from tests.e2e.pages import SEARCH_PATH, at_home, check
from tests.e2e.processes import ServerProcess, serving
from tests.helpers.conditions import PATIENCE
from tests.helpers.tokens import token_dir

FIRST = "Two tokens"
TOOLS = ("grpcurl", "buf curl")


class Terminals:
    """Runs commands one after the other; one that waits runs in a terminal of its own meanwhile."""

    def __init__(self, server: ServerProcess, home: Path) -> None:
        self._address = server.address
        self._home = home
        self._variables = at_home(home, token_dir())
        self._last_output = ""

    async def run(self, commands: list[Command]) -> None:
        remaining = iter(commands)
        for command in remaining:
            ends_with = command.ended_by
            if ends_with is None:
                await self._run(command)
                continue
            waiting = await self._start(command)
            assert waiting.stdout
            first = await waiting.stdout.readline()
            for meanwhile in remaining:
                await self._run(meanwhile)
                if meanwhile.text.endswith(ends_with):
                    break
            self._check(command, first.decode() + await self._output(waiting))

    async def _run(self, command: Command) -> None:
        if name := command.spelled_out:
            told = Command(f'{command.text}; printf %s "${name}"')
            self._variables[name] = await self._output(await self._start(told))
        elif assigned := command.assignment(self._last_output):
            name, value = assigned
            self._variables[name] = value
        else:
            self._check(command, await self._output(await self._start(command)))

    async def _start(self, command: Command) -> Process:
        text = command.text.replace(ADDRESS, self._address)
        return await asyncio.create_subprocess_exec(
            "bash", "-c", text, cwd=self._home, env=self._variables, stdout=PIPE, stderr=STDOUT
        )

    async def _output(self, process: Process) -> str:
        try:
            async with asyncio.timeout(PATIENCE):
                output, _ = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return output.decode()

    def _check(self, command: Command, output: str) -> None:
        self._last_output = output
        check(command, output)


def test_the_cookbook_has_a_recipe_for_each_tool() -> None:
    """Every command of the page belongs to a tool that these tests run it with."""
    assert tuple(sections()) == (FIRST, *TOOLS)


@pytest.mark.parametrize("title", TOOLS)
async def test_the_commands_print_what_the_page_says(title: str, tmp_path: Path) -> None:
    """From the first look to the refusal, each command works as printed, and so does its output."""
    if title == "grpcurl" and shutil.which("grpcurl", path=SEARCH_PATH) is None:
        pytest.skip("grpcurl is not on the PATH: see docs/cookbook.md for how to get it")
    async with serving(tmp_path / "plangate.db") as server:
        await Terminals(server, tmp_path).run(sections()[FIRST] + sections()[title])


@pytest.mark.parametrize(
    ("printed", "output", "fits"),
    [
        (["a", "b"], "a\n  b\n", True),
        (["a", "b"], "a\nc\nb\n", False),
        (["a", "…", "b"], "a\nc\nd\nb\n", True),
        (["a", "…", "b"], "a\nb\n", True),
        (["a", "…", "b"], "b\n", False),
        (['"id": "…",'], '"id":  "7",\n', True),
        (['"id": "…",'], '"id": "7"\n', False),
        (["a…"], "a\nb\n", False),
        ([], "surprise\n", False),
    ],
)
def test_a_gap_stands_for_what_was_left_out(printed: list[str], output: str, *, fits: bool) -> None:
    """Only what the page marks with a gap may differ from what a command prints."""
    assert Command("", printed).prints(output) == fits
