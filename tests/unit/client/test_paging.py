"""Every plan is listed, however many pages the gate makes of them."""

from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.plan_service_pb2 import ListPlansRequest, ListPlansResponse
from tests.helpers.conditions import PATIENCE
from tests.helpers.fake_gate import FakeGate

ONE, TWO, THREE = (Plan(plan_id=plan_id) for plan_id in ("1", "2", "3"))
IN_REVIEW = PlanState.PLAN_STATE_IN_REVIEW
APPROVED = PlanState.PLAN_STATE_APPROVED


def test_list_plans_follows_every_page(fake: FakeGate) -> None:
    """All pages are read, an empty one in between too, and their plans come in order."""
    listing = fake.called(lambda client: list(client.list_plans()))
    fake.answer("ListPlans", ListPlansResponse(plans=[ONE, TWO], next_page_token="a"))
    fake.answer("ListPlans", ListPlansResponse(next_page_token="b"))
    fake.answer("ListPlans", ListPlansResponse(plans=[THREE]))
    assert listing.result(PATIENCE) == [ONE, TWO, THREE]


def test_every_page_is_asked_for_with_the_same_filters(fake: FakeGate) -> None:
    """The filters go with every page, and the token of the page before from the second one on."""
    fake.called(lambda client: list(client.list_plans(IN_REVIEW, APPROVED, session_id="session-1")))
    first = fake.answer("ListPlans", ListPlansResponse(next_page_token="a"))
    second = fake.answer("ListPlans", ListPlansResponse())
    filters = ListPlansRequest(states=[IN_REVIEW, APPROVED], session_id="session-1")
    assert first == filters
    filters.page_token = "a"
    assert second == filters


def test_pages_are_read_when_they_are_needed(fake: FakeGate) -> None:
    """Whoever stops at the first plan has asked for one page only."""
    taking = fake.called(lambda client: next(client.list_plans()))
    fake.answer("ListPlans", ListPlansResponse(plans=[ONE, TWO], next_page_token="a"))
    assert taking.result(PATIENCE) == ONE
    assert len(fake.deadlines) == 1
