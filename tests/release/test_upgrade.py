"""What a release left in a database, this version finds: all of it, and goes on with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from google.protobuf.message_factory import GetMessageClass

from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from plangate_proto.agent.v1.todo_tools_pb2 import TodoStatus
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalState, ListApprovalsRequest
from tests.e2e.processes import ServerProcess, serving
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, connected
from tests.helpers.raw_calls import method_named, raw_call
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of
from tests.helpers.tool_calls import YES
from tests.release.dumps import Dump, all_dumps
from tests.release.observing import Json, differences, head, observe, since
from tests.release.plans import COMPLETE, POLICY, finish
from tests.rpc.steps import build, watching

WORKSPACES = ("default", "acme")
DUE = ListApprovalsRequest(states=[ApprovalState.APPROVAL_STATE_ACTIVE, ApprovalState.APPROVAL_STATE_EXPIRED])


@dataclass(frozen=True, slots=True)
class Upgraded:
    """A server of this version over what a release left, and what the release told of it."""

    server: ServerProcess
    expected: Json

    def connected(self, name: str) -> Any:
        """With one of the tokens that the release made."""
        return connected(self.server.address, token=self.expected["secrets"]["live"][name])


@pytest.fixture(params=all_dumps(), ids=str)
async def upgraded(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Upgraded]:
    dump: Dump = request.param
    policy = tmp_path / "policy.yaml"
    policy.write_text(POLICY, encoding="utf-8")
    async with serving(dump.load(tmp_path), "--policy", str(policy)) as server:
        yield Upgraded(server, dump.read_expected())


@pytest.fixture(params=WORKSPACES)
def workspace(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


async def test_everything_is_there(upgraded: Upgraded, workspace: str) -> None:
    """Plans, reviews, sessions, calls, answers, tokens, events and their hashes say what they said."""
    async with upgraded.connected(f"{workspace}-admin") as gate:
        found = await observe(gate)
    assert list(differences(upgraded.expected["workspaces"][workspace], found)) == []


async def test_streams_go_on(upgraded: Upgraded, workspace: str) -> None:
    """A cursor of the release leads to the very events that came after it."""
    async with upgraded.connected(f"{workspace}-admin") as gate:
        found = await since(gate, upgraded.expected["cursors"][workspace])
    assert list(differences(upgraded.expected["since"][workspace], found)) == []


async def test_a_request_comes_again(upgraded: Upgraded) -> None:
    """Under the request id of then, each write is answered as it was, and done no second time."""
    repeated = upgraded.expected["repeated"]["default"]
    assert len(repeated) > 10
    async with upgraded.connected("default-admin") as gate:
        before = await head(gate)
        for each in repeated:
            [data] = await raw_call(gate.channel, each["path"], bytes.fromhex(each["request"]))
            answer = GetMessageClass(method_named(each["path"]).output_type).FromString(data)
            assert list(differences(each["answer"], MessageToDict(answer))) == []
        assert await head(gate) == before


async def test_who_was_let_in_is_let_in(upgraded: Upgraded) -> None:
    """Tokens hold as before; those that ended or were revoked stay outside."""
    secrets = upgraded.expected["secrets"]
    for secret in secrets["live"].values():
        async with connected(upgraded.server.address, token=secret) as gate:
            await gate.plans()
    for secret in secrets["ended"].values():
        async with connected(upgraded.server.address, token=secret) as gate:
            assert (await refused(gate.plans())).status == "UNAUTHENTICATED"


async def test_what_became_due_meanwhile(upgraded: Upgraded) -> None:
    """A review and a call whose time is over expire, and a lease gives its todo back."""
    async with upgraded.connected("late-admin") as gate:
        stream, _ = await watching(gate, unattended=True)
        async with asyncio.timeout(PATIENCE):
            while await due(gate) != ("EXPIRED", "EXPIRED", {"PENDING"}):
                await next_of(stream)
        stream.cancel()


async def due(gate: Gate) -> tuple[str, str, set[str]]:
    """What became of the plan, of the call, and of the todos that an agent had."""
    building, plan = sorted(await gate.plans(), key=lambda plan: plan.session_id)
    [call] = (await gate.approvals.ListApprovals(DUE)).approvals
    return (
        PlanState.Name(plan.state).removeprefix("PLAN_STATE_"),
        ApprovalState.Name(call.state).removeprefix("APPROVAL_STATE_"),
        {TodoStatus.Name(todo.status).removeprefix("TODO_STATUS_") for todo in building.todos},
    )


async def test_what_waits_is_decided(upgraded: Upgraded) -> None:
    """A plan and a call that waited then are answered now, and the plan is built."""
    async with upgraded.connected("acme-bob") as bob, upgraded.connected("acme-builder") as agent:
        waits = [plan for plan in await agent.plans() if plan.state == PlanState.PLAN_STATE_IN_REVIEW]
        for plan in waits:
            await bob.decide(plan, "approve")
            begun = await build(agent, plan)
            await finish(agent, begun, COMPLETE, "Done")
        assert waits
        assert (await bob.answer(YES, "waits")).approval.state == ApprovalState.APPROVAL_STATE_DECIDED
        assert (await bob.prompt("waits")).call_id == "w2"
    async with upgraded.connected("acme-admin") as admin:
        assert (await head(admin))["valid"]
