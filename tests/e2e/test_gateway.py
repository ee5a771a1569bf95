"""The whole way of an IDE through a gate that runs in a process of its own: asked, decided, carried out."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import BuildOutcome
from tests.e2e.processes import serving
from tests.helpers.gate import connected
from tests.helpers.ide import FORM, build, decision, ide
from tests.helpers.tokens import local_token
from tests.helpers.visitor import Visitor
from tests.rpc.steps import updated

SAY = "/agent/message/stream"
HELLO = {"type": "user_message", "content": "Create a login form"}


def said(message: Any) -> dict[str, Any]:
    return {"session_id": "s", "message": message}


async def test_a_plan_from_message_to_completion_over_http(tmp_path: Path) -> None:
    """A message brings the question, a first no another revision, and the yes its execution."""
    async with serving(tmp_path / "plangate.db") as server, connected(server.address) as gate:
        visitor = Visitor(server.web)
        visitor.headers = {"Authorization": f"Bearer {local_token('reviewer')}"}
        async with visitor.listening(SAY, message=said(HELLO)) as stream:
            await stream.until("status")
            first = await gate.propose(FORM)
            asked = (await stream.until("plan_approval_required")).data
            assert await stream.next() is None
        assert asked["metadata"]["fsm_state"] == "plan_review"
        change = said(decision(asked, "modify", "Please add error handling"))
        async with visitor.listening(SAY, message=change) as stream:
            told = (await stream.until("plan_modification_requested")).data
            assert await stream.next() is None
        assert (told["metadata"]["fsm_state"], told["is_final"]) == ("architect_planning", True)
        async with visitor.listening(SAY, message=said(HELLO)) as stream:
            await stream.until("status")
            plan = await updated(gate, first, "# Login form\n\nWith error handling.")
            again = (await stream.until("plan_approval_required")).data
        assert again["plan_id"] == asked["plan_id"]
        assert again["approval_request_id"] != asked["approval_request_id"]
        async with visitor.listening(SAY, message=said(decision(again, "approve"))) as stream:
            await stream.until("status")
            await build(gate, plan, BuildOutcome.BUILD_OUTCOME_COMPLETED)
            done = (await stream.until("execution_completed")).data
            assert await stream.next() is None
        assert done["metadata"]["fsm_state"] == "completed"
        assert done["metadata"]["execution_result"]["completed_subtasks"] == 2


async def test_a_plan_from_message_to_completion_over_a_socket(tmp_path: Path) -> None:
    """The same on one line, which lives through all of it."""
    async with (
        serving(tmp_path / "plangate.db") as server,
        connected(server.address) as gate,
        ide(server.web) as desk,
    ):
        await desk.says(HELLO)
        await desk.hears("status")
        first = await gate.propose(FORM)
        asked = await desk.hears("plan_approval_required")
        await desk.says(decision(asked, "modify", "Please add error handling"))
        await desk.hears("plan_modification_requested")
        plan = await updated(gate, first, "# Login form\n\nWith error handling.")
        again = await desk.hears("plan_approval_required")
        await desk.says(decision(asked, "approve"))
        assert (await desk.hears("error"))["metadata"]["reason"] in {"ALREADY_DECIDED", "STALE_REVISION"}
        await desk.says(decision(again, "approve"))
        await desk.hears("status")
        await build(gate, plan, BuildOutcome.BUILD_OUTCOME_COMPLETED)
        done = await desk.hears("execution_completed")
    assert (done["is_final"], done["metadata"]["fsm_state"]) == (True, "completed")


async def test_a_plan_that_is_rejected(tmp_path: Path) -> None:
    """Ends it: the session is idle, and the next plan begins anew."""
    async with (
        serving(tmp_path / "plangate.db") as server,
        connected(server.address) as gate,
        ide(server.web) as desk,
    ):
        await gate.propose(FORM)
        await desk.says(decision(await desk.hears("plan_approval_required"), "reject", "too complex"))
        told = await desk.hears("plan_rejected")
        assert (told["is_final"], told["metadata"]["fsm_state"]) == (True, "idle")
        other = await gate.propose(FORM)
        assert (await desk.hears("plan_approval_required"))["plan_id"] == other.plan_id


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_restart_between_question_and_answer(tmp_path: Path, number: signal.Signals) -> None:
    """The gate says that it stops; the next one asks the same again, under the same id."""
    async with serving(tmp_path / "plangate.db") as server, connected(server.address) as gate:
        plan = await gate.propose(FORM)
        async with ide(server.web) as desk:
            asked = await desk.hears("plan_approval_required")
            ended = await server.exit(number)
            assert await desk.closed() == (4503, "SHUTTING_DOWN")
        assert ended.code == 0
    async with (
        serving(tmp_path / "plangate.db") as server,
        connected(server.address) as gate,
        ide(server.web) as desk,
    ):
        assert {**asked, **await desk.hears()} == asked, "but for the cursor, which what waits has none of"
        await desk.says(decision(asked, "approve"))
        await desk.hears("status")
        assert len((await gate.get(plan.plan_uri)).review.decisions) == 1
