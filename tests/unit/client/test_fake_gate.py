"""The gate for users' own tests: decisions by script, and nothing left behind."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from plangate import PlangateError
from plangate import testing as fakes
from plangate.testing import FakeGate
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.tool_approval_service_pb2 import Approval
from tests.helpers.conditions import PATIENCE

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


def test_as_many_persons_approve_as_must() -> None:
    """A script need not know how many approvals a plan needs."""
    gate = FakeGate()
    gate.approve_next("fine")
    with gate.client() as client:
        decision = client.wait(client.create_plan("# Tidy the cellar", required_approvals=3))
    assert decision.approved
    assert len({said.person for said in decision.review.decisions}) == 3


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


def test_tool_calls_are_answered_as_the_script_says() -> None:
    """In order, with words; what a rule answers uses nothing up."""
    gate = FakeGate()
    gate.allow_next("go")
    gate.deny_next("not that")
    with gate.client() as client:
        first = client.request_approval("s", "bash", "make")
        assert (first.outcome, first.feedback, first.reviewer) == ("APPROVED", "go", "ada")
        client.set_mode("other", "plan")
        assert client.request_approval("other", "bash", "make").rule == "plan_mode"
        second = client.request_approval("s", "bash", "make clean")
        assert (second.outcome, second.feedback) == ("DENIED", "not that")
    assert [call.command for call in gate.calls] == ["make", "make", "make clean"]


def test_a_function_answers_tool_calls() -> None:
    """It sees each call, as soon as people would; what it leaves open holds up those behind it."""
    answers = {"make": fakes.allow_for_session(), "sleep": fakes.expire(), "rm": fakes.deny("never")}

    def answer(call: Approval) -> fakes.Answer | None:
        return answers.get(call.command)

    gate = FakeGate()
    gate.on_call(answer)
    with gate.client() as client, ThreadPoolExecutor() as pool:
        said = [client.request_approval("s", "bash", command).outcome for command in ("make", "sleep", "rm")]
        assert said == ["APPROVED_FOR_SESSION", "EXPIRED", "DENIED"]
        assert client.request_approval("s", "bash", "make").rule.startswith("remembered:")
        left = pool.submit(client.request_approval, "s", "bash", "id", call_id="left")
        prompt = next(told.prompt for told in client.prompts("s") if told.HasField("prompt"))
        behind = pool.submit(client.request_approval, "s", "bash", "rm", call_id="behind")
        next(told for told in client.watch_session("s") if told.session.queue_length == 2)
        client.answer(prompt, "approved")
        assert left.result(PATIENCE).approved
        assert behind.result(PATIENCE).feedback == "never"


def test_what_was_answered_meanwhile_is_not_asked_about() -> None:
    """A script is not asked about a call that the answer to another one covers."""
    gate, asked = FakeGate(), list[str]()

    def note(call: Approval) -> None:
        asked.append(call.call_id)

    with gate.client() as client, ThreadPoolExecutor() as pool:
        calls = [pool.submit(client.request_approval, "s", "bash", "make", call_id="one")]
        prompt = next(told.prompt for told in client.prompts("s") if told.HasField("prompt"))
        calls += [pool.submit(client.request_approval, "s", "bash", "make", call_id="two")]
        next(told for told in client.watch_session("s") if told.session.queue_length == 2)
        gate.on_call(note)
        client.answer(prompt, "approved_for_session")
        assert all(call.result(PATIENCE).approved for call in calls)
    assert asked == []


async def test_a_script_answers_a_program_with_a_loop() -> None:
    """The same for AsyncClient."""
    gate = FakeGate()
    gate.approve_next()
    gate.allow_next()
    async with gate.async_client() as client:
        assert (await client.wait(await client.create_plan("# Tidy the cellar"))).approved
        assert (await client.request_approval("s", "bash", "make")).approved


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


def test_whoever_waits_is_let_go_when_the_client_is_closed() -> None:
    """No thread of a test hangs at its end, whether it waits already or is about to."""
    client = FakeGate().client()
    events = client.events(client.create_plan("# Tidy the cellar"))
    next(events)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(next, events)
        client.close()
        with pytest.raises(PlangateError):
            waiting.result(PATIENCE)
    with pytest.raises(ValueError, match="closed"):
        list(client.list_plans())


def test_it_has_no_threads() -> None:
    """A draft, a stream and a call that were left half-way leave none behind."""
    before = set(threading.enumerate())  # of which some may be about to end
    with FakeGate().client() as client:
        client.draft_plan().write("# Tidy")
        next(client.events(client.create_plan("# Tidy the cellar")))
        next(client.prompts())
        assert set(threading.enumerate()) <= before


def test_it_has_no_clock() -> None:
    """What would have ended long ago waits; it shows when it would have ended."""
    gate = FakeGate()
    with gate.client() as client:
        plan = client.create_plan("# Tidy the cellar", expires_after=timedelta())
        assert plan.review.HasField("expire_time")
        assert client.get_plan(plan).state == PlanState.PLAN_STATE_IN_REVIEW
        assert client.decide(plan, "approve").approved


def test_it_has_no_roles() -> None:
    """With one client a session is given full access, and it is confirmed."""
    with FakeGate().client() as client:
        client.set_mode("s", "full_access")
        client.confirm_full_access("s", True)
        assert client.request_approval("s", "bash", "make").rule == "full_access"
