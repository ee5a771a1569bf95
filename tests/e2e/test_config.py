"""The server and the command with a file of settings."""

import signal
from pathlib import Path

import pytest

from tests.e2e.processes import ServerProcess, run, serving
from tests.helpers.command_line import CommandLine
from tests.helpers.gate import connected


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "plangate.yaml"
    policy = tmp_path / "policy.yaml"
    write(policy, "calls: {expires_after: 1h}\n")
    write(path, f"listen: 127.0.0.1:1\npolicy: {policy}\nlog_level: warning\nkeep_events: 30\n")
    return path


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


async def welcome_of(server: ServerProcess) -> str:
    async with connected(server.address) as gate:
        assert await gate.plans() == []
    ended = await server.exit(signal.SIGTERM)
    assert (ended.code, ended.errors) == (0, ""), "no call is logged at the level warning"
    return server.welcome


async def test_the_server_takes_its_file(tmp_path: Path, config: Path) -> None:
    """What no flag says is as the file says."""
    async with serving(tmp_path / "plangate.db", "--config", str(config)) as server:
        assert f"policy    {tmp_path / 'policy.yaml'}" in await welcome_of(server)


async def test_what_is_printed_starts_the_same_server(tmp_path: Path, config: Path) -> None:
    """--print-config ends with 0, and touches neither the database nor the policy nor the port."""
    database = tmp_path / "plangate.db"
    arguments = ("--config", str(config), "--listen", "127.0.0.1:0", "--database", f"sqlite:///{database}")
    (tmp_path / "policy.yaml").rename(tmp_path / "away.yaml")
    printed = await run(*arguments, "--print-config")
    (tmp_path / "away.yaml").rename(tmp_path / "policy.yaml")
    assert (printed.code, printed.errors) == (0, "")
    assert not database.exists()
    again = tmp_path / "again.yaml"
    write(again, printed.output)
    async with serving(database, "--config", str(again)) as server:
        assert f"policy    {tmp_path / 'policy.yaml'}" in await welcome_of(server)


async def test_a_file_that_is_not_sound_opens_no_gate(tmp_path: Path, config: Path) -> None:
    """It ends with 2 and every problem on a line, and has touched nothing."""
    write(config, "listn: x\nlog_level: loud\n")
    database = tmp_path / "plangate.db"
    ended = await run("--config", str(config), "--database", f"sqlite:///{database}")
    assert (ended.code, ended.output) == (2, "")
    assert [line.partition(" ")[0] for line in ended.errors.splitlines()] == [f"{config}:1:", f"{config}:2:"]
    assert not database.exists()


def test_the_command_prints_it(tmp_path: Path, config: Path) -> None:
    """``plangate serve --print-config`` is the same thing."""
    done = CommandLine("127.0.0.1:1", tmp_path)("serve", "--config", str(config), "--print-config")
    assert (done.code, done.err) == (0, "")
    assert f'keep_events: "30"  # {config}:4' in done.out.splitlines()
