"""Both clients at a real gate: drafts, builds as context managers, tool calls, sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import pytest

from plangate import AsyncClient, Client, Decision, errors
from plangate_proto.agent.v1.agent_session_service_pb2 import SessionMode
from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalState, Remember, RememberScope
from tests.helpers.either_client import KINDS, client_of, first_of
from tests.helpers.gate_process import gate_process
from tests.helpers.streams import types


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with gate_process(tmp_path_factory.mktemp("gate")) as address:
        yield address


def test_a_draft_is_written_and_submitted(address: str) -> None:
    """The pieces are one plan, which was a draft until it was whole."""
    with Client(address) as gate:
        with gate.draft_plan(name="Cellar", session_id="draft-sync") as draft:
            draft.write("# Tidy ")
            draft.write("the cellar\n")
            plan = draft.submit(todos=["sweep"])
        assert (plan.name, plan.plan, plan.state) == (
            "Cellar",
            "# Tidy the cellar\n",
            PlanState.PLAN_STATE_IN_REVIEW,
        )
        assert len(list(gate.list_plans(session_id="draft-sync"))) == 1


async def test_a_draft_is_written_and_submitted_with_a_loop(address: str) -> None:
    """The same, awaited; and what is never submitted stays a draft."""
    async with AsyncClient(address) as gate:
        async with gate.draft_plan(session_id="draft-async") as draft:
            await draft.write("# Tidy ")
            await draft.write("the cellar\n")
            plan = await draft.submit()
        assert (plan.plan, plan.state) == ("# Tidy the cellar\n", PlanState.PLAN_STATE_IN_REVIEW)
        async with gate.draft_plan() as left:
            await left.write("# Tidy")
        assert (await gate.get_plan(left.facts.plan_uri)).state == PlanState.PLAN_STATE_DRAFT


def approved(gate: Client) -> Decision:
    plan = gate.create_plan("# Tidy the cellar", todos=["sweep"])
    gate.decide(plan, "approve")
    return gate.wait(plan)


def test_a_build_ends_with_its_block(address: str) -> None:
    """At its end it is finished; an exception fails it, and is not hidden."""
    with Client(address) as gate:
        well = approved(gate)
        with gate.build(well) as build:
            build.done(*build.todos)
        assert gate.get_plan(well.plan).state == PlanState.PLAN_STATE_COMPLETED
        badly = approved(gate)
        with pytest.raises(LookupError), gate.build(badly):
            raise LookupError("no broom")
        assert gate.get_plan(badly.plan).state == PlanState.PLAN_STATE_FAILED


async def test_a_build_ends_with_its_block_with_a_loop(address: str) -> None:
    """The same, awaited; a task that is cancelled fails its build, too."""
    async with AsyncClient(address) as gate:
        plan = await gate.create_plan("# Tidy the cellar", todos=["sweep"])
        await gate.decide(plan, "approve")
        decision, begun = await gate.wait(plan), asyncio.Event()

        async def work() -> None:
            async with gate.build(decision):
                begun.set()
                await asyncio.Event().wait()

        working = asyncio.create_task(work())
        await begun.wait()
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working
        assert (await gate.get_plan(plan)).state == PlanState.PLAN_STATE_FAILED


@pytest.mark.parametrize("kind", KINDS)
async def test_tools_and_sessions(address: str, kind: str) -> None:
    """Reading is allowed, the rest is asked for, plan mode denies; a call can be taken back."""
    session = f"tools-{kind}"
    async with client_of(kind, address) as gate:
        assert (await gate.authorize_tool(session, "read_file", access="read")).allowed
        asked = await gate.authorize_tool(session, "bash", access="execute", command="make clean")
        assert (asked.must_ask, bool(asked.rule), bool(asked.reason)) == (True, True, True)
        asking = asyncio.create_task(gate.request_approval(session, "bash", "make clean", call_id="c"))
        shown = await first_of(gate, "prompts", session)
        while not shown.HasField("prompt"):
            shown = await first_of(gate, "prompts", session)
        await gate.cancel_approval(session, "c")
        outcome = await asking
        assert (outcome.outcome, outcome.approved, outcome.call_id) == ("CANCELLED", False, "c")
        with pytest.raises(errors.AlreadyDecided):
            await gate.answer(shown.prompt, "approved")
        await gate.set_mode(session, "plan")
        assert (await gate.authorize_tool(session, "bash", access="execute", command="ls")).denied
        assert (await gate.session(session)).queue_length == 0
        cancelled = await gate.tool_calls(ApprovalState.APPROVAL_STATE_CANCELLED, session_id=session)
        assert [call.call_id for call in cancelled] == ["c"]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_persons_remarks(address: str, kind: str) -> None:
    """A comment stands with the review until it is resolved."""
    async with client_of(kind, address) as gate:
        plan = await gate.create_plan("# Tidy the cellar\n\nall of it\n")
        made = await gate.comment(plan, "why all?", 3)
        assert [each.text for each in (await gate.review(plan)).comments] == ["why all?"]
        assert (await gate.resolve_comment(made)).resolved_by
        await gate.update_plan(plan, old_str="all", new_str="half")
        assert "+half of it" in (await gate.diff(plan)).unified_diff
        assert [each.revision for each in await gate.revisions(plan)] == [1, 2]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_person_sets_the_mode_of_any_session(address: str, kind: str) -> None:
    """Looser, too, which an agent may not; and finds the session in the list of its mode."""
    session = f"modes-{kind}"
    async with client_of(kind, address) as agent, client_of(kind, address, role="reviewer") as person:
        assert (await agent.who_am_i()).role != (await person.who_am_i()).role
        await agent.set_mode(session, "plan")
        with pytest.raises(errors.RoleNotAllowed):
            await agent.set_mode(session, "agent")
        assert session in [each.session_id for each in await person.sessions("plan")]
        loosened = await person.set_mode(session, "agent")
        assert loosened.mode == SessionMode.SESSION_MODE_AGENT
        assert (await person.sessions())[0] == await person.session(session)
        assert session not in [each.session_id for each in await agent.sessions("plan", "full_access")]


@pytest.mark.parametrize("kind", KINDS)
async def test_what_is_remembered_can_be_forgotten(address: str, kind: str) -> None:
    """One answer, or all that reach a session that begins anew."""
    session, remember = f"memory-{kind}", Remember(scope=RememberScope.REMEMBER_SCOPE_SESSION)
    async with client_of(kind, address) as gate:
        for command in ("make clean", "make test"):
            asking = asyncio.create_task(gate.request_approval(session, "bash", command))
            shown = await first_of(gate, "prompts", session)
            while not shown.HasField("prompt"):
                shown = await first_of(gate, "prompts", session)
            await gate.answer(shown.prompt, "approved", remember=remember)
            assert (await asking).approved
        kept = await gate.remembered(session)
        assert [each.scope for each in kept] == [RememberScope.REMEMBER_SCOPE_SESSION] * 2
        assert await gate.forget(kept[0]) == kept[0]
        assert await gate.remembered(session) == kept[1:]
        assert await gate.reset_memory("session_restart", session) == 1
        assert await gate.remembered(session) == []


@pytest.mark.parametrize("kind", KINDS)
async def test_the_history_of_a_plan(address: str, kind: str) -> None:
    """Every event of it and of no other plan, over all pages, each with its place in the log."""
    async with client_of(kind, address) as gate:
        plan = await gate.create_plan("# Tidy the cellar")
        await gate.create_plan("# Another plan")
        for number in range(30):
            plan = await gate.update_plan(plan, f"# Tidy the cellar {number} times")
        told = await gate.history(plan)
        expected = ["PLAN_CREATED", "PLAN_APPROVAL_REQUIRED"]
        expected += ["PLAN_UPDATED", "PLAN_APPROVAL_REQUIRED"] * 30
        assert types([entry.event for entry in told]) == expected
        assert len({entry.sequence for entry in told}) == len(told)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_person_edits_without_approving(address: str, kind: str) -> None:
    """The revision is the person's, and people are asked about it."""
    async with client_of(kind, address) as agent, client_of(kind, address, role="reviewer") as person:
        plan = await agent.create_plan("# Tidy the cellar", todos=["sweep"])
        edited = await person.update_plan(plan, "# Leave the cellar", whole=True)
        assert (edited.state, len(edited.todos)) == (PlanState.PLAN_STATE_IN_REVIEW, 0)
        assert list(edited.edited_by) == [plan.created_by, (await person.who_am_i()).name]
        with pytest.raises(errors.StaleRevision):
            await agent.update_plan(plan, "# Tidy the attic")


@pytest.mark.parametrize("kind", KINDS)
async def test_what_is_said_is_done_or_refused(address: str, kind: str) -> None:
    """Clients pass on what they are given, and the gate names what it has no use for; nothing is decided."""
    async with client_of(kind, address) as gate, client_of(kind, address, role="reviewer") as person:
        plan = await gate.create_plan("# Tidy the cellar")
        calls: tuple[Callable[[], Awaitable[object]], ...] = (
            lambda: gate.decide(plan, "approve", edited="# Mine"),
            lambda: gate.decide(plan, "approve", whole=True),
            lambda: gate.decide(plan, "edit", edited=""),
            lambda: gate.decide(plan, "reject", "No", break_glass_reason="on fire"),
            lambda: person.update_plan(plan, "# Mine", old_str="cellar", new_str="attic"),
            lambda: gate.reset_memory("workspace_change", "s"),
            lambda: gate.verify_audit(head_hash="0" * 64),
            lambda: gate.verify_audit(1),
        )
        for refused in calls:
            with pytest.raises(errors.InvalidRequest):
                await refused()
        assert await gate.get_plan(plan) == plan
