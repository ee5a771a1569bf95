"""GetPlan shows a plan of one's own workspace, at its head or at an older revision."""

import pytest
from msgspec.structs import replace

from plangate_server.domain.errors import (
    InvalidField,
    MalformedPlanUri,
    PlanNotFound,
    Reason,
    RevisionNotFound,
)
from plangate_server.domain.events import Change
from plangate_server.domain.plan import Plan
from plangate_server.usecases.read_plans import get_plan
from tests.helpers.backends import go_on
from tests.helpers.domain import a_note, plan_id
from tests.helpers.world import AGENT, STRANGER, Sandbox


def revised(plan: Plan) -> Change:
    content = replace(plan.revision.content, plan="# Other words")
    return a_note(replace(plan, revision=replace(plan.revision, number=2, content=content)))


async def test_a_plan_is_shown_as_it_is(sandbox: Sandbox, plan: Plan) -> None:
    """Without a revision, or with the head's, the whole plan is shown."""
    assert await get_plan(sandbox.world, AGENT, plan.uri) == plan
    assert await get_plan(sandbox.world, AGENT, plan.uri, 1) == plan


async def test_an_older_revision_is_shown_in_the_plan_of_today(sandbox: Sandbox, plan: Plan) -> None:
    """The content is that of the revision; state and review are what they are now."""
    new = await go_on(sandbox.store, plan, revised)
    assert await get_plan(sandbox.world, AGENT, plan.uri) == new
    assert await get_plan(sandbox.world, AGENT, plan.uri, 1) == replace(new, revision=plan.revision)


@pytest.mark.parametrize("revision", [2, 2**63 - 1])
async def test_a_revision_that_the_plan_does_not_have_is_not_found(
    sandbox: Sandbox, plan: Plan, revision: int
) -> None:
    """The refusal names the plan and the revision."""
    with pytest.raises(RevisionNotFound) as refused:
        await get_plan(sandbox.world, AGENT, plan.uri, revision)
    assert refused.value.reason is Reason.REVISION_NOT_FOUND
    assert refused.value.field == "revision"
    assert refused.value.metadata == {"plan_uri": plan.uri, "revision": str(revision)}


@pytest.mark.parametrize("revision", [0, -1])
async def test_revisions_are_counted_from_one(sandbox: Sandbox, plan: Plan, revision: int) -> None:
    """A number that no revision can have is a mistake of its own."""
    with pytest.raises(InvalidField) as refused:
        await get_plan(sandbox.world, AGENT, plan.uri, revision)
    assert refused.value.field == "revision"


async def test_a_plan_that_is_not_there_is_not_found(sandbox: Sandbox) -> None:
    """The refusal names what was asked for."""
    plan_uri = f"plangate://plans/{plan_id(9)}"
    with pytest.raises(PlanNotFound) as refused:
        await get_plan(sandbox.world, AGENT, plan_uri)
    assert refused.value.metadata == {"plan_uri": plan_uri}


@pytest.mark.parametrize("revision", [None, 1, 2])
async def test_another_workspaces_plan_looks_like_none(
    sandbox: Sandbox, plan: Plan, revision: int | None
) -> None:
    """A stranger learns nothing, not even that there is a plan."""
    with pytest.raises(PlanNotFound) as refused:
        await get_plan(sandbox.world, STRANGER, plan.uri, revision)
    missing = PlanNotFound(plan.uri)
    assert (str(refused.value), refused.value.metadata) == (str(missing), missing.metadata)


@pytest.mark.parametrize("plan_uri", ["", "plangate://plans/..", plan_id(1)])
async def test_what_is_no_uri_is_refused(sandbox: Sandbox, plan_uri: str) -> None:
    """A malformed name is another mistake than an unknown one."""
    with pytest.raises(MalformedPlanUri):
        await get_plan(sandbox.world, AGENT, plan_uri)
