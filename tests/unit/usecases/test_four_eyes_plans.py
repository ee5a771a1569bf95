"""Every way in which a revision comes about says whose it is, and so who cannot approve it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing

import pytest

from plangate_server.domain.content import Draft
from plangate_server.domain.errors import InvalidField, OwnRequest, RoleNotAllowed
from plangate_server.domain.events import Event, EventType, RefusedDecision
from plangate_server.domain.identity import Principal
from plangate_server.domain.lifecycle import Amendment
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.policy import AutoRule, Policy
from plangate_server.domain.review import ReviewOptions
from plangate_server.domain.todo_lists import TodoWrite
from plangate_server.domain.todos import TodoEdit
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.draft_plan import DraftPart, draft_plan
from plangate_server.usecases.read_plans import get_plan
from plangate_server.usecases.review_plan import Waiter, review_plan
from plangate_server.usecases.submit_review import SubmitReview, submit_review
from plangate_server.usecases.todo_tools import update_todos
from plangate_server.usecases.update_plan import UpdatePlan, update_plan
from tests.helpers.domain import a_draft, a_todo
from tests.helpers.world import Sandbox, events_of, make_world
from tests.unit.usecases.persons import FOUR_EYES, admin, agent, log, reviewer, switch
from tests.unit.usecases.steps import about

PEOPLE = ("ada", "bob", "eve", "kim")
TODO = a_todo("sweep", "Sweep the floor")

Way = Callable[[Sandbox], Awaitable[Plan]]


@pytest.fixture
async def sandbox() -> Sandbox:
    return make_world(policy=FOUR_EYES)


async def created(sandbox: Sandbox, person: str = "ada", who: Principal | None = None) -> Plan:
    command = CreatePlan(a_draft(todos=[TODO]), session_id="s", agent_id="builder")
    return await create_plan(sandbox.world, who or agent(person), command)


async def created_by_admin(sandbox: Sandbox) -> Plan:
    return await created(sandbox, who=admin("ada"))


async def created_with_an_agent_id(sandbox: Sandbox) -> Plan:
    """Under the name of another's token: what a message says changes nobody."""
    command = CreatePlan(a_draft(), agent_id="bob-desk")
    return await create_plan(sandbox.world, agent("ada"), command)


async def parts(*given: DraftPart) -> AsyncIterator[DraftPart]:
    for part in given:
        yield part


async def drafting(
    sandbox: Sandbox, who: Principal, text: str, *, plan_uri: str = "", submit: bool = False
) -> Plan:
    part = DraftPart(a_draft(text), plan_uri=plan_uri, session_id="s", submit=submit)
    return await draft_plan(sandbox.world, who, parts(part))


async def drafted(sandbox: Sandbox) -> Plan:
    return await drafting(sandbox, agent("ada"), "# One", submit=True)


async def drafted_by_two(sandbox: Sandbox) -> Plan:
    """An admin may go on with anybody's."""
    draft = await drafting(sandbox, agent("ada"), "# One")
    return await drafting(sandbox, admin("bob"), "# Two", plan_uri=draft.uri, submit=True)


async def draft_submitted_by_another(sandbox: Sandbox) -> Plan:
    """Just as the first two had left it."""
    draft = await drafting(sandbox, agent("ada"), "# One")
    await drafting(sandbox, admin("bob"), "# Two", plan_uri=draft.uri)
    return await drafting(sandbox, admin("eve"), "# Two", plan_uri=draft.uri, submit=True)


async def updated(sandbox: Sandbox) -> Plan:
    plan = await created(sandbox)
    command = UpdatePlan(plan.uri, 1, Amendment(Draft("# Anew")), agent_id="builder")
    return await update_plan(sandbox.world, agent("bob"), command)


async def with_other_todos(sandbox: Sandbox) -> Plan:
    plan = await created(sandbox)
    write = TodoWrite((TodoEdit("sweep", "Burn it down"),), merge=True, actor="builder")
    return (await update_todos(sandbox.world, agent("bob"), plan.uri, write, None)).plan


async def asked_again_after_a_no(sandbox: Sandbox) -> Plan:
    """The same text, by a third person's agent."""
    plan = await updated(sandbox)
    await submit_review(sandbox.world, reviewer("kim"), about(plan, "reject"))
    text = plan.revision.content.plan
    command = UpdatePlan(plan.uri, 2, Amendment(Draft(text)))
    return await update_plan(sandbox.world, agent("eve"), command)


async def edited_before(sandbox: Sandbox) -> Plan:
    """A person's own text from when that was allowed, that another's agent only renamed."""
    plan = await created(sandbox)
    switch(sandbox, Policy())
    edit = about(plan, "edit")
    edit = SubmitReview(
        edit.approval_request_id, "edit", edit.revision, edit.digest, edited=Amendment(Draft("# Mine"))
    )
    edited = await submit_review(sandbox.world, reviewer("bob"), edit)
    switch(sandbox, FOUR_EYES)
    assert (edited.state, edited.revision.person) == (PlanState.APPROVED, "bob")
    command = UpdatePlan(plan.uri, 2, Amendment(Draft("", name="Renamed")))
    return await update_plan(sandbox.world, agent("ada"), command)


