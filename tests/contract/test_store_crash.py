"""A process that is killed in the middle of its work loses nothing that it acknowledged."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from plangate_server.domain.events import EventType
from plangate_server.domain.plan import PlanState
from plangate_server.ports import PlanFilter, Reading, World
from plangate_server.usecases.create_plan import create_plan
from tests.helpers.backends import ALL, Backend, every_database, plan_in, whole_log
from tests.helpers.crash_writer import a_request
from tests.helpers.world import AGENT, NO_POLICY, NOBODY, CountingIds, ManualClock

pytestmark = every_database

ROOT = Path(__file__).parents[2]


class Acknowledged(NamedTuple):
    verb: str
    plan_id: str
    request_id: str


def write_and_be_killed(backend: Backend, folder: Path, after: int) -> list[Acknowledged]:
    """What a writer acknowledged before it was killed with SIGKILL, at least as much as asked for."""
    backend.prepare(folder)
    command = [sys.executable, "-m", "tests.helpers.crash_writer", backend.name, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as writer:
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(after)]
        writer.kill()
        lines += writer.stdout.readlines()
    assert writer.returncode == -9
    return [Acknowledged(*line.split()) for line in lines if line.endswith("\n")]


def every_plan_is_whole(reading: Reading) -> None:
    """Each plan has its revision, its review and the events that its state tells of; no number is missing."""
    told: dict[str, list[EventType]] = {}
    log = whole_log(reading)
    for event in log:
        told.setdefault(event.plan.plan_id, []).append(event.type)
    assert [event.sequence for event in log] == list(range(1, reading.last_sequence() + 1))
    for plan in reading.plans(PlanFilter(), after="", limit=ALL):
        decided = [EventType.PLAN_APPROVED] if plan.state is PlanState.APPROVED else []
        assert told[plan.plan_id] == [EventType.PLAN_CREATED, EventType.PLAN_APPROVAL_REQUIRED, *decided]
        assert reading.plan_under_review(plan.review.approval_request_id) == plan
        assert reading.revision(plan.plan_id, 1) == plan.revision


async def test_what_was_acknowledged_survives_kill_9(backend: Backend, tmp_path: Path) -> None:
    """Killed again and again, early and late, the store has every acknowledged write and only whole ones."""
    acknowledged: list[Acknowledged] = []
    for after in (5, 100):
        acknowledged += await asyncio.to_thread(write_and_be_killed, backend, tmp_path, after)
        async with backend.open(tmp_path) as node:
            for verb, plan_id, _ in acknowledged:
                plan = await plan_in(node.store, AGENT.workspace, plan_id)
                assert plan is not None
                assert plan.state is PlanState.APPROVED or verb == "proposed"
            await node.store.read(AGENT.workspace, every_plan_is_whole)


async def test_a_retry_after_kill_9_is_answered_as_before(backend: Backend, tmp_path: Path) -> None:
    """A client that repeats an acknowledged request to the next process gets its plan, and no second one."""
    acknowledged = await asyncio.to_thread(write_and_be_killed, backend, tmp_path, 20)
    async with backend.open(tmp_path) as node:
        world = World(node.store, node.feed, ManualClock(), CountingIds(), NO_POLICY, NOBODY)
        before = await node.store.read(AGENT.workspace, lambda reading: reading.last_sequence())
        for _, plan_id, request_id in acknowledged:
            assert (await create_plan(world, AGENT, a_request(request_id))).plan_id == plan_id
        assert await node.store.read(AGENT.workspace, lambda reading: reading.last_sequence()) == before
