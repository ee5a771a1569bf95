"""`plangate serve --plans-dir`: the folder is kept in step for as long as the server runs, and no longer."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from tests.e2e.processes import ServerProcess, serving
from tests.helpers.conditions import PATIENCE, eventually


def lock_of(folder: Path) -> Path:
    return folder / ".plangate" / "lock"


def children(server: ServerProcess) -> list[int]:
    listed = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text()
    return [int(child) for child in listed.split()]


def is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def propose(address: str) -> Plan:
    with Client(address) as client:
        return client.create_plan("# Tidy the cellar\n", name="Cellar")


def plan_now(address: str, plan: Plan) -> Plan:
    with Client(address) as client:
        return client.get_plan(plan)


async def test_a_folder_is_kept_in_step(tmp_path: Path) -> None:
    """In both directions, as the person who runs the server; when that stops, so does the process."""
    folder = tmp_path / "plans"
    async with serving(tmp_path / "plangate.db", "--plans-dir", str(folder)) as server:
        assert f"  plans     {folder} (files, in step)" in server.welcome.splitlines()
        plan = await asyncio.to_thread(propose, server.address)
        file = folder / plan.file_name
        await eventually(file.exists)
        file.write_text(file.read_text().replace("# Tidy", "# Leave"))
        await eventually(lambda: plan_now(server.address, plan).revision == 2)
        now = await asyncio.to_thread(plan_now, server.address, plan)
        assert (now.plan, now.edited_by[-1]) == ("# Leave the cellar\n", "ada")
        assert now.state == PlanState.PLAN_STATE_IN_REVIEW
        (child,) = children(server)
        ended = await server.exit(signal.SIGTERM)
    assert ended.code == 0
    assert is_gone(child)
    assert [line["event"] for line in ended.log if "plans_dir" in line["event"]] == ["plans_dir_started"]


async def test_a_process_that_dies_is_started_again(tmp_path: Path) -> None:
    """What happened meanwhile is found by the next one, and the log tells that one ended."""
    folder = tmp_path / "plans"
    async with serving(tmp_path / "plangate.db", "--plans-dir", str(folder)) as server:
        await eventually(lock_of(folder).exists)
        (child,) = children(server)
        os.kill(child, signal.SIGKILL)
        plan = await asyncio.to_thread(propose, server.address)
        await eventually((folder / plan.file_name).exists)
        ended = await server.exit(signal.SIGTERM)
    told = [line["event"] for line in ended.log if "plans_dir" in line["event"]]
    assert told == ["plans_dir_started", "plans_dir_ended", "plans_dir_started"]


async def test_no_process_outlives_its_server(tmp_path: Path) -> None:
    """Killed without a word, the server leaves nobody behind."""
    folder = tmp_path / "plans"
    async with serving(tmp_path / "plangate.db", "--plans-dir", str(folder)) as server:
        await eventually(lock_of(folder).exists)
        (child,) = children(server)
        server.process.kill()
        await eventually(lambda: is_gone(child))


async def test_what_it_says_is_for_people(tmp_path: Path) -> None:
    """Names of files are no part of the log: they stand on standard output, where the welcome is."""
    folder = tmp_path / "plans"
    folder.mkdir()
    (folder / "mine.plan.md").write_text("# Mine\n")
    async with serving(tmp_path / "plangate.db", "--plans-dir", str(folder)) as server:
        assert server.process.stdout
        async with asyncio.timeout(PATIENCE):
            line = (await server.process.stdout.readline()).decode()
        assert line.startswith("plangate: mine.plan.md: this is no file of a plan")
        ended = await server.exit(signal.SIGTERM)
    assert "mine" not in ended.errors
