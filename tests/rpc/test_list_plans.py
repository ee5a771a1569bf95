"""ListPlans: oldest first, filters that hold at once, pages that fit together."""

import asyncio

import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from plangate_proto.agent.v1.plan_service_pb2 import ListPlansRequest
from tests.helpers.gate import Gate, proposal


async def uris(gate: Gate, request: ListPlansRequest) -> list[str]:
    return [plan.plan_uri for plan in (await gate.agent.ListPlans(request)).plans]


async def pages(gate: Gate, request: ListPlansRequest) -> list[list[str]]:
    """Every page up to the last, as the tokens lead."""
    found = []
    while True:
        response = await gate.agent.ListPlans(request)
        found.append([plan.plan_uri for plan in response.plans])
        if not response.next_page_token:
            return found
        request.page_token = response.next_page_token


async def proposed(gate: Gate, count: int) -> list[str]:
    return [(await gate.propose(proposal(f"# Plan {number}"))).plan_uri for number in range(count)]


async def test_nothing_is_listed_before_anything_is_proposed(gate: Gate) -> None:
    """A new database has no plans, and no further page of them."""
    response = await gate.agent.ListPlans(ListPlansRequest())
    assert not response.plans
    assert not response.next_page_token


async def test_plans_are_listed_as_they_are(gate: Gate) -> None:
    """A list holds the plans themselves, oldest first, with what was decided since."""
    first, second = await gate.propose(proposal("# One")), await gate.propose(proposal("# Two"))
    await gate.decide(first, "approve")
    assert await gate.plans() == [await gate.get(first.plan_uri), second]


IN_REVIEW, APPROVED, REJECTED = (
    PlanState.PLAN_STATE_IN_REVIEW,
    PlanState.PLAN_STATE_APPROVED,
    PlanState.PLAN_STATE_REJECTED,
)
FILTERS = {
    "session": (ListPlansRequest(session_id="s1"), ["s1 a1", "s1 a2"]),
    "agent": (ListPlansRequest(agent_id="a1"), ["s1 a1", "s2 a1"]),
    "state": (ListPlansRequest(states=[APPROVED]), ["s1 a2"]),
    "any of several states": (ListPlansRequest(states=[REJECTED, IN_REVIEW]), ["s1 a1", "s2 a1"]),
    "session and agent": (ListPlansRequest(session_id="s1", agent_id="a1"), ["s1 a1"]),
    "session and state": (ListPlansRequest(session_id="s1", states=[REJECTED]), []),
    "part of a word": (ListPlansRequest(session_id="s"), []),
    "state of no plan": (ListPlansRequest(states=[PlanState.PLAN_STATE_WITHDRAWN]), []),
}


@pytest.mark.parametrize("name", FILTERS)
async def test_filters_hold_at_once(gate: Gate, name: str) -> None:
    """Only plans that fit every filter are listed; filters compare whole words."""
    which, expected = FILTERS[name]
    decisions = {"s1 a1": "", "s1 a2": "approve", "s2 a1": "reject"}
    for text, option in decisions.items():
        session, agent = text.split()
        plan = await gate.propose(proposal(text, session_id=session, agent_id=agent, multi_plan=True))
        if option:
            await gate.decide(plan, option)
    response = await gate.agent.ListPlans(which)
    assert [plan.plan for plan in response.plans] == expected


@pytest.mark.parametrize("size", [1, 2, 4, 5, 6, 5_000])
async def test_pages_fit_together(gate: Gate, size: int) -> None:
    """Whatever the page size, the pages hold every plan once and in order, and only the last ends."""
    all_of_them = await proposed(gate, 5)
    found = await pages(gate, ListPlansRequest(page_size=size))
    assert [uri for page in found for uri in page] == all_of_them
    assert all(len(page) == size for page in found[:-1])
    assert 0 < len(found[-1]) <= size


async def test_pages_keep_to_their_filter(gate: Gate) -> None:
    """A filter holds on every page."""
    mine = []
    for number in range(6):
        session = "mine" if number % 2 else "theirs"
        plan = await gate.propose(proposal(session_id=session, multi_plan=True))
        mine += [plan.plan_uri] if session == "mine" else []
    assert await pages(gate, ListPlansRequest(session_id="mine", page_size=1)) == [[uri] for uri in mine]


async def test_plans_made_between_two_pages_come_at_the_end(gate: Gate) -> None:
    """Paging goes on where it was: a plan made meanwhile is on a later page, and none is listed twice."""
    old = await proposed(gate, 3)
    first = await gate.agent.ListPlans(ListPlansRequest(page_size=2))
    new = await proposed(gate, 1)
    following = ListPlansRequest(page_size=2, page_token=first.next_page_token)
    assert await uris(gate, following) == [old[2], *new]


async def test_a_page_holds_50_unless_told_otherwise(gate: Gate) -> None:
    """Left out, the page size is 50."""
    await asyncio.gather(*(gate.propose() for _ in range(51)))
    assert [len(page) for page in await pages(gate, ListPlansRequest())] == [50, 1]
