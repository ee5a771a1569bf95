"""Four eyes at the gate for tool calls, as agents and people of several persons use it."""

from contextlib import aclosing

import pytest

from plangate_server.domain.approvals import Approval, ApprovalDecision, ApprovalState
from plangate_server.domain.errors import CallAlreadyDecided, CallIdReused, OwnRequest, RoleNotAllowed
from plangate_server.domain.events import EventType, RefusedDecision, SessionChange, SessionEvent
from plangate_server.domain.identity import Principal
from plangate_server.domain.policy import Policy
from plangate_server.domain.remembering import Scope
from plangate_server.domain.sessions import SessionMode
from plangate_server.domain.tool_rules import ToolRule
from plangate_server.domain.tools import ToolKind
from plangate_server.usecases.remembered import ResetKind, reset_memory
from plangate_server.usecases.request_approval import RequestApproval, request_approval
from plangate_server.usecases.resolve_approval import Remember, ResolveApproval, resolve_approval
from plangate_server.usecases.session_modes import change_mode, confirm
from tests.helpers.domain import NOW
from tests.helpers.world import Sandbox, make_world
from tests.unit.usecases.persons import FOUR_EYES, admin, agent, log, reviewer, switch

YES, FOR_SESSION, NO = ApprovalDecision
WORKSPACE = Remember(Scope.WORKSPACE)


@pytest.fixture
async def sandbox() -> Sandbox:
    return make_world(policy=FOUR_EYES)


async def ask(
    sandbox: Sandbox, person: str, call_id: str = "c-1", command: str = "make", session_id: str = "s"
) -> Approval:
    """The call as it stands once an agent of the person has asked for it."""
    call = Approval(
        "", "", session_id, call_id, ToolKind.TERMINAL, "bash", command, NOW, "", agent_id="builder"
    )
    async with aclosing(request_approval(sandbox.world, agent(person), RequestApproval(call))) as stream:
        return (await anext(stream)).approval


async def call_now(sandbox: Sandbox, call_id: str) -> Approval:
    found = await sandbox.store.read("acme", lambda reading: reading.approval("s", call_id))
    assert found is not None
    return found


async def answer(
    sandbox: Sandbox,
    who: Principal,
    call: Approval,
    decision: ApprovalDecision = YES,
    *,
    remember: Remember | None = None,
    break_glass: str = "",
) -> SessionChange:
    command = ResolveApproval(
        call.session_id, call.call_id, call.authority_token, decision, remember, break_glass=break_glass
    )
    return await resolve_approval(sandbox.world, who, command)


@pytest.mark.parametrize("who", [reviewer("ada"), admin("ada"), reviewer("ADA")], ids=lambda who: who.name)
@pytest.mark.parametrize("decision", [YES, FOR_SESSION])
async def test_nobody_says_yes_to_their_own(
    sandbox: Sandbox, who: Principal, decision: ApprovalDecision
) -> None:
    """It is refused and recorded; the call waits on for somebody else."""
    call = await ask(sandbox, "ada")
    with pytest.raises(OwnRequest):
        await answer(sandbox, who, call, decision)
    *_, last = await log(sandbox)
    assert isinstance(last, RefusedDecision)
    assert (last.reason, last.call_id) == ("OWN_REQUEST", "c-1")
    assert (await answer(sandbox, reviewer("bob"), call, decision)).approval.decision is decision


async def test_a_no_to_ones_own_is_taken(sandbox: Sandbox) -> None:
    """Also one that is remembered."""
    call = await ask(sandbox, "ada")
    assert (await answer(sandbox, reviewer("ada"), call, NO, remember=WORKSPACE)).approval.decision is NO
    assert (await ask(sandbox, "bob", "c-2")).rule.startswith("remembered_deny")


@pytest.mark.parametrize(
    "remember", [Remember(Scope.SESSION), WORKSPACE, Remember(Scope.WORKSPACE, "make **")]
)
async def test_a_remembered_yes_does_not_answer_ones_own(sandbox: Sandbox, remember: Remember) -> None:
    """Neither a call that comes later nor one that waits; those of others it answers at once."""
    first = await ask(sandbox, "bob")
    own, others = await ask(sandbox, "ada", "c-2"), await ask(sandbox, "eve", "c-3")
    assert (own.state, others.state) == (ApprovalState.QUEUED, ApprovalState.QUEUED)
    change = await answer(sandbox, reviewer("ada"), first, remember=remember)
    assert {each.call_id: each.state for each in change.approvals} == {
        "c-1": ApprovalState.DECIDED,
        "c-2": ApprovalState.ACTIVE,
        "c-3": ApprovalState.DECIDED,
    }
    assert (await ask(sandbox, "ada", "c-4")).state is ApprovalState.QUEUED
    assert (await ask(sandbox, "bob", "c-5")).rule.startswith("remembered:")


