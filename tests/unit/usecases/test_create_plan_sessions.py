"""A session has one plan: what is proposed in it revises that plan until somebody builds it."""

import pytest

from plangate_server.domain.building import BuildOrder
from plangate_server.domain.errors import TextNotFound
from plangate_server.domain.identity import Principal
from plangate_server.domain.lifecycle import Amendment
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.policy import PlanRules, Policy
from plangate_server.ports import PlanFilter
from plangate_server.usecases.build_todos import build_todos
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.read_plans import list_plans
from plangate_server.usecases.update_plan import UpdatePlan, update_plan
from plangate_server.usecases.withdraw_plan import withdraw_plan
from tests.helpers.domain import a_draft, a_todo
from tests.helpers.world import AGENT, STRANGER, Sandbox
from tests.unit.usecases.persons import switch
from tests.unit.usecases.steps import decide


async def propose(
    sandbox: Sandbox, text: str, *, multi_plan: bool = False, session_id: str = "s", who: Principal = AGENT
) -> Plan:
    draft = a_draft(text, todos=[a_todo("a")])
    command = CreatePlan(draft, session_id=session_id, multi_plan=multi_plan)
    return await create_plan(sandbox.world, who, command)


async def count(sandbox: Sandbox) -> int:
    plans, _ = await list_plans(sandbox.world, AGENT, PlanFilter(), 0, "")
    return len(plans)


@pytest.mark.parametrize("word", ["", "approve", "reject", "requestChanges"])
async def test_a_second_proposal_revises_the_first(sandbox: Sandbox, word: str) -> None:
    """Whatever was decided about the plan, a new proposal is its next revision and asks anew."""
    first = await propose(sandbox, "# One")
    if word:
        await decide(sandbox, first, word)
    second = await propose(sandbox, "# Two")
    assert (second.plan_id, second.revision.number) == (first.plan_id, 2)
    assert second.state is PlanState.IN_REVIEW
    assert second.review.approval_request_id != first.review.approval_request_id
    assert await count(sandbox) == 1


async def test_stricter_rules_of_the_operators_make_the_same_text_a_new_question(sandbox: Sandbox) -> None:
    """What was approved under the old rules is asked about anew when it is proposed or updated again."""
    first = await propose(sandbox, "# One")
    await decide(sandbox, first, "approve")
    assert (await propose(sandbox, "# One")).state is PlanState.APPROVED
    switch(sandbox, Policy(plans=PlanRules(required_approvals=2)))
    second = await propose(sandbox, "# One")
    assert (second.state, second.revision.number) == (PlanState.IN_REVIEW, 2)
    assert second.review.required_approvals == 2
    assert await propose(sandbox, "# One") == second
    switch(sandbox, Policy(plans=PlanRules(required_approvals=3)))
    same = UpdatePlan(second.uri, 2, Amendment(a_draft("# One")))
    third = await update_plan(sandbox.world, AGENT, same)
    assert (third.revision.number, third.review.required_approvals) == (3, 3)


async def test_with_several_plans_each_proposal_is_one(sandbox: Sandbox) -> None:
    """Who asks for a plan of its own gets one, and the next proposal revises the newest."""
    first = await propose(sandbox, "# One")
    second = await propose(sandbox, "# Two", multi_plan=True)
    third = await propose(sandbox, "# Three")
    assert first.plan_id != second.plan_id == third.plan_id


async def test_a_plan_that_is_built_or_taken_back_is_left_alone(sandbox: Sandbox) -> None:
    """What somebody works on, or what is over, is not rewritten: the session gets a new plan."""
    built = await decide(sandbox, await propose(sandbox, "# One"))
    await build_todos(sandbox.world, AGENT, built.uri, BuildOrder("coder"), None)
    second = await propose(sandbox, "# Two")
    await withdraw_plan(sandbox.world, AGENT, second.uri, reason="", agent_id="", key=None)
    third = await propose(sandbox, "# Three")
    assert len({built.plan_id, second.plan_id, third.plan_id}) == 3


async def test_sessions_are_told_apart(sandbox: Sandbox) -> None:
    """Another session, no session, and another workspace's session of the same name are others."""
    first = await propose(sandbox, "# One")
    others = [
        await propose(sandbox, "# Two", session_id="t"),
        await propose(sandbox, "# Three", session_id=""),
        await propose(sandbox, "# Four", session_id=""),
        await propose(sandbox, "# Five", who=STRANGER),
    ]
    assert len({first.plan_id, *(plan.plan_id for plan in others)}) == 5


async def test_a_part_of_the_text_can_be_replaced(sandbox: Sandbox) -> None:
    """Without a text, old_str and new_str change the session's plan; without one they find nothing."""
    command = CreatePlan(a_draft(""), session_id="s", old_str="One", new_str="Two")
    with pytest.raises(TextNotFound):
        await create_plan(sandbox.world, AGENT, command)
    first = await propose(sandbox, "# One")
    second = await create_plan(sandbox.world, AGENT, command)
    assert (second.plan_id, second.revision.content.plan) == (first.plan_id, "# Two")
    assert second.revision.content.todos == first.revision.content.todos
