"""The gate for users' own tests: decisions by script, and a clear word about what it does not do."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from plangate import Client
from plangate import testing as fakes
from plangate.testing import FakeGate
from plangate_proto.agent.v1.create_plan_tool_pb2 import Phase
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState

PATIENCE = 10.0

SCRIPTS: dict[str, Callable[[FakeGate], None]] = {
    "APPROVED": lambda gate: gate.approve_next("go"),
    "REJECTED": lambda gate: gate.reject_next("no"),
    "CHANGES_REQUESTED": lambda gate: gate.request_changes_next("smaller"),
    "MODIFIED": lambda gate: gate.edit_next("# Mine"),
    "EXPIRED": lambda gate: gate.expire_next(),
}


@pytest.mark.parametrize("outcome", SCRIPTS)
def test_the_next_plan_is_decided_as_the_script_says(outcome: str) -> None:
    """Each way in which a review can end is one call; the one after it waits again."""
    gate = FakeGate()
    SCRIPTS[outcome](gate)
    with gate.client() as client:
        plan = client.create_plan("# Tidy the cellar")
        assert plan.state == PlanState.PLAN_STATE_IN_REVIEW
        assert client.wait(plan).outcome == outcome
        other = client.create_plan("# Tidy the attic")
        assert client.get_plan(other).state == PlanState.PLAN_STATE_IN_REVIEW
    assert len(gate.plans) == 2


def test_scripts_are_used_up_in_order() -> None:
    """A whole conversation can be written down before it begins."""
    gate = FakeGate()
    gate.request_changes_next("smaller")
    gate.approve_next()
    with gate.client() as client:
        plan = client.create_plan("# Tidy the house")
        decision = client.wait(plan)
        assert (decision.changes_requested, decision.feedback) == (True, "smaller")
        assert client.wait(client.update_plan(decision.plan, "# Tidy the cellar")).approved


def test_a_function_decides() -> None:
    """It sees each plan, and may leave it to the test."""

    def decide(plan: Plan) -> fakes.Answer | None:
        return fakes.approve() if "cellar" in plan.plan else None

    gate = FakeGate()
    gate.on_plan(decide)
    with gate.client() as client:
        assert client.wait(client.create_plan("# Tidy the cellar")).approved
        waiting = client.create_plan("# Tidy the attic")
        assert client.get_plan(waiting).state == PlanState.PLAN_STATE_IN_REVIEW


async def test_an_event_loop_waits_for_the_same() -> None:
    """A decision that comes from another thread wakes a task that waits."""
    gate = FakeGate()
    async with gate.async_client() as client:
        plan = await client.create_plan("# Tidy the cellar")
        with ThreadPoolExecutor() as pool, gate.client() as person:
            pool.submit(person.decide, plan, "approve")
            assert (await client.wait(plan, timeout=PATIENCE)).approved


def test_a_thread_waits_for_the_test() -> None:
    """Without a script a plan waits until somebody decides."""
    gate = FakeGate()
    with gate.client() as client, ThreadPoolExecutor() as pool:
        plan = client.create_plan("# Tidy the cellar")
        waiting = pool.submit(client.wait, plan)
        client.decide(plan, "reject", "no")
        assert waiting.result(PATIENCE).feedback == "no"


MISSING: dict[str, Callable[[Client, Plan], Any]] = {
    "phases": lambda client, _: client.create_plan("# A", phases=[Phase(name="one")]),
    "drafts": lambda client, _: client.draft_plan().write("# A"),
    "several approvals": lambda client, _: client.create_plan("# A", required_approvals=2),
    "comments": lambda client, plan: client.comment(plan, "hm"),
    "diffs": lambda client, plan: client.diff(plan),
    "lists of revisions": lambda client, plan: list(client.revisions(plan)),
    "details of a review": lambda client, plan: client.review(plan),
    "watching the workspace": lambda client, _: next(client.watch()),
    "sessions": lambda client, _: client.session("s"),
    "tool calls": lambda client, _: client.authorize_tool("s", "bash"),
    "tokens": lambda client, _: list(client.list_tokens()),
    "the event log": lambda client, _: list(client.audit_entries()),
}


@pytest.mark.parametrize("what", MISSING)
def test_what_it_does_not_do_it_says(what: str) -> None:
    """Nothing is made up: whoever needs it learns that a real gate is needed, and finds it in the docs."""
    with FakeGate().client() as client, pytest.raises(NotImplementedError, match="against a gate"):
        MISSING[what](client, client.create_plan("# Tidy the cellar"))
    assert fakes.__doc__ is not None
    assert what in " ".join(fakes.__doc__.split())
