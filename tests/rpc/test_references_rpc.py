"""An agent says that it works with a plan: everybody sees it, and nothing else changes."""

import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import RegisterReferenceRequest, WithdrawPlanRequest
from plangate_server.domain import limits
from tests.helpers.gate import Gate
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of, types
from tests.rpc.steps import told, waiting


async def refer(gate: Gate, plan: Plan, agent_id: str = "helper", request_id: str = "") -> Plan:
    request = RegisterReferenceRequest(plan_uri=plan.plan_uri, agent_id=agent_id, request_id=request_id)
    return (await gate.agent.RegisterReference(request)).plan


async def test_a_reference_stands_in_the_plan(gate: Gate) -> None:
    """Behind whoever proposed it; the content, the state and the review are as before."""
    plan = await gate.propose()
    now = await refer(gate, plan)
    assert list(now.referenced_by) == [*plan.referenced_by, "helper"]
    assert now == await gate.get(plan.plan_uri)
    for each in (plan, now):
        each.ClearField("referenced_by")
        each.ClearField("update_time")
    assert now == plan


async def test_a_reference_is_told(gate: Gate) -> None:
    """To whoever waits for the plan, too, who goes on waiting; and the log has who it was."""
    plan = await gate.propose()
    stream = waiting(gate, plan)
    await next_of(stream)
    await refer(gate, plan)
    event = (await next_of(stream)).event
    assert (*types([event]), event.actor, event.plan_uri) == ("PLAN_REFERENCED", "helper", plan.plan_uri)
    await gate.decide(plan, "approve")
    assert types([(await next_of(stream)).event]) == ["PLAN_APPROVED"]


async def test_the_same_reference_again_changes_nothing(gate: Gate) -> None:
    """With or without a request_id, and for the agent that proposed the plan: nothing is told."""
    plan = await gate.propose()
    first = await refer(gate, plan, request_id="r1")
    assert await refer(gate, plan, request_id="r1") == first
    assert await refer(gate, plan) == first
    assert await refer(gate, plan, plan.created_by) == first
    assert (await told(gate, plan)).count("PLAN_REFERENCED") == 1


async def test_without_a_name_it_is_the_callers(gate: Gate) -> None:
    """As everywhere."""
    plan = await gate.propose()
    assert (await refer(gate, plan, "")).referenced_by[-1] == "local-admin"


async def test_what_has_ended_can_be_referred_to(gate: Gate) -> None:
    """Somebody may well go on from a plan that was taken back."""
    plan = await gate.propose()
    await gate.agent.WithdrawPlan(WithdrawPlanRequest(plan_uri=plan.plan_uri))
    assert "helper" in (await refer(gate, plan)).referenced_by


async def test_references_have_a_limit(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more is refused; those that are there can come again."""
    monkeypatch.setattr("plangate_server.domain.lifecycle.REFERENCES", 3)
    plan = await gate.propose()
    for number in range(2):
        await refer(gate, plan, f"agent {number}")
    refusal = await refused(refer(gate, plan, "one more"))
    assert (refusal.reason, refusal.metadata["limit"]) == ("LIMIT_EXCEEDED", "references")
    assert len((await refer(gate, plan, "agent 0")).referenced_by) == 3
    assert limits.REFERENCES == 100
