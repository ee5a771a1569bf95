"""Refused decisions in the audit trail, over the socket: who, what, about which text, why, which request."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from plangate_proto.agent.v1.agent_session_service_pb2 import (
    ConfirmFullAccessRequest,
    SetModeRequest,
)
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_event_pb2 import RefusedDecision, ReviewEvent
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.plan_review_service_pb2 import ListEventsRequest, VerifyAuditRequest
from tests.helpers.gate import Gate, decision, open_gate, proposal
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of, rest_of, types
from tests.helpers.tokens import ADMIN
from tests.helpers.tool_calls import NO, PLAN, YES, call, resolution
from tests.rpc.steps import kinds, until, updated, waiting, watching, with_todos
from tests.rpc.test_races import reason

OTHER_DIGEST = "0" * 64
PEOPLE = 20


async def log_of(gate: Gate, **filters: Any) -> list[ReviewEvent]:
    answer = await gate.reviews.ListEvents(ListEventsRequest(page_size=1000, **filters))
    return [entry.event for entry in answer.entries]


async def the_refusal(gate: Gate, **filters: Any) -> ReviewEvent:
    """The one refused decision that the log has; and the whole log holds."""
    (found,) = [event for event in await log_of(gate, **filters) if event.HasField("refused")]
    assert (await gate.reviews.VerifyAudit(VerifyAuditRequest())).valid
    return found


def seen(plan: Plan, **fields: Any) -> RefusedDecision:
    """What should be recorded of someone who saw the plan as it is."""
    given = {"method": "SubmitReview", "revision": plan.revision, "digest": plan.digest, **fields}
    return RefusedDecision(person="ada", **given)


async def test_the_loser_of_two_decisions_at_once(gate: Gate) -> None:
    """Stands in the log after the winner, with what they wanted and the id of their request."""
    plan = await gate.propose(proposal(session_id="s"))
    options = {"r-yes": "approve", "r-no": "rejectAndTellWhatToDoDifferently"}
    calls = (gate.reviews.SubmitReview(decision(plan, o, request_id=r)) for r, o in options.items())
    reasons = dict(zip(options, await asyncio.gather(*map(reason, calls)), strict=True))
    (lost,) = (request_id for request_id, why in reasons.items() if why)
    found = await the_refusal(gate)
    assert (found.request_id, reasons[lost]) == (lost, "ALREADY_DECIDED")
    assert found.refused == seen(plan, reason="ALREADY_DECIDED", selected_option=options[lost])
    assert (found.actor, found.plan_uri, found.plan_id) == (ADMIN, plan.plan_uri, plan.plan_id)
    assert (found.session_id, found.approval_request_id) == ("s", plan.review.approval_request_id)
    won = (await log_of(gate))[2]
    assert types([won]) == ["PLAN_APPROVED" if lost == "r-no" else "PLAN_REJECTED"]
    assert {won.request_id, lost} == options.keys()


@pytest.mark.parametrize("option", ["approve", "requestChanges", "edit"])
async def test_a_decision_about_another_text(gate: Gate, option: str) -> None:
    """Stands with the revision and the digest that its maker said they saw, not with those that there are."""
    plan = await gate.propose(with_todos())
    request = decision(plan, option, "Why?", request_id="r-1")
    request.digest = OTHER_DIGEST
    if option == "edit":
        request.edited.CopyFrom(CreatePlanParams(plan="# Mine"))
    refusal = await refused(gate.reviews.SubmitReview(request))
    assert (refusal.status, refusal.reason) == ("ABORTED", "STALE_REVISION")
    assert refusal.metadata["digest"] == plan.digest
    found = await the_refusal(gate, plan_uri=plan.plan_uri)
    expected = seen(plan, reason="STALE_REVISION", selected_option=option, digest=OTHER_DIGEST)
    assert (found.refused, found.request_id) == (expected, "r-1")
    assert (found.revision, found.digest) == (0, ""), "which tell where a plan stands"


async def test_a_decision_under_the_name_of_an_older_review(gate: Gate) -> None:
    """Who decides about a revision that was replaced is recorded with that review and that revision."""
    plan = await gate.propose(with_todos())
    await updated(gate, plan, "# Another")
    request = decision(plan, "approve", request_id="r-1")
    assert (await refused(gate.reviews.SubmitReview(request))).reason == "STALE_REVISION"
    found = await the_refusal(gate, plan_uri=plan.plan_uri)
    assert found.refused == seen(plan, reason="STALE_REVISION", selected_option="approve")
    assert (found.approval_request_id, found.request_id) == (plan.review.approval_request_id, "r-1")


async def test_an_answer_to_a_prompt_that_is_over(gate: Gate) -> None:
    """It is found with its call, the session, and the plan that the call belongs to, like the call itself."""
    plan = await gate.propose()
    await gate.ask(call("make test", plan_uri=plan.plan_uri))
    prompt = await gate.prompt()
    await gate.approvals.ResolveApproval(resolution(prompt, NO))
    late = resolution(prompt, YES, request_id="r-1")
    assert (await refused(gate.approvals.ResolveApproval(late))).reason == "ALREADY_DECIDED"
    for filters in ({"session_id": "s"}, {"plan_uri": plan.plan_uri}, {"types": kinds("DECISION_REFUSED")}):
        found = await the_refusal(gate, **filters)
        assert found.refused == RefusedDecision(
            reason="ALREADY_DECIDED",
            person="ada",
            method="ResolveApproval",
            selected_option="APPROVED",
            call_id="c1",
            digest=prompt.digest,
        )
        assert (found.session_id, found.plan_uri, found.request_id) == ("s", plan.plan_uri, "r-1")
    assert types(await log_of(gate, plan_uri=plan.plan_uri)) == [
        "PLAN_CREATED",
        "PLAN_APPROVAL_REQUIRED",
        "TOOL_CALL_REQUESTED",
        "TOOL_CALL_DECIDED",
        "DECISION_REFUSED",
    ]


async def test_an_answer_about_full_access_that_nobody_asked_for(gate: Gate) -> None:
    """It is recorded with its session."""
    await gate.sessions.SetMode(SetModeRequest(session_id="s", mode=PLAN))
    request = ConfirmFullAccessRequest(session_id="s", confirm=True, request_id="r-1")
    assert (await refused(gate.sessions.ConfirmFullAccess(request))).reason == "FULL_ACCESS_NOT_PENDING"
    found = await the_refusal(gate, session_id="s")
    assert (found.refused.method, found.refused.selected_option) == ("ConfirmFullAccess", "confirm")
    assert found.request_id == "r-1"


async def test_what_is_repeated_or_no_decision_is_not_recorded(gate: Gate) -> None:
    """The same again adds nothing; nor does what names nothing or says too little."""
    plan = await gate.propose()
    stale = decision(plan, "approve")
    stale.revision = 7
    nothing = decision(plan, "approve")
    nothing.approval_request_id = "f" * 32
    bad = [stale, stale, nothing, decision(plan, "perhaps"), decision(plan, "requestChanges")]
    for request in bad:
        await refused(gate.reviews.SubmitReview(request))
    assert (await the_refusal(gate)).refused.revision == 7


async def test_an_agent_waits_undisturbed(gate: Gate) -> None:
    """ReviewPlan tells of the decision that counts, and of no other."""
    plan = await gate.propose()
    stream = waiting(gate, plan)
    await next_of(stream)
    stale = decision(plan, "approve")
    stale.digest = OTHER_DIGEST
    await refused(gate.reviews.SubmitReview(stale))
    await gate.decide(plan, "approve")
    assert types([each.event for each in await rest_of(stream)]) == ["PLAN_APPROVED"]
    cursor = (await log_of(gate))[1].cursor
    assert types([each.event for each in await rest_of(waiting(gate, plan, cursor))]) == ["PLAN_APPROVED"]


async def test_a_watch_asks_for_refused_decisions_by_type(gate: Gate) -> None:
    """With the very event that ListEvents has; a watch that does not ask goes on without it."""
    plan = await gate.propose()
    usual, _ = await watching(gate)
    asking, begun = await watching(gate, types=kinds("DECISION_REFUSED"))
    await gate.decide(plan, "approve")
    await refused(gate.reviews.SubmitReview(decision(plan, "reject")))
    await gate.propose(proposal("# Another"))
    found = await the_refusal(gate)
    assert (await next_of(asking)).event == found
    assert types(await until(usual, "PLAN_CREATED")) == ["PLAN_APPROVED", "PLAN_CREATED"]
    again, resumed = await watching(gate, cursor=begun[-1].cursor, types=kinds("DECISION_REFUSED"))
    assert resumed[0] == found
    for stream in (usual, asking, again):
        stream.cancel()


async def test_many_choices_at_once_have_one_winner_and_as_many_losers(tmp_path: Path) -> None:
    """Each choice that did not count stands in the log once, after a restart, too."""
    options = ["approve", "rejectAndTellWhatToDoDifferently", "requestChanges"]
    async with open_gate(tmp_path / "plangate.db") as gate:
        plan = await gate.propose()
        tries = [decision(plan, options[n % 3], "Why?", request_id=f"r-{n}") for n in range(PEOPLE)]
        reasons = await asyncio.gather(*(reason(gate.reviews.SubmitReview(each)) for each in tries))
        assert sorted(reasons) == ["", *["ALREADY_DECIDED"] * (PEOPLE - 1)]
    async with open_gate(tmp_path / "plangate.db") as gate:
        await reason(gate.reviews.SubmitReview(tries[reasons.index("") - 1]))
        log = await log_of(gate)
        lost = [event.refused.selected_option for event in log if event.HasField("refused")]
        assert sorted(lost) == sorted(options)
        assert len(log) == 2 + 1 + 3
        assert (await gate.reviews.VerifyAudit(VerifyAuditRequest())).valid
