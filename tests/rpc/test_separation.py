"""Separation of duties over the socket: agents never decide, and nobody approves what is their own."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from plangate_proto.agent.v1.access_token_service_pb2 import CreateTokenRequest, Role
from plangate_proto.agent.v1.agent_session_service_pb2 import ConfirmFullAccessRequest, SetModeRequest
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOptions
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalPrompt
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.plan_review_service_pb2 import ListEventsRequest, VerifyAuditRequest
from tests.helpers.backends import BACKENDS, on
from tests.helpers.gate import Gate, connected, decision, proposal
from tests.helpers.people import People, people_at
from tests.helpers.postgres import database_of
from tests.helpers.refusals import refused
from tests.helpers.streams import types
from tests.helpers.tool_calls import FULL_ACCESS, YES, call, outcome, remember, resolution, tool, verdict
from tests.rpc.steps import edited, kinds, told, updated
from tests.rpc.test_races import reason

OPTIONS = ("approve", "edit", "reject", "requestChanges")
PEOPLE = 20
ROUNDS = 30
MADE_UP = ApprovalPrompt(session_id="s", call_id="c1", authority_token="f" * 32)
"""Agents see no prompts."""


@pytest.fixture
async def people(tmp_path: Path) -> AsyncIterator[People]:
    async with people_at(tmp_path / "plangate.db", tmp_path) as people:
        yield people


async def decide(desk: Gate, plan: Plan, option: str) -> Any:
    if option == "edit":
        return await edited(desk, plan, CreatePlanParams(plan="# Mine"))
    return await desk.decide(plan, option, "Why?")


async def refusals(gate: Gate) -> list[tuple[str, str, str, str]]:
    """Of every refused decision: who, of whom, what they wanted to call, why not."""
    request = ListEventsRequest(types=kinds("DECISION_REFUSED"), page_size=1000)
    found = [entry.event for entry in (await gate.reviews.ListEvents(request)).entries]
    assert (await gate.reviews.VerifyAudit(VerifyAuditRequest())).valid
    return [(each.actor, each.refused.person, each.refused.method, each.refused.reason) for each in found]


async def submits(gate: Gate, plan: Plan) -> Any:
    return await gate.decide(plan, "approve")


async def resolves(gate: Gate, plan: Plan) -> Any:
    return await gate.approvals.ResolveApproval(resolution(MADE_UP, YES))


async def confirms(gate: Gate, plan: Plan) -> Any:
    return await gate.sessions.ConfirmFullAccess(ConfirmFullAccessRequest(session_id="s", confirm=True))


@pytest.mark.parametrize("role", ["agent", "observer"])
@pytest.mark.parametrize(
    ("decides", "method"),
    [(submits, "SubmitReview"), (resolves, "ResolveApproval"), (confirms, "ConfirmFullAccess")],
)
async def test_whoever_does_not_decide_is_recorded_when_they_try(
    people: People, role: str, decides: Callable[[Gate, Plan], Awaitable[Any]], method: str
) -> None:
    """ROLE_NOT_ALLOWED, an entry in the log that names them, and nothing decided."""
    builder = await people.agent("bob")
    plan = await builder.propose(proposal(session_id="s"))
    await builder.ask(call("make"))
    await people.gate.sessions.SetMode(SetModeRequest(session_id="s", mode=FULL_ACCESS))
    refusal = await refused(decides(await people.of("eve", role), plan))
    assert (refusal.status, refusal.reason) == ("PERMISSION_DENIED", "ROLE_NOT_ALLOWED")
    assert await refusals(people.gate) == [(f"eve-{role}", "eve", method, "ROLE_NOT_ALLOWED")]
    assert (await people.gate.get(plan.plan_uri)).state == PlanState.PLAN_STATE_IN_REVIEW
    assert (await people.gate.prompt()).call_id == "c1"


@pytest.mark.parametrize(("role", "option"), list(product(["reviewer", "admin"], OPTIONS)))
async def test_who_decides_what(people: People, role: str, option: str) -> None:
    """The asker and the last editor, by whichever token, cannot approve; others can; nobody edits."""
    for decider in ("bob", "BOB", "eve", "kim"):
        builder = await people.agent("bob")
        plan = await updated(await people.agent("eve"), await builder.propose(), "# Eve's words")
        why = await reason(decide(await people.of(decider, role), plan, option))
        own = decider != "kim"
        assert why == ("OWN_REQUEST" if option == "edit" or (option == "approve" and own) else "")


async def test_a_refusal_says_whose_it_is(people: People) -> None:
    """With the review and the person, and in the log."""
    plan = await (await people.agent("bob")).propose()
    refusal = await refused((await people.reviewer("bob")).decide(plan, "approve"))
    assert (refusal.status, refusal.reason) == ("PERMISSION_DENIED", "OWN_REQUEST")
    told_of = {"approval_request_id": plan.review.approval_request_id, "person": "bob"}
    assert told_of.items() <= refusal.metadata.items()
    assert await refusals(people.gate) == [("bob-desk", "bob", "SubmitReview", "OWN_REQUEST")]


async def test_tool_calls_need_another_person(people: People) -> None:
    """To say yes, to be remembered for, and to confirm full access."""
    bob, eve = await people.agent("bob"), await people.agent("eve")
    bobs_desk = await people.reviewer("bob")
    await bob.ask(call("make"))
    assert (await refused(bobs_desk.answer(YES))).reason == "OWN_REQUEST"
    await (await people.reviewer("eve")).answer(YES)
    await eve.ask(call("make lint", "c2"))
    await bobs_desk.answer(YES, remember=remember(scope="WORKSPACE"))
    lint = tool(command="make lint")
    assert verdict(await bob.sessions.AuthorizeTool(lint)) == ("CONFIRM", "default")
    assert verdict(await eve.sessions.AuthorizeTool(lint))[0] == "ALLOW"
    await bobs_desk.sessions.SetMode(SetModeRequest(session_id="s", mode=FULL_ACCESS))
    await confirms(bobs_desk, Plan())
    rm = tool(command="rm -r cellar")
    assert verdict(await bob.sessions.AuthorizeTool(rm)) == ("CONFIRM", "default")
    assert verdict(await eve.sessions.AuthorizeTool(rm)) == ("ALLOW", "full_access")


async def test_another_workspace_is_another_world(people: People) -> None:
    """A person of the same name there neither sees nor decides anything here."""
    wanted = CreateTokenRequest(name="kim", role=Role.ROLE_ADMIN, workspace="elsewhere")
    secret = (await people.gate.tokens.CreateToken(wanted)).secret
    plan = await (await people.agent("bob")).propose()
    async with connected(people.gate.address, token=secret) as kim:
        assert (await refused(kim.decide(plan, "approve"))).reason == "REVIEW_NOT_FOUND"


async def test_tokens_of_one_person_are_one_approval(people: People) -> None:
    """The second token is told that the person has approved; the second person ends the wait."""
    options = ReviewOptions(required_approvals=2)
    plan = await (await people.agent("bob")).propose(proposal(review=options))
    for desk, why in [("desk", ""), ("phone", "ALREADY_DECIDED")]:
        assert await reason((await people.reviewer("eve", desk)).decide(plan, "approve")) == why
        assert (await people.gate.get(plan.plan_uri)).state == PlanState.PLAN_STATE_IN_REVIEW
    assert await reason((await people.reviewer("kim")).decide(plan, "approve")) == ""
    after = await people.gate.get(plan.plan_uri)
    assert after.state == PlanState.PLAN_STATE_APPROVED
    assert [each.person for each in after.review.decisions] == ["eve", "kim"]


async def test_twenty_people_with_two_tokens_each_at_once(people: People) -> None:
    """Each person counts once, whichever of their tokens is faster, and all of them are enough."""
    options = ReviewOptions(required_approvals=PEOPLE)
    plan = await (await people.agent("bob")).propose(proposal(review=options))
    names = [f"person-{number}" for number in range(PEOPLE)]
    desks = [await people.reviewer(name, token) for name in names for token in ("desk", "phone")]
    reasons = await asyncio.gather(*(reason(desk.decide(plan, "approve")) for desk in desks))
    assert sorted(reasons) == [""] * PEOPLE + ["ALREADY_DECIDED"] * PEOPLE
    after = await people.gate.get(plan.plan_uri)
    assert after.state == PlanState.PLAN_STATE_APPROVED
    assert sorted(each.person for each in after.review.decisions) == sorted(names)


async def test_an_admin_breaks_the_glass_of_a_plan(people: People) -> None:
    """Past four_eyes and the quorum; told before the approval, kept on the decision, found by its type."""
    admin = await people.admin("bob")
    options = ReviewOptions(required_approvals=3)
    plan = await admin.propose(proposal(review=options))
    request = decision(plan, "approve", request_id="r-1")
    assert (await refused(admin.reviews.SubmitReview(request))).reason == "OWN_REQUEST"
    request.break_glass_reason = "on fire"
    (made,) = (await admin.reviews.SubmitReview(request)).review.decisions
    assert (made.reviewer, made.person, made.break_glass_reason) == ("bob-admin", "bob", "on fire")
    assert (await told(admin, plan))[2:] == ["DECISION_REFUSED", "BREAK_GLASS_USED", "PLAN_APPROVED"]
    listed = await admin.reviews.ListEvents(ListEventsRequest(types=kinds("BREAK_GLASS_USED")))
    (glass,) = [entry.event for entry in listed.entries]
    assert (glass.message, glass.actor, glass.request_id) == ("on fire", "bob-admin", "r-1")
    assert glass.review.approval_request_id == plan.review.approval_request_id
    assert (await admin.reviews.VerifyAudit(VerifyAuditRequest())).valid


async def test_an_admin_breaks_the_glass_of_a_call(people: People) -> None:
    """With the same entry, which carries the call."""
    await (await people.agent("bob")).ask(call("make"))
    admin = await people.admin("bob")
    await admin.answer(YES, break_glass_reason="on fire")
    request = ListEventsRequest(session_id="s", page_size=100)
    log = [entry.event for entry in (await admin.reviews.ListEvents(request)).entries]
    assert types(log) == ["TOOL_CALL_REQUESTED", "BREAK_GLASS_USED", "TOOL_CALL_DECIDED"]
    assert log[1].message == "on fire"
    for event in log[1:]:
        assert event.approval.break_glass_reason == "on fire"
        assert outcome(event.approval) == ("DECIDED", "APPROVED", "MANUAL", "bob-admin")
    assert (await admin.reviews.VerifyAudit(VerifyAuditRequest())).valid


async def test_a_reviewer_does_not_break_the_glass(people: People) -> None:
    """Neither of a plan nor of a call; both tries are recorded."""
    builder, desk = await people.agent("bob"), await people.reviewer("bob")
    request = decision(await builder.propose(), "approve")
    request.break_glass_reason = "on fire"
    assert (await refused(desk.reviews.SubmitReview(request))).reason == "ROLE_NOT_ALLOWED"
    await builder.ask(call("make"))
    assert (await refused(desk.answer(YES, break_glass_reason="on fire"))).reason == "ROLE_NOT_ALLOWED"
    assert await refusals(people.gate) == [
        ("bob-desk", "bob", "SubmitReview", "ROLE_NOT_ALLOWED"),
        ("bob-desk", "bob", "ResolveApproval", "ROLE_NOT_ALLOWED"),
    ]


async def test_a_yes_never_covers_what_ones_own_agent_wrote_meanwhile(people: People) -> None:
    """Whichever comes first, the words of the approver's agent wait for somebody else."""
    author, editor, desk = await people.agent("bob"), await people.agent("eve"), await people.reviewer("eve")
    for number in range(ROUNDS):
        plan = await author.propose(proposal(f"# {number}"))
        calls = [reason(updated(editor, plan, "# Eve's words")), reason(desk.decide(plan, "approve"))]
        await asyncio.gather(*(calls if number % 2 else calls[::-1]))
        after = await people.gate.get(plan.plan_uri)
        assert (after.state, after.revision) == (PlanState.PLAN_STATE_IN_REVIEW, 2)
        assert await reason(desk.decide(after, "approve")) == "OWN_REQUEST"


