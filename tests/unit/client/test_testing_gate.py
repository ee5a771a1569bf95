"""The gate for users' own tests: decisions by script, and nothing left behind."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from datetime import timedelta

import pytest

from plangate import PlangateError, TimedOut, testing
from plangate.errors import InvalidCredentials, LimitExceeded, RoleNotAllowed
from plangate.testing import Gate
from plangate_proto.agent.v1.access_token_service_pb2 import CreateTokenRequest, Role
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.review_event_pb2 import ReviewEventType
from plangate_proto.agent.v1.tool_approval_service_pb2 import Approval
from plangate_server.rpc import door
from tests.helpers.conditions import PATIENCE
from tests.helpers.tool_calls import remember

SCRIPTS: dict[str, Callable[[Gate], None]] = {
    "APPROVED": lambda gate: gate.approve_next("go"),
    "REJECTED": lambda gate: gate.reject_next("no"),
    "CHANGES_REQUESTED": lambda gate: gate.request_changes_next("smaller"),
    "MODIFIED": lambda gate: gate.edit_next("# Mine"),
    "EXPIRED": lambda gate: gate.expire_next(),
}


@pytest.mark.parametrize("outcome", SCRIPTS)
def test_the_next_plan_is_decided_as_the_script_says(outcome: str) -> None:
    """Each way in which a review can end is one call; the one after it waits again."""
    gate = Gate()
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
    gate = Gate()
    gate.request_changes_next("smaller")
    gate.approve_next()
    with gate.client() as client:
        plan = client.create_plan("# Tidy the house")
        decision = client.wait(plan)
        assert (decision.changes_requested, decision.feedback) == (True, "smaller")
        assert client.wait(client.update_plan(decision.plan, "# Tidy the cellar")).approved


def test_as_many_persons_approve_as_must() -> None:
    """A script need not know how many approvals a plan needs."""
    gate = Gate()
    gate.approve_next("fine")
    with gate.client() as client:
        decision = client.wait(client.create_plan("# Tidy the cellar", required_approvals=3))
    assert decision.approved
    assert len({said.person for said in decision.review.decisions}) == 3


def test_a_function_decides() -> None:
    """It sees each plan, and may leave it to the test."""

    def decide(plan: Plan) -> testing.Answer | None:
        return testing.approve() if "cellar" in plan.plan else None

    gate = Gate()
    gate.on_plan(decide)
    with gate.client() as client:
        assert client.wait(client.create_plan("# Tidy the cellar")).approved
        waiting = client.create_plan("# Tidy the attic")
        assert client.get_plan(waiting).state == PlanState.PLAN_STATE_IN_REVIEW


def test_tool_calls_are_answered_as_the_script_says() -> None:
    """In order, with words; what a rule answers uses nothing up."""
    gate = Gate()
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
    answers = {"make": testing.allow_for_session(), "sleep": testing.expire(), "rm": testing.deny("never")}

    def answer(call: Approval) -> testing.Answer | None:
        return answers.get(call.command)

    gate = Gate()
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
    gate, asked = Gate(), list[str]()

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
    gate = Gate()
    gate.approve_next()
    gate.allow_next()
    async with gate.async_client() as client:
        assert (await client.wait(await client.create_plan("# Tidy the cellar"))).approved
        assert (await client.request_approval("s", "bash", "make")).approved


async def test_an_event_loop_waits_for_the_same() -> None:
    """A decision that comes from another thread wakes a task that waits."""
    gate = Gate()
    async with gate.async_client() as client:
        plan = await client.create_plan("# Tidy the cellar")
        with ThreadPoolExecutor() as pool, gate.client() as person:
            pool.submit(person.decide, plan, "approve")
            assert (await client.wait(plan, timeout=PATIENCE)).approved


def test_a_thread_waits_for_the_test() -> None:
    """Without a script a plan waits until somebody decides."""
    gate = Gate()
    with gate.client() as client, ThreadPoolExecutor() as pool:
        plan = client.create_plan("# Tidy the cellar")
        waiting = pool.submit(client.wait, plan)
        client.decide(plan, "reject", "no")
        assert waiting.result(PATIENCE).feedback == "no"


def test_whoever_waits_is_let_go_when_the_client_is_closed() -> None:
    """No thread of a test hangs at its end, whether it waits already or is about to."""
    client = Gate().client()
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
    with Gate().client() as client:
        client.draft_plan().write("# Tidy")
        next(client.events(client.create_plan("# Tidy the cellar")))
        next(client.prompts())
        assert set(threading.enumerate()) <= before


def test_what_has_an_end_in_time_ends() -> None:
    """Time passes as at a gate that serves, also while a thread waits and nobody calls."""
    with Gate().client() as client:
        plan = client.create_plan("# Tidy the cellar", expires_after=timedelta(milliseconds=1))
        assert client.wait(plan, timeout=PATIENCE).outcome == "EXPIRED"


async def test_an_event_loop_sees_time_pass() -> None:
    """The same for AsyncClient."""
    async with Gate().async_client() as client:
        plan = await client.create_plan("# Tidy the cellar", expires_after=timedelta(milliseconds=1))
        assert (await client.wait(plan, timeout=PATIENCE)).outcome == "EXPIRED"


def test_whoever_waits_in_vain_is_told_so() -> None:
    """A test in which nobody decides fails with words that help, and does not hang."""
    with Gate(patience=0.01).client() as client:
        plan = client.create_plan("# Tidy the cellar")
        with pytest.raises(AssertionError, match=r"nothing has happened at the gate .*approve_next"):
            client.wait(plan)


async def test_a_task_that_waits_in_vain_is_told_so() -> None:
    """The same for AsyncClient."""
    async with Gate(patience=0.01).async_client() as client:
        with pytest.raises(AssertionError, match="nothing has happened at the gate"):
            await client.request_approval("s", "bash", "make")


def test_time_that_is_over_is_said_first() -> None:
    """A caller's own deadline is a TimedOut, as everywhere, and the review goes on."""
    with Gate().client() as client:
        plan = client.create_plan("# Tidy the cellar")
        with pytest.raises(TimedOut):
            client.wait(plan, timeout=0.01)
        assert client.decide(plan, "approve").approved


