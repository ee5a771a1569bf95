"""What a role may not do within calls that are open to it."""

from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import pytest

from plangate_proto.agent.v1.agent_session_service_pb2 import ConfirmFullAccessRequest, SetModeRequest
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.plan_service_pb2 import DraftPlanRequest, ReviewPlanRequest
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOptions
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    ListApprovalsRequest,
    WatchApprovalsRequest,
)
from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest
from plangate_proto.aiserver.v1.plan_service_pb2 import ReviewPlanRequest as AiserverReviewPlanRequest
from tests.helpers.gate import Gate, connected, proposal
from tests.helpers.identities import make_token
from tests.helpers.refusals import refused
from tests.helpers.streams import WatchedHub, next_of, rest_of
from tests.helpers.tool_calls import (
    AGENT,
    FULL_ACCESS,
    PLAN,
    YES,
    call,
    full_access_of,
    mode_of,
    resolution,
)
from tests.rpc.steps import told, until, updated, watching, with_todos

MODES = {"agent": AGENT, "plan": PLAN, "full access": FULL_ACCESS}


class Roles(NamedTuple):
    agent: Gate
    reviewer: Gate
    observer: Gate


@pytest.fixture
async def roles(gate: Gate) -> AsyncIterator[Roles]:
    """The gate as each of them sees it."""
    tokens = [(await make_token(gate, role)).secret for role in Roles._fields]
    async with (
        connected(gate.address, token=tokens[0]) as agent,
        connected(gate.address, token=tokens[1]) as reviewer,
        connected(gate.address, token=tokens[2]) as observer,
    ):
        yield Roles(agent, reviewer, observer)


async def set_mode(gate: Gate, mode: Any, session_id: str = "s") -> str:
    request = SetModeRequest(session_id=session_id, mode=mode)
    return mode_of((await gate.sessions.SetMode(request)).session)


async def give_full_access(reviewer: Gate) -> None:
    await set_mode(reviewer, FULL_ACCESS)
    await reviewer.sessions.ConfirmFullAccess(ConfirmFullAccessRequest(session_id="s", confirm=True))


STRICTER = [("agent", "plan"), ("full access", "agent"), ("full access", "plan")]
LOOSER = [("agent", "full access"), ("plan", "agent"), ("plan", "full access")]


@pytest.mark.parametrize(("before", "after"), STRICTER)
async def test_an_agent_can_be_stricter(roles: Roles, before: str, after: str) -> None:
    """It may always take back what it was given."""
    await (
        give_full_access(roles.reviewer)
        if before == "full access"
        else set_mode(roles.reviewer, MODES[before])
    )
    assert await set_mode(roles.agent, MODES[after]) == after.upper()


@pytest.mark.parametrize(("before", "after"), LOOSER)
async def test_an_agent_cannot_be_looser(roles: Roles, before: str, after: str) -> None:
    """Only a person can; nothing changes."""
    await set_mode(roles.reviewer, MODES[before])
    refusal = await refused(set_mode(roles.agent, MODES[after]))
    assert (refusal.status, refusal.reason) == ("PERMISSION_DENIED", "ROLE_NOT_ALLOWED")
    assert (refusal.metadata["role"], refusal.metadata["allowed"]) == ("agent", "admin, reviewer")
    session = await roles.observer.session()
    assert (mode_of(session), full_access_of(session)) == (before.upper(), "HIDDEN")
    assert await set_mode(roles.reviewer, MODES[after])


async def test_an_agent_begins_no_session_with_full_access(roles: Roles) -> None:
    """A session that nobody named before is as strict as any: asking for more leaves nothing behind."""
    assert (await refused(set_mode(roles.agent, FULL_ACCESS, "new"))).reason == "ROLE_NOT_ALLOWED"
    assert (await refused(roles.agent.session("new"))).reason == "SESSION_NOT_FOUND"
    assert await set_mode(roles.agent, PLAN, "new") == "PLAN"


async def test_setting_the_same_mode_is_not_looser(roles: Roles) -> None:
    for mode in (AGENT, PLAN, PLAN):
        assert await set_mode(roles.agent, mode)


