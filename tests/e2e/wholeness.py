"""Whether all that a server holds is whole, when every plan is proposed, revised and approved in turn."""

from __future__ import annotations

from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import ListPlansRequest, ListRevisionsRequest
from plangate_proto.aiserver.v1.plan_review_service_pb2 import VerifyAuditRequest
from tests.helpers.gate import Gate
from tests.helpers.resuming import log_of
from tests.helpers.streams import types


async def all_plans(gate: Gate) -> list[Plan]:
    plans: list[Plan] = []
    token = ""
    while True:
        page = await gate.agent.ListPlans(ListPlansRequest(page_size=1000, page_token=token))
        plans, token = [*plans, *page.plans], page.next_page_token
        if not token:
            return plans


async def events_by_plan(gate: Gate) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for event in await log_of(gate):
        found.setdefault(event.plan_uri, []).extend(types([event]))
    return found


LIFE = [
    "PLAN_CREATED",
    "PLAN_APPROVAL_REQUIRED",
    "PLAN_UPDATED",
    "PLAN_APPROVAL_REQUIRED",
    "PLAN_APPROVED",
]
EVENTS_AFTER = {(1, 0): 2, (2, 0): 4, (2, 1): 5}
"""How much of its life a plan has behind it, by revision and number of decisions."""


async def check_whole(gate: Gate) -> None:
    """No plan lacks its revisions, its review or its events, and the chain of the log holds."""
    events = await events_by_plan(gate)
    plans = await all_plans(gate)
    assert events.keys() == {plan.plan_uri for plan in plans}
    for plan in plans:
        behind = EVENTS_AFTER[plan.revision, len(plan.review.decisions)]
        assert events[plan.plan_uri] == LIFE[:behind]
        assert (plan.review.revision, plan.review.digest) == (plan.revision, plan.digest)
    for plan in plans[-5:]:
        listed = await gate.agent.ListRevisions(ListRevisionsRequest(plan_uri=plan.plan_uri))
        assert [info.revision for info in listed.revisions] == list(range(1, plan.revision + 1))
    audit = await gate.reviews.VerifyAudit(VerifyAuditRequest())
    assert (audit.valid, audit.checked) == (True, sum(map(len, events.values())))
