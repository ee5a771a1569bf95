"""CreatePlan stores a plan, asks people about it, and returns at once; or it refuses and stores nothing."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from plangate_server.domain.errors import (
    InvalidField,
    LimitExceeded,
    MissingField,
    NoReviewer,
    Reason,
    Refusal,
    RequestIdReused,
)
from plangate_server.domain.plan import PlanState
from plangate_server.domain.review import ReviewOptions
from plangate_server.ports import PlanFilter, RequestKey
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.read_plans import get_plan, list_plans
from tests.helpers.domain import NOW, a_draft
from tests.helpers.world import AGENT, Sandbox

LONG = "é" * 128
"""An id of exactly the limit of 256 bytes."""


async def test_a_plan_is_stored_and_waits_for_people(sandbox: Sandbox) -> None:
    """What is returned is what is stored: a plan in review, made now, in the caller's workspace."""
    plan = await create_plan(sandbox.world, AGENT, CreatePlan(a_draft()))
    assert plan.state is PlanState.IN_REVIEW
    assert (plan.workspace, plan.create_time) == (AGENT.workspace, NOW)
    assert await get_plan(sandbox.world, AGENT, plan.uri) == plan


async def test_plan_and_review_have_ids_of_their_own(sandbox: Sandbox) -> None:
    """No id is used twice, neither within a plan nor for the next one."""
    plans = [await create_plan(sandbox.world, AGENT, CreatePlan(a_draft())) for _ in range(3)]
    assert len({name for plan in plans for name in (plan.plan_id, plan.review.approval_request_id)}) == 6


async def test_the_author_is_the_agent_that_was_named(sandbox: Sandbox) -> None:
    """A caller may say which of its agents made the plan; otherwise the caller did."""
    named = await create_plan(sandbox.world, AGENT, CreatePlan(a_draft(), agent_id="planner"))
    unnamed = await create_plan(sandbox.world, AGENT, CreatePlan(a_draft()))
    assert (named.created_by, unnamed.created_by) == ("planner", AGENT.name)


async def test_session_and_tool_call_are_kept(sandbox: Sandbox) -> None:
    """Ids of exactly the limit are stored as they came."""
    command = CreatePlan(a_draft(), session_id=LONG, agent_id=LONG, tool_call_id=LONG)
    plan = await create_plan(sandbox.world, AGENT, command)
    stored = await get_plan(sandbox.world, AGENT, plan.uri)
    assert (stored.session_id, stored.created_by, stored.tool_call_id) == (LONG, LONG, LONG)


@pytest.mark.parametrize(
    ("command", "refusal", "field"),
    [
        (CreatePlan(a_draft(" ")), MissingField, "plan"),
        (CreatePlan(a_draft(), session_id=LONG + "x"), LimitExceeded, "session_id"),
        (CreatePlan(a_draft(), agent_id=LONG + "x"), LimitExceeded, "agent_id"),
        (CreatePlan(a_draft(), tool_call_id=LONG + "x"), LimitExceeded, "tool_call_id"),
        (
            CreatePlan(a_draft(), options=ReviewOptions(required_approvals=-1)),
            InvalidField,
            "review.required_approvals",
        ),
        (
            CreatePlan(a_draft(), options=ReviewOptions(required_approvals=101)),
            InvalidField,
            "review.required_approvals",
        ),
        (
            CreatePlan(a_draft(), options=ReviewOptions(expires_after=timedelta())),
            InvalidField,
            "review.expires_after",
        ),
        (CreatePlan(a_draft(), require_reviewer=True), NoReviewer, None),
    ],
)
async def test_a_refused_plan_leaves_nothing(
    sandbox: Sandbox, command: CreatePlan, refusal: type[Refusal], field: str | None
) -> None:
    """What is wrong, too large or cannot be met is refused with its field, and nothing is stored."""
    keyed = replace(command, key=RequestKey(AGENT.name, "r-1", "one"))
    with pytest.raises(refusal) as refused:
        await create_plan(sandbox.world, AGENT, keyed)
    assert refused.value.field == field
    assert await sandbox.last_sequence() == 0
    assert await list_plans(sandbox.world, AGENT, PlanFilter(), 0, "") == ([], "")


@pytest.mark.parametrize("required_approvals", [0, 1])
async def test_one_approval_is_the_default(sandbox: Sandbox, required_approvals: int) -> None:
    """Leaving the number out means one."""
    command = CreatePlan(a_draft(), options=ReviewOptions(required_approvals=required_approvals))
    plan = await create_plan(sandbox.world, AGENT, command)
    assert plan.review.required_approvals == 1


async def test_a_refusal_is_not_remembered(sandbox: Sandbox) -> None:
    """The id of a refused request may be used again, for the request that was mended."""
    with pytest.raises(MissingField):
        await create_plan(sandbox.world, AGENT, CreatePlan(a_draft(""), key=RequestKey("a", "r-1", "one")))
    mended = CreatePlan(a_draft(), key=RequestKey("a", "r-1", "two"))
    assert (await create_plan(sandbox.world, AGENT, mended)).state is PlanState.IN_REVIEW


async def test_a_repeated_request_has_its_first_answer(sandbox: Sandbox) -> None:
    """A client that did not get its answer asks again and gets it, though time has passed."""
    command = CreatePlan(a_draft(), key=RequestKey(AGENT.name, "r-1", "one"))
    first = await create_plan(sandbox.world, AGENT, command)
    sandbox.clock.advance(timedelta(hours=23))
    assert await create_plan(sandbox.world, AGENT, command) == first
    assert await sandbox.last_sequence() == 2


async def test_an_id_cannot_stand_for_another_request(sandbox: Sandbox) -> None:
    """The same id with other contents is refused, and nothing is stored for it."""
    key = RequestKey(AGENT.name, "r-1", "one")
    await create_plan(sandbox.world, AGENT, CreatePlan(a_draft(), key=key))
    with pytest.raises(RequestIdReused) as refused:
        await create_plan(sandbox.world, AGENT, CreatePlan(a_draft(), key=replace(key, fingerprint="two")))
    assert refused.value.reason is Reason.REQUEST_ID_REUSED
    assert await sandbox.last_sequence() == 2


async def test_without_a_request_id_every_call_is_a_plan(sandbox: Sandbox) -> None:
    """Nothing is merged that the caller did not mark as the same."""
    plans = [await create_plan(sandbox.world, AGENT, CreatePlan(a_draft())) for _ in range(2)]
    assert plans[0].plan_id != plans[1].plan_id