async def test_a_cancelled_task_leaves_nothing_behind() -> None:
    """Its call ends, and the others go on."""
    async with Gate().async_client() as client:
        waiting = asyncio.create_task(client.request_approval("s", "bash", "make", call_id="c"))
        async with aclosing(client.prompts("s")) as prompts:
            prompt = await anext(told.prompt async for told in prompts if told.HasField("prompt"))
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (await client.answer(prompt, "approved")).call_id == "c"


def test_a_gate_that_is_forgotten_is_gone() -> None:
    """Streams that are open go with it, without a word."""
    gate = Gate()
    client = gate.client()
    events = client.events(client.create_plan("# Tidy the cellar"), follow=True)
    next(events)
    end = weakref.ref(gate)
    del gate, client, events
    gc.collect()
    assert end() is None


def test_everybody_may_do_everything_unless_a_test_says_otherwise() -> None:
    """With one client a session is given full access, and it is confirmed."""
    with Gate().client() as client:
        client.set_mode("s", "full_access")
        client.confirm_full_access("s", True)
        assert client.request_approval("s", "bash", "make").rule == "full_access"


def test_roles_are_those_of_a_gate() -> None:
    """An agent does not decide, and that it tried is in the event log."""
    gate = Gate()
    with gate.client("agent", role="agent") as agent, gate.client() as person:
        plan = agent.create_plan("# Tidy the cellar")
        with pytest.raises(RoleNotAllowed):
            agent.decide(plan, "approve")
        assert person.decide(plan, "approve").approved
        told = [entry.event.type for entry in person.history()]
        assert ReviewEventType.REVIEW_EVENT_TYPE_DECISION_REFUSED in told
        assert person.verify_audit().valid


def test_tokens_are_those_of_a_gate() -> None:
    """A token lets its bearer call until it is revoked; one that is made up never does."""
    gate = Gate()
    wanted = CreateTokenRequest(name="bot", person="ben", role=Role.ROLE_AGENT)
    with gate.client() as admin, gate.client(token="made up") as stranger:
        created = admin.create_token(wanted)
        with gate.client(token=created.secret) as bot:
            assert bot.who_am_i().name == "bot"
            admin.revoke_token(created.token.token_id)
            with pytest.raises(InvalidCredentials):
                bot.who_am_i()
        with pytest.raises(InvalidCredentials):
            stranger.who_am_i()


def test_a_stream_ends_with_its_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever may not call any more is not told more, either."""
    monkeypatch.setattr(door, "LOOK_SECONDS", 0.001)
    gate = Gate()
    with gate.client() as admin:
        created = admin.create_token(CreateTokenRequest(name="bot", role=Role.ROLE_OBSERVER))
        with gate.client(token=created.secret) as bot:
            events = bot.watch(snapshot=False)
            next(events)
            admin.revoke_token(created.token.token_id)
            with pytest.raises(InvalidCredentials):
                list(events)


def test_the_token_of_another_gate_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests pass in the shell of somebody who works with a gate that serves."""
    monkeypatch.setenv("PLANGATE_TOKEN", "of another gate")
    with Gate().client("ben") as client:
        assert client.who_am_i().person == "ben"


def test_limits_are_those_of_a_gate() -> None:
    """What is too large for a gate that serves is too large here."""
    with Gate().client() as client, pytest.raises(LimitExceeded):
        client.create_plan("x" * (1024 * 1024 + 1))


def test_what_is_remembered_by_a_pattern_is_not_asked_again() -> None:
    """Patterns are read as everywhere."""
    gate = Gate()
    with gate.client() as client, ThreadPoolExecutor() as pool:
        first = pool.submit(client.request_approval, "s", "bash", "make test")
        prompt = next(told.prompt for told in client.prompts("s") if told.HasField("prompt"))
        client.answer(prompt, "approved", remember=remember("make *"))
        assert first.result(PATIENCE).approved
        assert client.request_approval("s", "bash", "make clean").rule.startswith("remembered:")


def test_an_admin_breaks_the_glass() -> None:
    """One approval with a reason stands for several."""
    with Gate().client() as client:
        plan = client.create_plan("# Tidy the cellar", required_approvals=2)
        assert client.decide(plan, "approve", break_glass_reason="it burns").approved


def test_without_its_extra_it_says_what_to_install() -> None:
    """The words of the ImportError are the command to type."""
    code = "import sys; sys.modules['msgspec'] = None; import plangate.testing"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == (
        "ImportError: a gate for tests needs one more package: pip install 'plangate[testing]'"
    )


def test_it_loads_nothing_that_only_a_server_needs() -> None:
    """Users' tests begin soon: no database, web server or metrics is imported."""
    code = "import sys, plangate.testing; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    heavy = {"alembic", "markdown_it", "prometheus_client", "sqlalchemy", "starlette", "uvicorn", "yaml"}
    assert heavy & set(done.stdout.split()) == set()