@pytest.mark.parametrize("name", on("sqlite", "postgres"))
async def test_it_holds_after_a_restart(tmp_path: Path, name: str) -> None:
    """Whose a plan, a call and a remembered yes are is still known, and the log can still be read."""
    BACKENDS[name].prepare(tmp_path)
    database = database_of(tmp_path) if name == "postgres" else tmp_path / "plangate.db"
    async with people_at(database, tmp_path) as people:
        bob, eve = await people.agent("bob"), await people.agent("eve")
        plan = await bob.propose()
        glass = decision(await bob.propose(), "approve")
        glass.break_glass_reason = "on fire"
        await people.gate.reviews.SubmitReview(glass)
        await eve.ask(call("make"))
        await (await people.reviewer("bob")).answer(YES, remember=remember(scope="WORKSPACE"))
        await bob.ask(call("make", "c2"))
    async with people_at(database, tmp_path) as people:
        desk = await people.reviewer("bob", "another")
        assert (await refused(desk.decide(plan, "approve"))).reason == "OWN_REQUEST"
        assert (await refused(desk.answer(YES))).reason == "OWN_REQUEST"
        bob = await people.agent("bob")
        assert verdict(await bob.sessions.AuthorizeTool(tool(command="make")))[0] == "CONFIRM"
        log = await desk.reviews.ListEvents(ListEventsRequest(page_size=1000))
        happened = types([entry.event for entry in log.entries])
        assert {"TOKEN_CREATED", "BREAK_GLASS_USED", "DECISION_REFUSED"} < set(happened)
        assert (await desk.reviews.VerifyAudit(VerifyAuditRequest())).valid
