"""SIGKILL at any moment: what was answered is there once, and nothing is there by halves."""

from __future__ import annotations

import asyncio
import random
import signal
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import ListPlansRequest, ListRevisionsRequest, UpdatePlanRequest
from plangate_proto.aiserver.v1.plan_review_service_pb2 import ListEventsRequest, VerifyAuditRequest
from tests.e2e.processes import PATIENCE, serving
from tests.helpers.gate import Gate, connected, decision, proposal
from tests.helpers.streams import types

ROUNDS = 4
AGENTS = 8
MOST_WRITES = 150
"""Writes answered before the server is killed, at most."""


@dataclass(slots=True)
class Ledger:
    """Every write that was sent, and what was answered."""

    sent: dict[str, tuple[str, Any]] = field(default_factory=dict)
    answered: dict[str, Any] = field(default_factory=dict)
    wanted: int = 0
    enough: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when as many writes were answered as are wanted."""

    def want(self, more: int) -> None:
        self.wanted = len(self.answered) + more
        self.enough.clear()

    async def call(self, gate: Gate, kind: str, request: Any) -> Any:
        self.sent[request.request_id] = (kind, request)
        answer = await _CALLS[kind](gate)(request)
        self.answered[request.request_id] = answer
        if len(self.answered) >= self.wanted:
            self.enough.set()
        return answer


_CALLS: dict[str, Any] = {
    "create": lambda gate: gate.agent.CreatePlan,
    "update": lambda gate: gate.agent.UpdatePlan,
    "decide": lambda gate: gate.reviews.SubmitReview,
}


async def work(gate: Gate, ledger: Ledger, name: str) -> None:
    """Propose, revise and approve plan after plan, until the server is gone."""
    number = 0
    while True:
        number += 1
        key = f"{name}-{number}"
        plan: Plan = (await ledger.call(gate, "create", proposal(f"# {key}", request_id=f"{key}-c"))).plan
        change = UpdatePlanRequest(
            plan_uri=plan.plan_uri,
            expected_revision=1,
            args=CreatePlanArgs(plan=f"# {key}, revised"),
            request_id=f"{key}-u",
        )
        revised: Plan = (await ledger.call(gate, "update", change)).plan
        await ledger.call(gate, "decide", decision(revised, "approve", request_id=f"{key}-d"))


async def until_killed(gate: Gate, ledger: Ledger, name: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await work(gate, ledger, name)
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


async def all_plans(gate: Gate) -> list[Plan]:
    plans: list[Plan] = []
    token = ""
    while not plans or token:
        page = await gate.agent.ListPlans(ListPlansRequest(page_size=1000, page_token=token))
        plans, token = [*plans, *page.plans], page.next_page_token
    return plans


async def events_by_plan(gate: Gate) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    cursor = ""
    while True:
        page = await gate.reviews.ListEvents(ListEventsRequest(cursor=cursor, page_size=1000))
        if not page.entries:
            return found
        for entry in page.entries:
            found.setdefault(entry.event.plan_uri, []).extend(types([entry.event]))
        cursor = page.next_cursor


LIFE = [
    "PLAN_CREATED",
    "PLAN_APPROVAL_REQUIRED",
    "PLAN_UPDATED",
    "PLAN_APPROVAL_REQUIRED",
    "PLAN_APPROVED",
]
EVENTS_AFTER = {(1, 0): 2, (2, 0): 4, (2, 1): 5}
"""How much of its life a plan has behind it, by revision and number of decisions."""


async def check_whole(gate: Gate) -> None:
    """No plan lacks its revisions, its review or its events, and the chain of the log holds."""
    events = await events_by_plan(gate)
    plans = await all_plans(gate)
    assert events.keys() == {plan.plan_uri for plan in plans}
    for plan in plans:
        behind = EVENTS_AFTER[plan.revision, len(plan.review.decisions)]
        assert events[plan.plan_uri] == LIFE[:behind]
        assert (plan.review.revision, plan.review.digest) == (plan.revision, plan.digest)
    for plan in plans[-5:]:
        listed = await gate.agent.ListRevisions(ListRevisionsRequest(plan_uri=plan.plan_uri))
        assert [info.revision for info in listed.revisions] == list(range(1, plan.revision + 1))
    audit = await gate.reviews.VerifyAudit(VerifyAuditRequest())
    assert (audit.valid, audit.checked) == (True, sum(map(len, events.values())))


async def check_answers(gate: Gate, ledger: Ledger, since: set[str]) -> None:
    """Sent again, an answered write gets its answer again; one that was not is done once."""
    for request_id in ledger.sent.keys() - since:
        kind, request = ledger.sent[request_id]
        answer = await _CALLS[kind](gate)(request)
        assert ledger.answered.setdefault(request_id, answer) == answer


async def test_a_killed_server_has_forgotten_nothing(tmp_path: Path) -> None:
    """Round after round: work, kill, restart; then everything is whole, and every retry has one effect."""
    moments = random.Random(20261116)
    ledger = Ledger()
    checked: set[str] = set()
    for number in range(ROUNDS):
        async with serving(tmp_path / "plangate.db") as server, connected(server.address) as gate:
            await check_answers(gate, ledger, checked)
            checked = set(ledger.sent)
            if checked:
                await check_whole(gate)
            names = [f"{number}-{agent}" for agent in range(AGENTS)]
            ledger.want(moments.randrange(1, MOST_WRITES))
            workers = [asyncio.create_task(until_killed(gate, ledger, name)) for name in names]
            async with asyncio.timeout(PATIENCE):
                await ledger.enough.wait()
            await server.exit(signal.SIGKILL)
            await asyncio.gather(*workers)
    async with serving(tmp_path / "plangate.db") as server, connected(server.address) as gate:
        await check_answers(gate, ledger, checked)
        await check_whole(gate)
        created = [answer for key, answer in ledger.answered.items() if key.endswith("-c")]
        assert {plan.plan_uri for plan in await all_plans(gate)} == {a.plan.plan_uri for a in created}