async def watched(by: Gate, plan_by: Gate, hub: WatchedHub) -> int:
    """How many reviewers a plan hears of that is made while somebody watches."""
    stream = by.reviews.WatchReviews(WatchReviewsRequest())
    await next_of(stream)
    count = (await plan_by.agent.CreatePlan(proposal())).reviewers_watching
    stream.cancel()
    await hub.until_followers(0)
    return count


async def test_only_who_may_decide_is_watching(roles: Roles, gate: Gate, hub: WatchedHub) -> None:
    """An observer is no reviewer, whatever stream they have open; an admin is one."""
    assert await watched(roles.observer, roles.agent, hub) == 0
    assert await watched(roles.reviewer, roles.agent, hub) == 1
    assert await watched(gate, roles.agent, hub) == 1


async def test_a_plan_that_needs_a_reviewer_has_none_in_an_observer(roles: Roles) -> None:
    """Nobody would ever answer."""
    stream = roles.observer.reviews.WatchReviews(WatchReviewsRequest())
    await next_of(stream)
    request = proposal(review=ReviewOptions(require_reviewer=True))
    assert (await refused(roles.agent.agent.CreatePlan(request))).reason == "NO_REVIEWER"
    watching = roles.reviewer.reviews.WatchReviews(WatchReviewsRequest())
    await next_of(watching)
    assert (await roles.agent.agent.CreatePlan(request)).plan.plan_uri
    stream.cancel()
    watching.cancel()


async def test_a_program_that_watches_is_no_reviewer(roles: Roles) -> None:
    """A stream that no person looks at does not count, whoever opened it; and it tells everything."""
    stream, _ = await watching(roles.reviewer, unattended=True)
    wanted = proposal(review=ReviewOptions(require_reviewer=True))
    assert (await refused(roles.agent.propose(wanted))).reason == "NO_REVIEWER"
    plan = await roles.agent.propose()
    assert plan.review.reviewers_watching == 0
    assert (await until(stream, "PLAN_APPROVAL_REQUIRED"))[-1].plan_uri == plan.plan_uri
    stream.cancel()


async def test_an_observer_sees_prompts_and_cannot_answer_them(roles: Roles) -> None:
    """Everything is in them but the authority, which a reviewer has; so no answer can be passed on."""
    await roles.agent.ask(call())
    theirs, ours = await roles.observer.prompt(), await roles.reviewer.prompt()
    assert (theirs.authority_token, bool(ours.authority_token)) == ("", True)
    answer = resolution(ours, YES)
    ours.ClearField("authority_token")
    assert theirs == ours
    for nobody in (roles.observer, roles.agent):
        assert (await refused(nobody.approvals.ResolveApproval(answer))).reason == "ROLE_NOT_ALLOWED"
    without = await refused(roles.reviewer.approvals.ResolveApproval(resolution(theirs, YES)))
    assert without.reason in {"MISSING_FIELD", "PROMPT_NOT_ACTIVE"}
    await roles.reviewer.approvals.ResolveApproval(answer)


async def test_no_prompt_of_an_observers_stream_can_be_answered(roles: Roles) -> None:
    """Also of those that become active while it is open, and of all sessions at once."""
    stream = roles.observer.approvals.WatchApprovals(WatchApprovalsRequest())
    for number in range(3):
        await roles.agent.ask(call(f"make {number}", f"c{number}"))
    for number in range(3):
        while (seen := await next_of(stream)).prompt.call_id != f"c{number}":
            assert not seen.prompt.authority_token
        assert not seen.prompt.authority_token
        await roles.reviewer.answer(YES)
    stream.cancel()


async def test_the_authority_is_in_nothing_that_others_read(roles: Roles) -> None:
    """Neither what an agent hears nor what an observer lists has it."""
    stream: Any = roles.agent.approvals.RequestApproval(call())
    heard = str(await next_of(stream))
    stream.cancel()
    authority = (await roles.reviewer.prompt()).authority_token
    listed = str(await roles.observer.approvals.ListApprovals(ListApprovalsRequest()))
    assert authority not in heard + listed + str(await roles.observer.session())


