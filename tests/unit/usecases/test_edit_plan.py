"""A reviewer changes a plan without approving it: the revision is theirs, and people are asked anew."""

from datetime import timedelta

import pytest

from plangate_server.domain.content import Draft
from plangate_server.domain.errors import InvalidField, OwnRequest, StaleRevision
from plangate_server.domain.events import EventType
from plangate_server.domain.lifecycle import Amendment, StatusSaid
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.policy import AutoRule, Policy
from plangate_server.domain.review import ReviewOptions, ReviewOutcome
from plangate_server.domain.todos import TodoStatus
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.submit_review import submit_review
from plangate_server.usecases.update_plan import UpdatePlan, update_plan
from tests.helpers.backends import events_in
from tests.helpers.domain import a_draft
from tests.helpers.world import Sandbox, make_world
from tests.unit.usecases.persons import agent, reviewer
from tests.unit.usecases.steps import about

AT_WORK = StatusSaid("todos[0].status", "a", TodoStatus.IN_PROGRESS)
TERMS = ReviewOptions(timedelta(hours=1), 2)


async def proposed(sandbox: Sandbox, options: ReviewOptions | None = None) -> Plan:
    return await create_plan(sandbox.world, agent("ada"), CreatePlan(a_draft(), options=options))


async def edited(sandbox: Sandbox, plan: Plan, person: str = "bob", text: str = "# As Bob wants it") -> Plan:
    command = UpdatePlan(plan.uri, plan.revision.number, Amendment(Draft(text), whole=True))
    return await update_plan(sandbox.world, reviewer(person), command)


async def test_an_edit_is_a_revision_by_the_person(sandbox: Sandbox) -> None:
    """Author, person, registry and events name who did it, and nothing is approved."""
    plan = await edited(sandbox, await proposed(sandbox))
    bob = reviewer("bob")
    assert (plan.revision.author, plan.revision.person, plan.review.person) == (bob.name, "bob", "bob")
    assert (plan.state, plan.is_approved, plan.edited_by[-1]) == (PlanState.IN_REVIEW, False, bob.name)
    last = (await events_in(sandbox.store, plan))[-2:]
    assert [(event.type, event.actor) for event in last] == [
        (EventType.PLAN_UPDATED, bob.name),
        (EventType.PLAN_APPROVAL_REQUIRED, bob.name),
    ]


async def test_an_edit_is_reviewed_on_the_same_terms(sandbox: Sandbox) -> None:
    """As many approvals in as much time, and none of those that were given before."""
    plan = await proposed(sandbox, TERMS)
    await submit_review(sandbox.world, reviewer("kim"), about(plan))
    after = await edited(sandbox, plan)
    assert (after.options, after.review.required_approvals, after.review.decisions) == (TERMS, 2, ())
    assert after.review.approval_request_id != plan.review.approval_request_id


async def test_an_edit_voids_what_was_approved(sandbox: Sandbox) -> None:
    """Also by the person who approved it: what may be built is what was looked at."""
    plan = await proposed(sandbox)
    approved = await submit_review(sandbox.world, reviewer("bob"), about(plan))
    assert approved.is_approved
    assert not (await edited(sandbox, approved)).is_approved


async def test_no_rule_answers_for_people() -> None:
    """What an agent proposes may be approved by a rule; what a person saved is for people to answer."""
    sandbox = make_world(AutoRule("small plans", max_todos=100))
    plan = await proposed(sandbox)
    assert plan.review.outcome is ReviewOutcome.APPROVED
    assert (await edited(sandbox, plan)).state is PlanState.IN_REVIEW


@pytest.mark.parametrize("person", ["ada", "bob"])
async def test_four_eyes_count_the_last_edit(person: str) -> None:
    """Neither the asker's person nor the one who edited approves it; a third one does."""
    sandbox = make_world(policy=Policy(four_eyes=True))
    plan = await edited(sandbox, await proposed(sandbox))
    with pytest.raises(OwnRequest):
        await submit_review(sandbox.world, reviewer(person), about(plan))
    assert (await submit_review(sandbox.world, reviewer("kim"), about(plan))).is_approved


async def test_the_same_text_is_no_edit(sandbox: Sandbox) -> None:
    """Nobody is asked again, and it does not become the person's."""
    plan = await edited(sandbox, await proposed(sandbox))
    assert await edited(sandbox, plan, "kim", plan.revision.content.plan) == plan
    assert plan.review.person == "bob"


async def test_two_edits_at_once_are_told_apart(sandbox: Sandbox) -> None:
    """The second was based on what is no longer there."""
    plan = await proposed(sandbox)
    await edited(sandbox, plan)
    with pytest.raises(StaleRevision):
        await edited(sandbox, plan, "kim", "# As Kim wants it")


@pytest.mark.parametrize(
    ("field", "command"),
    [
        ("agent_id", UpdatePlan("", 1, Amendment(Draft("# Mine")), agent_id="builder")),
        ("review", UpdatePlan("", 1, Amendment(Draft("# Mine"), options=ReviewOptions()))),
        ("old_str", UpdatePlan("", 1, Amendment(Draft("# Mine"), old_str="cellar"))),
        ("new_str", UpdatePlan("", 1, Amendment(Draft("# Mine"), new_str="attic"))),
        ("name", UpdatePlan("", 1, Amendment(Draft("", name=" ")))),
        ("todos[0].status", UpdatePlan("", 1, Amendment(Draft("# Mine"), statuses=(AT_WORK,)))),
    ],
)
async def test_a_reviewer_says_one_thing(sandbox: Sandbox, field: str, command: UpdatePlan) -> None:
    """Not what an agent has to say, how many must agree and how far todos are, nor two texts at once."""
    plan = await proposed(sandbox)
    given = UpdatePlan(plan.uri, 1, command.amendment, command.agent_id)
    with pytest.raises(InvalidField) as refused:
        await update_plan(sandbox.world, reviewer("bob"), given)
    assert refused.value.field == field