async def test_a_reset_does_not_lend_anybodys_yes(sandbox: Sandbox) -> None:
    """What a person forgot for the workspace and said anew is theirs again."""
    await answer(sandbox, reviewer("bob"), await ask(sandbox, "ada"), remember=WORKSPACE)
    assert (await ask(sandbox, "ada", "c-2")).rule.startswith("remembered:")
    await reset_memory(sandbox.world, reviewer("ada"), ResetKind.WORKSPACE_CHANGE, "", None)
    await answer(sandbox, reviewer("ada"), await ask(sandbox, "bob", "c-3"), remember=WORKSPACE)
    assert (await ask(sandbox, "ada", "c-4")).waits


async def test_a_session_is_no_cover(sandbox: Sandbox) -> None:
    """An agent that names a session in which its own person gave a yes for others has none."""
    await answer(sandbox, reviewer("ada"), await ask(sandbox, "bob"), FOR_SESSION)
    assert (await ask(sandbox, "bob", "c-2")).rule.startswith("remembered:")
    assert (await ask(sandbox, "ada", "c-3")).waits


async def test_full_access_is_not_for_ones_own(sandbox: Sandbox) -> None:
    """Agents of whoever confirmed it for a session ask on, also those that wait; others' do not."""
    await ask(sandbox, "ada")
    await ask(sandbox, "bob", "c-2")
    await change_mode(sandbox.world, reviewer("bob"), "s", SessionMode.FULL_ACCESS, None)
    await confirm(sandbox.world, reviewer("ada"), "s", confirm=True, key=None)
    assert (await call_now(sandbox, "c-1")).waits
    assert (await call_now(sandbox, "c-2")).rule == "full_access"
    assert (await ask(sandbox, "ada", "c-3")).waits
    assert (await ask(sandbox, "bob", "c-4")).rule == "full_access"


async def test_an_approved_call_is_not_for_agents_of_the_approver(sandbox: Sandbox) -> None:
    """Asking for the very same call under its id is refused for another person, before and after a yes."""
    call = await ask(sandbox, "ada")
    with pytest.raises(CallIdReused):
        await ask(sandbox, "bob")
    await answer(sandbox, reviewer("bob"), call)
    with pytest.raises(CallIdReused):
        await ask(sandbox, "bob")
    assert (await ask(sandbox, "ada")).decision is YES


@pytest.mark.parametrize("decision", [YES, FOR_SESSION])
async def test_an_admin_breaks_the_glass(sandbox: Sandbox, decision: ApprovalDecision) -> None:
    """For this call; it is told first. What is remembered of it answers none of the admin's own."""
    call = await ask(sandbox, "ada")
    change = await answer(sandbox, admin("ada"), call, decision, break_glass="on fire")
    assert (change.approval.decision, change.approval.break_glass) == (decision, "on fire")
    told = [each for each in await log(sandbox) if isinstance(each, SessionEvent)]
    assert [each.type for each in told[1:3]] == [EventType.BREAK_GLASS_USED, EventType.TOOL_CALL_DECIDED]
    assert (told[1].message, told[1].actor) == ("on fire", "ada-admin")
    assert (await ask(sandbox, "ada", "c-2")).waits


async def test_a_reviewer_does_not_break_the_glass(sandbox: Sandbox) -> None:
    """It is refused and recorded."""
    call = await ask(sandbox, "ada")
    with pytest.raises(RoleNotAllowed):
        await answer(sandbox, reviewer("ada"), call, break_glass="on fire")
    *_, last = await log(sandbox)
    assert isinstance(last, RefusedDecision)
    assert last.reason == "ROLE_NOT_ALLOWED"


@pytest.mark.parametrize("remember", [None, WORKSPACE])
async def test_the_glass_does_not_go_past_a_deny(sandbox: Sandbox, remember: Remember | None) -> None:
    """One that came while the call waited is final; nothing is told of a glass that was not broken."""
    call = await ask(sandbox, "ada")
    switch(sandbox, Policy(four_eyes=True, deny=(ToolRule("no-bash", tools=("bash",)),)))
    change = await answer(sandbox, admin("ada"), call, remember=remember, break_glass="on fire")
    assert (change.approval.decision, change.approval.rule) == (NO, "deny:no-bash")
    assert (change.approval.break_glass, change.remembered) == ("", ())
    assert EventType.BREAK_GLASS_USED not in [each.type for each in await log(sandbox)]


async def test_the_glass_does_not_go_past_plan_mode(sandbox: Sandbox) -> None:
    """Which denies what waits as soon as it is on."""
    call = await ask(sandbox, "ada")
    await change_mode(sandbox.world, agent("ada"), "s", SessionMode.PLAN, None)
    with pytest.raises(CallAlreadyDecided):
        await answer(sandbox, admin("ada"), call, break_glass="on fire")
    assert (await call_now(sandbox, "c-1")).rule == "plan_mode"


async def test_the_policy_switches_it(sandbox: Sandbox) -> None:
    """A yes that was remembered without four_eyes does not answer one's own once it is on."""
    switch(sandbox, Policy())
    await answer(sandbox, reviewer("ada"), await ask(sandbox, "ada"), remember=WORKSPACE)
    assert (await ask(sandbox, "ada", "c-2")).rule.startswith("remembered:")
    switch(sandbox, FOUR_EYES)
    assert (await ask(sandbox, "ada", "c-3")).waits
