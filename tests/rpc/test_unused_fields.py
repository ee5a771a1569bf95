"""What a person sent is done or refused: no field is left aside that says what they meant."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.plan_service_pb2 import DraftPlanRequest
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOptions
from plangate_proto.aiserver.v1.plan_review_service_pb2 import ListEventsRequest
from tests.helpers.gate import Gate, connected
from tests.helpers.refusals import refused
from tests.helpers.tokens import local_token
from tests.helpers.unused_fields import LEGAL, REFUSED, Desk, Row, laid
from tests.rpc.steps import told

UNKNOWN = f"plangate://plans/{0:032x}"


async def send(gate: Gate, row: Row, desk: Desk) -> Any:
    """As whoever the row is about."""
    service, name = row.method.split("/")
    async with connected(gate.address, token=local_token(row.role)) as caller:
        stubs = {
            "agent.v1.PlanService": caller.agent,
            "agent.v1.ApprovalService": caller.approvals,
            "aiserver.v1.PlanReviewService": caller.reviews,
        }
        return await getattr(stubs[service], name)(row.request(desk))


async def log_length(gate: Gate) -> int:
    return len((await gate.reviews.ListEvents(ListEventsRequest(page_size=1000))).entries)


@pytest.mark.parametrize("row", REFUSED.values(), ids=list(REFUSED))
async def test_a_field_that_is_not_used_is_refused(gate: Gate, row: Row) -> None:
    """The refusal names it, and everything is as it was: nothing is decided, remembered or forgotten."""
    desk = await laid(gate)
    before = await log_length(gate)
    refusal = await refused(send(gate, row, desk))
    assert (refusal.reason, refusal.metadata["field"]) == (row.reason, row.field)
    assert (await gate.get(desk.plan.plan_uri), await gate.prompt(), await gate.prompt("two")) == desk
    assert await log_length(gate) == before


@pytest.mark.parametrize("row", LEGAL.values(), ids=list(LEGAL))
async def test_what_is_used_stays_legal(gate: Gate, row: Row) -> None:
    """Words with an approval, a reason for it, and everything that goes together."""
    await send(gate, row, await laid(gate))


async def drafted(gate: Gate, *parts: DraftPlanRequest) -> Plan:
    async def sent() -> AsyncIterator[DraftPlanRequest]:
        for part in parts:
            yield part

    answer = await gate.agent.DraftPlan(sent())
    return answer.plan


def part(**fields: Any) -> DraftPlanRequest:
    return DraftPlanRequest(args=CreatePlanArgs(plan="# Tidy"), **fields)


FIRST = part(session_id="s", agent_id="builder")
TERMS = ReviewOptions(required_approvals=2)


@pytest.mark.parametrize(
    ("field", "parts"),
    [
        ("review", (part(review=TERMS), part(submit=True))),
        ("review", (FIRST, part(review=ReviewOptions()), part(submit=True))),
        ("request_id", (part(request_id="r1"), part(submit=True))),
        ("session_id", (FIRST, part(session_id="other", submit=True))),
        ("session_id", (part(), part(session_id="late", submit=True))),
        ("agent_id", (FIRST, part(agent_id="other", submit=True))),
        ("agent_id", (part(), part(agent_id="late", submit=True))),
        ("plan_uri", (FIRST, part(plan_uri=UNKNOWN, submit=True))),
    ],
)
async def test_a_draft_is_asked_about_as_it_was_begun(
    gate: Gate, field: str, parts: tuple[DraftPlanRequest, ...]
) -> None:
    """Terms that come too early are refused, and another session, agent or plan that comes too late."""
    refusal = await refused(drafted(gate, *parts))
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", field)
    assert all(plan.state == PlanState.PLAN_STATE_DRAFT for plan in await gate.plans())


async def test_a_draft_says_the_same_in_every_message(gate: Gate) -> None:
    """Session, agent and plan may be repeated, in the stream and in the one that goes on with it."""
    begun = await drafted(gate, FIRST, FIRST)
    again = part(session_id="s", agent_id="builder", plan_uri=begun.plan_uri)
    last = part(session_id="s", agent_id="builder", plan_uri=begun.plan_uri, submit=True, review=TERMS)
    plan = await drafted(gate, again, last)
    assert (plan.plan_uri, plan.session_id, plan.review.required_approvals) == (begun.plan_uri, "s", 2)
    assert (await told(gate, plan))[-1] == "PLAN_APPROVAL_REQUIRED"


async def test_a_draft_goes_on_in_its_session(gate: Gate) -> None:
    """Another stream that names the draft and another session is refused."""
    begun = await drafted(gate, FIRST)
    refusal = await refused(drafted(gate, part(plan_uri=begun.plan_uri, session_id="other", submit=True)))
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "session_id")
    assert await gate.get(begun.plan_uri) == begun
