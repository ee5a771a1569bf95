"""`plangate serve --approved-to`: one file always has what was approved last, whatever happens meanwhile."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from plangate import Client
from plangate_proto.agent.v1.access_token_service_pb2 import CreateTokenRequest, Role
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from tests.e2e.processes import ServerProcess, server_with, serving
from tests.e2e.test_plans_dir import children, is_gone
from tests.helpers.conditions import eventually

HASTY = server_with(companions__FIRST_DELAY=0.1)


def approved(address: str, text: str, token: str | None = None, **fields: Any) -> Plan:
    """A plan that was proposed and approved."""
    with Client(address, token=token) as client:
        plan = client.create_plan(text, **fields)
        client.decide(plan, "approve")
        return plan


async def approve(server: ServerProcess, text: str, token: str | None = None, **fields: Any) -> Plan:
    return await asyncio.to_thread(approved, server.address, text, token, **fields)


def says(file: Path, text: str) -> Callable[[], bool]:
    return lambda: file.is_file() and file.read_text() == text


def token_of(server: ServerProcess, workspace: str) -> str:
    with Client(server.address) as client:
        wanted = CreateTokenRequest(name="eve", role=Role.ROLE_ADMIN, workspace=workspace)
        return client.create_token(wanted).secret


async def test_the_newest_approval_is_in_the_file(tmp_path: Path) -> None:
    """As approved or edited, whole; not what is proposed after it; and after a restart still the newest."""
    file, database = tmp_path / "PLAN.md", tmp_path / "plangate.db"
    async with serving(database, "--approved-to", str(file)) as server:
        assert f"  approved  {file} (what was approved last)" in server.welcome.splitlines()
        await approve(server, "# Tidy\n")
        await eventually(says(file, "# Tidy\n"))
        (child,) = children(server)
        ended = await server.exit(signal.SIGTERM)
    assert (ended.code, is_gone(child)) == (0, True)
    assert [line["event"] for line in ended.log if "approved_to" in line["event"]] == ["approved_to_started"]
    async with serving(database) as server:  # nobody keeps the file
        await approve(server, "# Paint\n")
        await approve(server, "# Sweep\n")
    async with serving(database, "--approved-to", str(file)) as server:
        await eventually(says(file, "# Sweep\n"))


async def test_a_process_that_dies_is_started_again(tmp_path: Path) -> None:
    """What was approved meanwhile gets there."""
    file = tmp_path / "PLAN.md"
    async with serving(tmp_path / "plangate.db", "--approved-to", str(file), program=HASTY) as server:
        await approve(server, "# Tidy\n")
        await eventually(says(file, "# Tidy\n"))
        os.kill(children(server)[0], signal.SIGKILL)
        await approve(server, "# Paint\n")
        await eventually(says(file, "# Paint\n"))


async def test_only_one_session_counts(tmp_path: Path) -> None:
    """What is approved elsewhere stays out, however new it is."""
    file = tmp_path / "PLAN.md"
    options = ("--approved-to", str(file), "--approved-session", "s")
    async with serving(tmp_path / "plangate.db", *options) as server:
        await approve(server, "# Ours\n", session_id="s")
        await eventually(says(file, "# Ours\n"))
        await approve(server, "# Theirs\n", session_id="t")
        await approve(server, "# Nobody's\n")
        await approve(server, "# Ours again\n", session_id="s", agent_id="other")
        await eventually(says(file, "# Ours again\n"))


async def test_another_workspace_can_be_named(tmp_path: Path) -> None:
    """What is approved in the operator's own stays out then."""
    file = tmp_path / "PLAN.md"
    options = ("--approved-to", str(file), "--approved-workspace", "acme")
    async with serving(tmp_path / "plangate.db", *options) as server:
        token = await asyncio.to_thread(token_of, server, "acme")
        await approve(server, "# Acme's\n", token)
        await eventually(says(file, "# Acme's\n"))
        await approve(server, "# The operator's\n")
        await approve(server, "# Acme's again\n", token)
        await eventually(says(file, "# Acme's again\n"))


async def test_what_cannot_be_written_is_logged_and_tried_again(tmp_path: Path) -> None:
    """The gate goes on; a link in the file's place leads nowhere, and once it is gone, the text is there."""
    file, elsewhere = tmp_path / "PLAN.md", tmp_path / "elsewhere"
    file.symlink_to(elsewhere)
    async with serving(tmp_path / "plangate.db", "--approved-to", str(file)) as server:
        await approve(server, "# Tidy\n")
        await approve(server, "# Paint\n")
        assert not elsewhere.exists()
        assert server.process.stderr
        line = b""
        while b"approved_to_problem" not in line:
            line = await server.process.stderr.readline()
        assert b"it is a symbolic link" in line
        file.unlink()
        await eventually(says(file, "# Paint\n"))
        assert not elsewhere.exists()
        assert (await server.exit(signal.SIGTERM)).code == 0


async def test_a_folder_that_is_missing_is_waited_for(tmp_path: Path) -> None:
    """Nothing stops because of it."""
    file = tmp_path / "later" / "PLAN.md"
    async with serving(tmp_path / "plangate.db", "--approved-to", str(file), program=HASTY) as server:
        await approve(server, "# Tidy\n")
        file.parent.mkdir()
        await eventually(says(file, "# Tidy\n"))