async def test_a_reviewer_edits_without_approving(roles: Roles) -> None:
    """The new revision is theirs; under an agent's name or on other terms it is refused."""
    plan = await roles.agent.propose(with_todos())
    changed = await updated(roles.reviewer, plan, "# Leave the cellar", whole=True)
    assert (changed.revision, len(changed.todos), changed.state) == (2, 0, PlanState.PLAN_STATE_IN_REVIEW)
    assert list(changed.edited_by) == [plan.created_by, "reviewer"]
    for field, given in {"agent_id": "builder", "review": ReviewOptions(required_approvals=1)}.items():
        refusal = await refused(updated(roles.reviewer, changed, "# Mine", **{field: given}))
        assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", field)
    assert await roles.agent.get(plan.plan_uri) == changed
    assert (await told(roles.reviewer, plan))[-2:] == ["PLAN_UPDATED", "PLAN_APPROVAL_REQUIRED"]


async def test_an_agents_update_can_be_the_whole_plan(roles: Roles) -> None:
    """What is empty becomes empty, also what makes it a specification; a part of the text does not fit."""
    plan = await roles.agent.propose(with_todos(is_spec=True))
    refusal = await refused(updated(roles.agent, plan, whole=True, old_str="cellar", new_str="attic"))
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "old_str")
    refusal = await refused(updated(roles.agent, plan, whole=True))
    assert (refusal.reason, refusal.metadata["field"]) == ("MISSING_FIELD", "args.plan")
    spec = await updated(roles.agent, plan, "# All of it", whole=True, is_spec=True)
    assert (spec.is_spec, len(spec.todos)) == (True, 0)
    assert (await updated(roles.agent, spec, "# More of it")).is_spec
    assert not (await updated(roles.agent, await roles.agent.get(plan.plan_uri), "# It", whole=True)).is_spec


async def drafted(gate: Gate) -> Plan:
    async def parts() -> AsyncIterator[DraftPlanRequest]:
        yield DraftPlanRequest(args=CreatePlanArgs(plan="# Tidy"))

    return (await gate.agent.DraftPlan(parts())).plan


def looks(gate: Gate, plan: Plan) -> list[Any]:
    """Both ways in which a plan is followed."""
    return [
        gate.agent.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri)),
        gate.aiserver.ReviewPlan(AiserverReviewPlanRequest(plan_uri=plan.plan_uri)),
    ]


@pytest.mark.parametrize("who", ["reviewer", "observer"])
async def test_looking_at_a_draft_opens_no_review(roles: Roles, who: str) -> None:
    """Only its agent says when it is whole."""
    plan = await drafted(roles.agent)
    for stream in looks(getattr(roles, who), plan):
        try:
            await next_of(stream)
        finally:
            stream.cancel()
    assert (await roles.agent.get(plan.plan_uri)).state == PlanState.PLAN_STATE_DRAFT
    stream = looks(roles.agent, plan)[0]
    await next_of(stream)
    stream.cancel()
    assert (await roles.agent.get(plan.plan_uri)).state == PlanState.PLAN_STATE_IN_REVIEW


@pytest.mark.parametrize("who", ["reviewer", "observer"])
async def test_looking_on_delivers_nothing(roles: Roles, who: str) -> None:
    """That the agent has the decision is known only when the agent's own stream carried it."""
    plan = await roles.agent.propose()
    open_streams = looks(getattr(roles, who), plan)
    for stream in open_streams:
        await next_of(stream)
    await roles.reviewer.decide(plan, "approve")
    for stream in [*open_streams, *looks(getattr(roles, who), plan)]:
        await rest_of(stream)
    assert not (await roles.agent.get(plan.plan_uri)).review.HasField("deliver_time")
    await rest_of(looks(roles.agent, plan)[0])
    assert (await roles.agent.get(plan.plan_uri)).review.HasField("deliver_time")
    assert (await told(roles.observer, plan)).count("DECISION_DELIVERED") == 1
