"""request_id: a write that is retried is done once and answered as it was the first time."""

import asyncio
from pathlib import Path

from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.plan_service_pb2 import CreatePlanRequest as AiserverCreatePlanRequest
from tests.helpers.gate import Gate, decision, open_gate, proposal
from tests.helpers.plans import filled_request
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of, rest_of
from tests.rpc.bad_requests import AISERVER_CREATE, CREATE, SUBMIT, Bad

REUSED = "REQUEST_ID_REUSED"


def identified(request_id: str) -> CreatePlanRequest:
    request = filled_request()
    request.request_id = request_id
    return request


async def test_a_repeated_proposal_is_one_plan(gate: Gate) -> None:
    """The same CreatePlan under the same id gives the first answer again and stores nothing."""
    first = await gate.agent.CreatePlan(identified("r1"))
    assert await gate.agent.CreatePlan(identified("r1")) == first
    assert await gate.plans() == [first.plan]


async def test_a_repeated_proposal_is_answered_as_it_was(gate: Gate) -> None:
    """The first answer is given even when the plan has been decided since."""
    first = await gate.agent.CreatePlan(identified("r1"))
    await gate.decide(first.plan, "approve")
    assert await gate.agent.CreatePlan(identified("r1")) == first


async def test_a_repeated_decision_is_one_decision(gate: Gate) -> None:
    """The same SubmitReview under the same id succeeds again instead of being ALREADY_DECIDED."""
    plan = await gate.propose()
    request = decision(plan, "reject", "Not in winter", request_id="r1")
    first = await gate.reviews.SubmitReview(request)
    assert await gate.reviews.SubmitReview(request) == first
    assert len((await gate.get(plan.plan_uri)).review.decisions) == 1


async def test_a_repeated_proposal_in_aiserver_waits_for_the_same_plan(gate: Gate) -> None:
    """A retried CreatePlan of aiserver.v1 goes on with the plan that the first one stored."""
    request = AiserverCreatePlanRequest(params=CreatePlanParams(plan="# Plan"), request_id="r1")
    lost = gate.aiserver.CreatePlan(request)
    plan = (await next_of(lost)).event.plan
    lost.cancel()
    await gate.decide(plan, "approve")
    updates = await rest_of(gate.aiserver.CreatePlan(request))
    assert updates[-1].result.plan_uri == plan.plan_uri
    assert updates[-1].result.WhichOneof("result") == "accepted"
    assert len(await gate.plans()) == 1


async def test_answers_survive_a_restart(tmp_path: Path) -> None:
    """A retry that meets the next server gets the first answer, too."""
    async with open_gate(tmp_path / "plangate.db") as gate:
        created = await gate.agent.CreatePlan(identified("r1"))
        request = decision(created.plan, "approve", request_id="r2")
        decided = await gate.reviews.SubmitReview(request)
    async with open_gate(tmp_path / "plangate.db") as gate:
        assert await gate.agent.CreatePlan(identified("r1")) == created
        assert await gate.reviews.SubmitReview(request) == decided
        assert len(await gate.plans()) == 1


async def test_an_id_is_for_one_request(gate: Gate) -> None:
    """Another request under a used id is refused, whatever differs and whatever it asks for."""
    plan = await gate.propose(identified("r1"))
    other_text = proposal("# Another plan", request_id="r1")
    other_session = identified("r1")
    other_session.session_id = "session-2"
    other_vocabulary = AiserverCreatePlanRequest(params=CreatePlanParams(plan="# Plan"), request_id="r1")
    told = {"request_id": "r1"}
    for request in (other_text, other_session):
        Bad(CREATE, REUSED, b"", told).check(await refused(gate.agent.CreatePlan(request)))
    stream = gate.aiserver.CreatePlan(other_vocabulary)
    Bad(AISERVER_CREATE, REUSED, b"", told).check(await refused(rest_of(stream)))
    decided = gate.reviews.SubmitReview(decision(plan, "approve", request_id="r1"))
    Bad(SUBMIT, REUSED, b"", told).check(await refused(decided))
    assert await gate.plans() == [plan]


async def test_a_refusal_is_not_remembered(gate: Gate) -> None:
    """An id whose request was refused is free: the mended request is taken under it."""
    await refused(gate.agent.CreatePlan(proposal(" ", request_id="r1")))
    plan = await gate.propose(proposal("# Mended", request_id="r1"))
    await refused(gate.reviews.SubmitReview(decision(plan, "maybe", request_id="r2")))
    stale = decision(plan, "approve", request_id="r2")
    stale.revision = 2
    await refused(gate.reviews.SubmitReview(stale))
    decided = await gate.reviews.SubmitReview(decision(plan, "approve", request_id="r2"))
    assert decided.result.WhichOneof("result") == "accepted"


async def test_without_an_id_every_call_is_a_new_one(gate: Gate) -> None:
    """Requests that are equal and carry no id are as many plans."""
    request = filled_request()
    request.multi_plan = True
    one, other = await gate.propose(request), await gate.propose(request)
    assert await gate.plans() == [one, other]


async def test_fifty_at_once_are_one_plan(gate: Gate) -> None:
    """The same request 50 times in parallel has one effect and 50 equal answers."""
    answers = await asyncio.gather(*(gate.agent.CreatePlan(identified("r1")) for _ in range(50)))
    assert all(answer == answers[0] for answer in answers)
    assert await gate.plans() == [answers[0].plan]


async def test_fifty_decisions_at_once_are_one_decision(gate: Gate) -> None:
    """The same decision 50 times in parallel is recorded once and answered alike."""
    plan = await gate.propose()
    request = decision(plan, "approve", request_id="r1")
    answers = await asyncio.gather(*(gate.reviews.SubmitReview(request) for _ in range(50)))
    assert all(answer == answers[0] for answer in answers)
    assert (await gate.get(plan.plan_uri)).review == answers[0].review
