"""The server as a process: what it prints, how it stops, why it does not start, what survives."""

import asyncio
import os
import signal
import sqlite3
from pathlib import Path

import pytest

from plangate_proto.agent.v1.plan_service_pb2 import ReviewPlanRequest
from tests.e2e.pages import at_home
from tests.e2e.pages import run as run_in_shell
from tests.e2e.processes import ROOT, run, server_with, serving
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import connected, decision
from tests.helpers.plans import filled_request
from tests.helpers.streams import cut_off, next_of, rest_of, types
from tests.helpers.tokens import token_dir

PATIENT = server_with(app__GRACE_SECONDS=2 * PATIENCE)
"""A server that a test would not see the end of, if it sat out its grace."""


async def test_it_says_where_it_listens(tmp_path: Path) -> None:
    """The address in the welcome serves; the place of the database is there, too."""
    database = tmp_path / "new" / "folder" / "plangate.db"
    async with serving(database) as server, connected(server.address) as gate:
        assert await gate.plans() == []
        assert str(database) in server.welcome
        assert f"  tokens    {token_dir()} (agent, reviewer, admin)" in server.welcome.splitlines()
        assert database.exists()


def relative(path: Path) -> str:
    """As somebody names it who stands where the server is started."""
    return os.path.relpath(path, ROOT)


@pytest.mark.parametrize("where", ["port", "socket"])
async def test_what_it_prints_is_all_that_commands_need(tmp_path: Path, where: str) -> None:
    """Whoever runs the printed lines in a terminal that knows of no gate is the agent, then the person."""
    options = ["--token-dir", relative(tmp_path / "tokens of it")]
    if where == "socket":
        options += ["--listen", f"unix:{relative(tmp_path / 'gate.sock')}"]
    async with serving(tmp_path / "plangate.db", *options) as server:
        _, _, printed = server.welcome.partition("be the agent, then the person:\n")
        *exports, propose, pending, approve = (line.strip() for line in printed.splitlines()[:-1])
        lines = [propose.removesuffix(" --wait"), pending, approve.replace("approve", "show")]
        terminal = at_home(tmp_path / "home")
        del terminal["PLANGATE_TOKEN_DIR"]
        said = await asyncio.to_thread(run_in_shell, "\n".join(["set -e", *exports, *lines]), ROOT, terminal)
    assert "say_hello_" in said
    assert "Say hello  local-agent  2" in said
    assert "1 │ # Say hello" in said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_it_stops_quickly_and_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    """SIGTERM and Ctrl-C end the process with 0, and it says so and nothing else; the log has both ends."""
    async with serving(tmp_path / "plangate.db", program=PATIENT) as server:
        ended = await server.exit(number)
    assert ended[:2] == (0, "plangate: stopping\n")
    assert ended.events == ["started", "stopping"]


async def test_an_open_stream_does_not_hold_it(tmp_path: Path) -> None:
    """SIGTERM ends an open stream resumably, and the process with it, before its grace."""
    async with (
        serving(tmp_path / "plangate.db", program=PATIENT) as server,
        connected(server.address) as gate,
    ):
        plan = await gate.propose()
        stream = gate.agent.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri))
        snapshot = (await next_of(stream)).event
        ended = await server.exit(signal.SIGTERM)
        told, refusal = await cut_off(stream)
    assert (ended.code, ended.log[-1]["status"]) == (0, "UNAVAILABLE")
    assert told == []
    assert (refusal.status, refusal.reason) == ("UNAVAILABLE", "SHUTTING_DOWN")
    assert refusal.metadata["cursor"] == snapshot.cursor


async def test_what_was_answered_survives_kill_9(tmp_path: Path) -> None:
    """After SIGKILL and a restart, plans, decisions, answers and cursors are as they were."""
    request = filled_request()
    request.request_id = "r1"
    async with serving(tmp_path / "plangate.db") as server, connected(server.address) as gate:
        created = await gate.agent.CreatePlan(request)
        undecided = await gate.propose()
        stream = gate.agent.ReviewPlan(ReviewPlanRequest(plan_uri=created.plan.plan_uri))
        cursor = (await next_of(stream)).event.cursor
        decided = await gate.reviews.SubmitReview(decision(created.plan, "approve", request_id="r2"))
        await server.exit(signal.SIGKILL)
    async with serving(tmp_path / "plangate.db") as server, connected(server.address) as gate:
        shown = (await gate.get(created.plan.plan_uri)).review
        shown.ClearField("deliver_time")  # the stream may or may not have carried the decision
        assert shown == decided.review
        assert await gate.get(undecided.plan_uri) == undecided
        assert await gate.agent.CreatePlan(request) == created
        resumed = ReviewPlanRequest(plan_uri=created.plan.plan_uri, cursor=cursor)
        events = [response.event for response in await rest_of(gate.agent.ReviewPlan(resumed))]
        assert types(events) == ["PLAN_APPROVED"]


async def test_a_port_in_use_is_a_clear_refusal(tmp_path: Path) -> None:
    """A second server on a port exits with 1 and says which address it cannot have."""
    async with serving(tmp_path / "first.db") as server:
        second = await run("--listen", server.address, "--database", f"sqlite:///{tmp_path / 'second.db'}")
    assert (second.code, second.output) == (1, "")
    problem = f"plangate: cannot listen on {server.address}: is another server there?"
    assert second.errors.splitlines()[-1] == problem
    assert "Traceback" not in second.errors


async def test_a_port_in_use_is_one_line(tmp_path: Path) -> None:
    """Nothing but that line is printed."""
    async with serving(tmp_path / "first.db") as server:
        second = await run("--listen", server.address, "--database", f"sqlite:///{tmp_path / 'second.db'}")
    assert len(second.errors.splitlines()) == 1


async def test_a_database_of_another_version_is_left_alone(tmp_path: Path) -> None:
    """A schema that this server does not know is refused with 1 and a line that says what to do."""
    database = tmp_path / "plangate.db"
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
    connection.execute("INSERT INTO alembic_version VALUES ('9999')")
    connection.commit()
    connection.close()
    ended = await run("--listen", "127.0.0.1:0", "--database", f"sqlite:///{database}")
    assert ended.code == 1
    assert len(ended.errors.splitlines()) == 1
    assert "has schema 9999" in ended.errors


@pytest.mark.parametrize("kind", ["folder", "text"])
async def test_a_database_that_is_none_is_a_clear_refusal(tmp_path: Path, kind: str) -> None:
    """A database that cannot be opened is refused with 1, one line and no traceback."""
    database = tmp_path / "plangate.db"
    database.mkdir() if kind == "folder" else database.write_text("no database\n" * 100)
    ended = await run("--listen", "127.0.0.1:0", "--database", f"sqlite:///{database}")
    assert ended.code == 1
    assert len(ended.errors.splitlines()) == 1


async def test_a_database_has_one_server(tmp_path: Path) -> None:
    """A second server on the same database refuses to start: it would tell nobody of its events."""
    database = f"sqlite:///{tmp_path / 'plangate.db'}"
    async with serving(tmp_path / "plangate.db") as server, connected(server.address) as gate:
        second = await run("--listen", "127.0.0.1:0", "--database", database)
        assert await gate.plans() == [], "the first goes on"
    assert (second.code, second.output) == (1, "")
    assert len(second.errors.splitlines()) == 1
    assert second.errors.startswith("plangate: ")