WAYS: Mapping[Way, set[str]] = {
    created: {"ada"},
    created_by_admin: {"ada"},
    created_with_an_agent_id: {"ada"},
    drafted: {"ada"},
    drafted_by_two: {"ada", "bob"},
    draft_submitted_by_another: {"ada", "bob", "eve"},
    updated: {"ada", "bob"},
    with_other_todos: {"ada", "bob"},
    asked_again_after_a_no: {"ada", "bob", "eve"},
    edited_before: {"ada", "bob"},
}
"""And whose approval none of them takes."""


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
async def test_whose_a_revision_is(sandbox: Sandbox, way: Way) -> None:
    """Those whose tokens asked, wrote or submitted are refused, the rest are not; and that is all."""
    plan = await way(sandbox)
    assert plan.state is PlanState.IN_REVIEW
    for person in PEOPLE:
        for who in (reviewer(person), admin(person)):
            if person in WAYS[way]:
                with pytest.raises(OwnRequest):
                    await submit_review(sandbox.world, who, about(plan))
    assert await get_plan(sandbox.world, agent("ada"), plan.uri) == plan
    other = next(person for person in PEOPLE if person not in WAYS[way])
    assert (await submit_review(sandbox.world, reviewer(other), about(plan))).is_approved


@pytest.mark.parametrize("option", ["reject", "requestChanges"])
async def test_a_no_to_ones_own_is_taken(sandbox: Sandbox, option: str) -> None:
    """Whoever asked can still say no."""
    plan = await created(sandbox)
    after = await submit_review(sandbox.world, reviewer("ada"), about(plan, option, "Less"))
    assert after.state in {PlanState.REJECTED, PlanState.CHANGES_REQUESTED}


async def test_progress_makes_nothing_anybodys(sandbox: Sandbox) -> None:
    """A todo that moves on is no edit: another's agent may report it and that person approve."""
    plan = await created(sandbox)
    again = TodoWrite((TodoEdit("sweep", "Sweep the floor"),), merge=True, actor="builder")
    await update_todos(sandbox.world, agent("bob"), plan.uri, again, None)
    assert (await submit_review(sandbox.world, reviewer("bob"), about(plan))).is_approved


async def test_a_rule_approves_whoever_asked() -> None:
    """What the operator lets pass without anybody needs no second person."""
    policy = Policy(four_eyes=True, auto_approve=(AutoRule("small", max_todos=1),))
    plan = await created(make_world(policy=policy))
    assert (plan.is_approved, plan.review.rule, plan.person) == (True, "small", "ada")


async def test_the_policy_switches_it(sandbox: Sandbox) -> None:
    """At once, for reviews that are open already, too; it asks who asked when nobody minded."""
    switch(sandbox, Policy())
    plan = await created(sandbox)
    switch(sandbox, FOUR_EYES)
    with pytest.raises(OwnRequest):
        await submit_review(sandbox.world, reviewer("ada"), about(plan))
    switch(sandbox, Policy())
    assert (await submit_review(sandbox.world, reviewer("ada"), about(plan))).is_approved


async def test_a_refused_approval_is_recorded(sandbox: Sandbox) -> None:
    """With the person who tried."""
    plan = await created(sandbox)
    with pytest.raises(OwnRequest):
        await submit_review(sandbox.world, reviewer("ada"), about(plan))
    *_, last = await log(sandbox)
    assert isinstance(last, RefusedDecision)
    assert (last.reason, last.person, last.actor) == ("OWN_REQUEST", "ada", "ada-desk")


def breaking(plan: Plan, reason: str, option: str = "approve") -> SubmitReview:
    review = plan.review
    return SubmitReview(
        review.approval_request_id, option, review.revision, review.digest, "Why?", break_glass=reason
    )


@pytest.mark.parametrize(
    ("who", "reason", "option", "refusal"),
    [
        (reviewer("bob"), "on fire", "approve", RoleNotAllowed),
        (admin("bob"), " ", "approve", InvalidField),
        (admin("bob"), "on fire", "reject", InvalidField),
        (admin("bob"), "on fire", "edit", InvalidField),
    ],
)
async def test_who_cannot_break_the_glass(
    sandbox: Sandbox, who: Principal, reason: str, option: str, refusal: type[Exception]
) -> None:
    """A reviewer, nobody without a reason, and nobody for anything but an approval."""
    plan = await created(sandbox)
    command = breaking(plan, reason, option)
    if option == "edit":
        command = SubmitReview(
            command.approval_request_id,
            option,
            1,
            command.digest,
            edited=Amendment(Draft("# Mine")),
            break_glass=reason,
        )
    with pytest.raises(refusal):
        await submit_review(sandbox.world, who, command)
    assert await get_plan(sandbox.world, agent("ada"), plan.uri) == plan


async def test_an_agent_that_waits_hears_of_the_approval_last(sandbox: Sandbox) -> None:
    """The broken glass is told before it, and does not end the wait."""
    command = CreatePlan(a_draft(), options=ReviewOptions(required_approvals=3))
    plan = await create_plan(sandbox.world, agent("ada"), command)
    await submit_review(sandbox.world, admin("ada"), breaking(plan, "on fire"))
    created_at = sandbox.cursor(2)
    async with aclosing(review_plan(sandbox.world, agent("ada"), Waiter(plan.uri), created_at)) as stream:
        told = await events_of(stream)
    assert [event.type for event in told] == [EventType.BREAK_GLASS_USED, EventType.PLAN_APPROVED]
    assert all(isinstance(event, Event) for event in told)
    assert told[0].message == "on fire"
