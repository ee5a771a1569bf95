"""DraftPlan: what was written so far is kept, can be continued, and is submitted once."""

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from plangate_server.domain.errors import (
    MalformedPlanUri,
    MissingField,
    NoReviewer,
    PlanNotFound,
    Refusal,
    SessionHasPlan,
    WrongState,
)
from plangate_server.domain.events import EventType
from plangate_server.domain.lifecycle import Amendment
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.ports import EventFilter, PlanFilter, RequestKey
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.draft_plan import DraftPart, draft_plan
from plangate_server.usecases.read_plans import get_plan, list_plans
from plangate_server.usecases.review_plan import Waiter, review_plan
from plangate_server.usecases.update_plan import UpdatePlan, update_plan
from tests.helpers.backends import take
from tests.helpers.domain import a_draft, plan_id
from tests.helpers.world import AGENT, STRANGER, Sandbox


class Broken(Exception):
    """The connection of the agent."""


async def parts(*given: DraftPart, breaks: bool = False) -> AsyncIterator[DraftPart]:
    for part in given:
        yield part
    if breaks:
        raise Broken


def a_part(text: str, *, submit: bool = False, plan_uri: str = "") -> DraftPart:
    return DraftPart(a_draft(text), plan_uri=plan_uri, submit=submit)


async def everything(sandbox: Sandbox) -> list[Plan]:
    plans, _ = await list_plans(sandbox.world, AGENT, PlanFilter(), 0, "")
    return [*plans]


async def broken_draft(sandbox: Sandbox) -> Plan:
    """The draft that is left when the connection breaks after two parts."""
    with pytest.raises(Broken):
        await draft_plan(sandbox.world, AGENT, parts(a_part("# One"), a_part("# One, two"), breaks=True))
    (draft,) = await everything(sandbox)
    return draft


async def test_a_draft_grows_before_everyones_eyes(sandbox: Sandbox) -> None:
    """Each part is told as it comes, and the last makes it a plan that waits for people."""
    with sandbox.world.feed.follow("acme", EventFilter()) as stream:
        plan = await draft_plan(
            sandbox.world, AGENT, parts(a_part("# One"), a_part("# One, two"), a_part("# Done", submit=True))
        )
        told = await take(stream, 4)
    assert [(event.type, event.plan.revision.content.plan) for event in told] == [
        (EventType.DRAFT_UPDATED, "# One"),
        (EventType.DRAFT_UPDATED, "# One, two"),
        (EventType.PLAN_CREATED, "# Done"),
        (EventType.PLAN_APPROVAL_REQUIRED, "# Done"),
    ]
    assert {event.plan.plan_id for event in told} == {plan.plan_id}
    assert (plan.state, plan.revision.number) == (PlanState.IN_REVIEW, 1)
    assert await get_plan(sandbox.world, AGENT, plan.uri) == plan


async def test_a_draft_that_is_not_submitted_stays_one(sandbox: Sandbox) -> None:
    """A stream that ends without submitting leaves a draft, and nobody is asked."""
    plan = await draft_plan(sandbox.world, AGENT, parts(a_part("# One"), a_part("")))
    assert (plan.state, plan.revision.content.plan) == (PlanState.DRAFT, "")
    assert await everything(sandbox) == [plan]


async def test_what_was_written_survives_a_broken_stream(sandbox: Sandbox) -> None:
    """The last part that came is what is kept."""
    draft = await broken_draft(sandbox)
    assert (draft.state, draft.revision.content.plan) == (PlanState.DRAFT, "# One, two")


async def test_a_broken_draft_is_continued(sandbox: Sandbox) -> None:
    """A new stream that names the draft goes on with it and submits the same plan."""
    draft = await broken_draft(sandbox)
    rest = parts(a_part("# Three", plan_uri=draft.uri), a_part("# Done", submit=True))
    plan = await draft_plan(sandbox.world, AGENT, rest)
    assert (plan.plan_id, plan.state) == (draft.plan_id, PlanState.IN_REVIEW)
    assert await everything(sandbox) == [plan]


async def test_what_follows_the_submission_is_not_taken(sandbox: Sandbox) -> None:
    """The plan that was submitted is the plan that people see."""
    more = parts(a_part("# Done", submit=True), a_part("# And more"), a_part("# More", submit=True))
    plan = await draft_plan(sandbox.world, AGENT, more)
    assert plan.revision.content.plan == "# Done"
    assert await get_plan(sandbox.world, AGENT, plan.uri) == plan


async def test_a_plan_that_came_in_one_part_is_made_once(sandbox: Sandbox) -> None:
    """Sent again under its request_id, it is the same plan, and no draft is left beside it."""
    part = replace(a_part("# Done", submit=True), key=RequestKey(AGENT.name, "r-1", "same"))
    plans = [await draft_plan(sandbox.world, AGENT, parts(part)) for _ in range(3)]
    assert plans == await everything(sandbox) * 3


