"""No call hangs on a gate that does not answer, and no person is hurried."""

from collections.abc import Callable

import pytest
from google.protobuf.message import Message

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import (
    CreatePlanResponse,
    GetPlanResponse,
    ListPlansResponse,
    ReviewPlanResponse,
)
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    ListEventsResponse,
    SubmitReviewResponse,
    VerifyAuditResponse,
)
from tests.helpers.conditions import PATIENCE
from tests.helpers.fake_gate import FakeGate

UNARY_CALLS: dict[str, tuple[Callable[[Client], object], Message]] = {
    "CreatePlan": (lambda client: client.create_plan("# Tidy the cellar"), CreatePlanResponse()),
    "GetPlan": (lambda client: client.get_plan("plangate://plans/1"), GetPlanResponse()),
    "ListPlans": (lambda client: list(client.list_plans()), ListPlansResponse()),
    "SubmitReview": (lambda client: client.decide(Plan(), "approve"), SubmitReviewResponse()),
    "ListEvents": (lambda client: list(client.audit_entries()), ListEventsResponse()),
}


@pytest.mark.parametrize("method", UNARY_CALLS)
def test_every_unary_call_has_a_deadline(fake: FakeGate, method: str) -> None:
    """A call that should be answered at once ends by itself within a minute if it is not."""
    call, response = UNARY_CALLS[method]
    calling = fake.called(call)
    fake.answer(method, response)
    calling.result(PATIENCE)
    [deadline] = fake.deadlines
    assert deadline is not None
    assert 0 < deadline <= 60


def test_checking_a_long_log_may_take_minutes(fake: FakeGate) -> None:
    """Its deadline is that of work, not of an answer that is there."""
    checking = fake.called(lambda client: client.verify_audit())
    fake.answer("VerifyAudit", VerifyAuditResponse())
    checking.result(PATIENCE)
    [deadline] = fake.deadlines
    assert deadline is not None
    assert 300 <= deadline <= 3600


def test_waiting_for_people_has_no_deadline(fake: FakeGate) -> None:
    """People may take as long as they like."""
    waiting = fake.called(lambda client: client.wait(Plan()))
    fake.stream("ReviewPlan", ReviewPlanResponse())
    waiting.result(PATIENCE)
    assert fake.deadlines == [None]
