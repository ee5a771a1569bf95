"""Every call of the gate in JSON, by the same way as over gRPC."""

from __future__ import annotations

import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_server.web.messages import METHODS
from tests.helpers.gate import Gate, proposal
from tests.helpers.scraping import scrape
from tests.helpers.tokens import local_token
from tests.helpers.visitor import Visitor

GET = "agent.v1.PlanService/GetPlan"
SUBMIT = "aiserver.v1.PlanReviewService/SubmitReview"


def decided(plan: Plan, option: str = "approve", feedback: str = "") -> dict[str, object]:
    return {
        "approvalRequestId": plan.review.approval_request_id,
        "humanReview": {"selectedOption": option, "feedbackText": feedback},
        "revision": str(plan.revision),
        "digest": plan.digest,
    }


@pytest.fixture
async def visitor(gate: Gate) -> Visitor:
    visitor = Visitor(gate.web)
    assert (await visitor.sign_in()).status == 200
    return visitor


async def test_a_plan_is_read(gate: Gate, visitor: Visitor) -> None:
    """In protobuf's JSON, as every client writes it."""
    plan = await gate.propose()
    answer = await visitor.call(GET, {"planUri": plan.plan_uri})
    assert (answer.status, answer.body["plan"]["digest"]) == (200, plan.digest)


async def test_a_decision_is_the_persons(gate: Gate, visitor: Visitor) -> None:
    """It is recorded under the name of whoever signed in."""
    plan = await gate.propose()
    answer = await visitor.call(SUBMIT, decided(plan))
    assert answer.body["review"]["outcome"] == "REVIEW_OUTCOME_APPROVED"
    assert [each.reviewer for each in (await gate.get(plan.plan_uri)).review.decisions] == ["ada"]


async def test_an_edit_approves_exactly_what_was_replaced(gate: Gate, visitor: Visitor) -> None:
    """The text with the one replacement may be built, and with another choice the edit is refused."""
    plan = await gate.propose(proposal("# Tidy the cellar\n\nSort the boxes."))
    edit = {"oldStr": "the boxes", "newStr": "the shelves"}
    answer = await visitor.call(SUBMIT, {**decided(plan), "edited": edit})
    assert (answer.status, answer.reason) == (400, "INVALID_FIELD")
    assert answer.body["error"]["metadata"]["field"] == "edited"
    assert await gate.get(plan.plan_uri) == plan
    answer = await visitor.call(SUBMIT, {**decided(plan, "edit"), "edited": edit})
    assert answer.body["review"]["outcome"] == "REVIEW_OUTCOME_MODIFIED"
    now = await gate.get(plan.plan_uri)
    assert (now.revision, now.state) == (2, PlanState.PLAN_STATE_APPROVED)
    assert now.plan == answer.body["result"]["modified"]["newPlan"]
    assert now.plan == "# Tidy the cellar\n\nSort the shelves."


async def test_what_was_not_shown_cannot_be_approved(gate: Gate, visitor: Visitor) -> None:
    """Another digest than the plan's is refused, in the gate's own words, and nothing changes."""
    plan = await gate.propose()
    answer = await visitor.call(SUBMIT, {**decided(plan), "digest": "0" * 64})
    assert (answer.status, answer.reason) == (409, "STALE_REVISION")
    assert (await gate.get(plan.plan_uri)).state == plan.state


async def test_the_second_learns_who_was_first(gate: Gate, visitor: Visitor) -> None:
    """With what was decided, and by whom."""
    plan = await gate.propose()
    await gate.decide(plan, "reject", "no")
    answer = await visitor.call(SUBMIT, decided(plan))
    assert (answer.status, answer.reason) == (409, "ALREADY_DECIDED")
    assert answer.body["error"]["metadata"]["decided_by"] == "local-admin"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "the request is not JSON"),
        (b"[]", "the request is not a JSON object"),
        (b"[" * 100, "the request is not JSON"),
        (b'{"planUrl": "x"}', "not a agent.v1.GetPlanRequest"),
        (b'{"planUri": 7}', "not a agent.v1.GetPlanRequest"),
        (b'{"planUri": "\\ud800"}', "not a agent.v1.GetPlanRequest"),
        (b'{"\\udcff": "x"}', "not a agent.v1.GetPlanRequest"),
        (b"\xff", "the request is not JSON"),
    ],
    ids=[
        "cut off",
        "a list",
        "deep",
        "unknown field",
        "another type",
        "half a character",
        "half a name",
        "no text",
    ],
)
async def test_what_is_not_the_message(visitor: Visitor, body: bytes, words: str) -> None:
    """Is refused with what is wrong."""
    answer = await visitor.call(GET, body)
    assert (answer.status, answer.reason) == (400, "MALFORMED_REQUEST")
    assert words in answer.body["error"]["message"]


@pytest.mark.parametrize(
    "method",
    ["agent.v1.PlanService/Nothing", "agent.v1.PlanService/DraftPlan", "agent.v1.PlanService/ReviewPlan"],
)
async def test_what_is_no_call_here(visitor: Visitor, method: str) -> None:
    """Streams have their own way."""
    answer = await visitor.call(method)
    assert (answer.status, answer.reason) == (404, "UNKNOWN_METHOD")


async def test_roles_hold_here_too(gate: Gate, visitor: Visitor) -> None:
    """What a reviewer may not do over gRPC, they may not do here."""
    answer = await visitor.call("agent.v1.TokenService/ListTokens")
    assert (answer.status, answer.reason) == (403, "ROLE_NOT_ALLOWED")


async def test_a_program_shows_its_token(gate: Gate) -> None:
    """As to gRPC, without a cookie."""
    program = Visitor(gate.web)
    program.headers = {"Authorization": f"Bearer {local_token('agent')}"}
    answer = await program.call("agent.v1.PlanService/CreatePlan", {"args": {"plan": "# Tidy"}})
    assert answer.body["plan"]["state"] == "PLAN_STATE_IN_REVIEW"


async def test_calls_are_counted_with_grpcs(gate: Gate, visitor: Visitor) -> None:
    """Whatever the way, it is the same call."""
    plan = await gate.propose()
    before = (await scrape(gate.web)).calls(f"/{GET}", "OK")
    await visitor.call(GET, {"planUri": plan.plan_uri})
    await gate.get(plan.plan_uri)
    numbers = await scrape(gate.web)
    while numbers.calls(f"/{GET}", "OK") < before + 2:
        numbers = await scrape(gate.web)
    assert numbers.calls(f"/{GET}", "OK") == before + 2


async def test_nobody_gets_an_answer_without_signing_in(gate: Gate) -> None:
    """To no call at all."""
    stranger = Visitor(gate.web)
    for path in METHODS:
        if not METHODS[path].streams:
            answer = await stranger.call(path.removeprefix("/"))
            assert (path, answer.status, answer.reason) == (path, 401, "MISSING_CREDENTIALS")
    assert (await stranger.get("/api/live")).status == 401
    assert (await stranger.post("/api/render", {"text": "x"})).status == 401


async def test_a_request_is_read_as_far_as_it_may_be_long(gate: Gate, visitor: Visitor) -> None:
    """And no further."""
    answer = await visitor.call(GET, b" " * (30 * 1024 * 1024))
    assert (answer.status, answer.reason) == (400, "MALFORMED_REQUEST")
    assert "more than" in answer.body["error"]["message"]