async def test_a_submission_that_is_repeated_has_its_first_answer(sandbox: Sandbox) -> None:
    """An agent that lost the answer sends the last part again, naming the draft."""
    draft = await broken_draft(sandbox)
    last = a_part("# Done", submit=True, plan_uri=draft.uri)
    keyed = replace(last, key=RequestKey(AGENT.name, "r-1", "same"))
    first = await draft_plan(sandbox.world, AGENT, parts(keyed))
    assert await draft_plan(sandbox.world, AGENT, parts(keyed)) == first
    assert await sandbox.last_sequence() == 4


@pytest.mark.parametrize(
    ("part", "refusal"),
    [
        (a_part(" ", submit=True), MissingField),
        (replace(a_part("# Done", submit=True), require_reviewer=True), NoReviewer),
        (a_part("# Done", plan_uri="plangate://plans/.."), MalformedPlanUri),
        (a_part("# Done", plan_uri=f"plangate://plans/{plan_id(9)}"), PlanNotFound),
    ],
)
async def test_a_refused_first_part_leaves_nothing(
    sandbox: Sandbox, part: DraftPart, refusal: type[Refusal]
) -> None:
    """What cannot be begun is not half begun."""
    with pytest.raises(refusal):
        await draft_plan(sandbox.world, AGENT, parts(part))
    assert await everything(sandbox) == []


async def test_a_stream_without_parts_is_refused(sandbox: Sandbox) -> None:
    """Nothing was sent, so there is nothing to keep."""
    with pytest.raises(MissingField):
        await draft_plan(sandbox.world, AGENT, parts())


async def test_only_a_draft_is_continued(sandbox: Sandbox, plan: Plan) -> None:
    """What people look at already is changed with UpdatePlan, and not under their eyes."""
    with pytest.raises(WrongState):
        await draft_plan(sandbox.world, AGENT, parts(a_part("# Other", plan_uri=plan.uri)))
    assert await get_plan(sandbox.world, AGENT, plan.uri) == plan


async def test_a_stranger_finds_no_draft(sandbox: Sandbox) -> None:
    """A draft of another workspace looks like none."""
    draft = await broken_draft(sandbox)
    with pytest.raises(PlanNotFound):
        await draft_plan(sandbox.world, STRANGER, parts(a_part("# Mine", plan_uri=draft.uri)))


async def test_a_draft_beside_a_plan_in_review_becomes_its_next_revision(sandbox: Sandbox) -> None:
    """Its author has one plan in review then, and the draft is taken back, in one transaction."""
    mine = await create_plan(sandbox.world, AGENT, CreatePlan(a_draft("# Mine"), session_id="s"))
    begun = await draft_plan(sandbox.world, AGENT, parts(in_session("# Mi")))
    assert begun.uri != mine.uri
    after = await draft_plan(sandbox.world, AGENT, parts(a_part("# Newer", plan_uri=begun.uri, submit=True)))
    assert (after.uri, after.revision.number, after.revision.content.plan) == (mine.uri, 2, "# Newer")
    assert {plan.uri: plan.state for plan in await everything(sandbox)} == {
        mine.uri: PlanState.IN_REVIEW,
        begun.uri: PlanState.WITHDRAWN,
    }


async def test_a_draft_beside_a_plan_is_submitted_by_nothing_else(sandbox: Sandbox) -> None:
    """Changing it, or waiting for it, would ask about two plans of one author: refused, and it stays."""
    begun = await draft_plan(sandbox.world, AGENT, parts(in_session("# Mi")))
    command = CreatePlan(a_draft("# Mine"), session_id="s", multi_plan=True)
    mine = await create_plan(sandbox.world, AGENT, command)
    update = UpdatePlan(begun.uri, 0, Amendment(a_draft("# Other")))
    for attempt in (
        update_plan(sandbox.world, AGENT, update),
        anext(review_plan(sandbox.world, AGENT, Waiter(begun.uri))),
    ):
        with pytest.raises(SessionHasPlan) as refused:
            await attempt
        assert refused.value.metadata["plan_uri"] == mine.uri
    assert await get_plan(sandbox.world, AGENT, begun.uri) == begun


async def test_another_authors_draft_leaves_the_plan_beside_it_alone(sandbox: Sandbox) -> None:
    """In the same session: it is submitted as a plan of its own."""
    mine = await create_plan(sandbox.world, AGENT, CreatePlan(a_draft("# Mine"), session_id="s"))
    begun = await draft_plan(sandbox.world, AGENT, parts(in_session("# Th", agent_id="other")))
    part = replace(in_session("# Theirs", agent_id="other"), plan_uri=begun.uri, submit=True)
    theirs = await draft_plan(sandbox.world, AGENT, parts(part))
    assert (theirs.uri, theirs.state, theirs.revision.number) == (begun.uri, PlanState.IN_REVIEW, 1)
    assert await get_plan(sandbox.world, AGENT, mine.uri) == mine


def in_session(text: str, agent_id: str = "") -> DraftPart:
    return DraftPart(a_draft(text), session_id="s", agent_id=agent_id)
