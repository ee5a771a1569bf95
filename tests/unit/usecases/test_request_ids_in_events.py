"""Every event says which request caused it."""

from datetime import timedelta

from msgspec.structs import replace

from plangate_server.domain.plan import Plan
from plangate_server.domain.review import ReviewOptions
from plangate_server.domain.sessions import SessionMode
from plangate_server.ports import EventFilter, RequestKey
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.overdue import settle_overdue
from plangate_server.usecases.receipts import record_delivery
from plangate_server.usecases.session_modes import change_mode
from plangate_server.usecases.submit_review import submit_review
from tests.helpers.backends import ALL
from tests.helpers.domain import a_draft
from tests.helpers.world import AGENT, PERSON, Sandbox
from tests.unit.usecases.steps import about

HOUR = timedelta(hours=1)


async def told(sandbox: Sandbox) -> list[tuple[str, str]]:
    log = await sandbox.store.read("acme", lambda reading: reading.events(EventFilter(), after=0, limit=ALL))
    return [(event.type.value, event.request_id) for event in log]


def key(request_id: str) -> RequestKey:
    return RequestKey("ada", request_id, "same")


async def test_all_events_of_a_request_carry_its_id(sandbox: Sandbox) -> None:
    """Of plans and the sessions that they move, and of sessions by themselves; a repeated one adds none."""
    command = CreatePlan(a_draft(), session_id="s", key=key("r-1"))
    plan = await create_plan(sandbox.world, AGENT, command)
    assert await create_plan(sandbox.world, AGENT, command) == plan
    await change_mode(sandbox.world, PERSON, "s", SessionMode.PLAN, key("r-2"))
    await submit_review(sandbox.world, PERSON, replace(about(plan), key=key("r-3")))
    assert await told(sandbox) == [
        ("plan_created", "r-1"),
        ("plan_approval_required", "r-1"),
        ("session_mode_changed", "r-2"),
        ("plan_approved", "r-3"),
        ("session_mode_changed", "r-3"),
    ]


async def test_what_had_no_request_id_has_none(sandbox: Sandbox, plan: Plan) -> None:
    """Calls that sent none, deliveries, and what the clock does."""
    late = CreatePlan(a_draft(), options=ReviewOptions(expires_after=HOUR), key=key("r-1"))
    await create_plan(sandbox.world, AGENT, late)
    await record_delivery(sandbox.world, AGENT, await submit_review(sandbox.world, PERSON, about(plan)))
    sandbox.clock.advance(HOUR)
    await settle_overdue(sandbox.world)
    assert await told(sandbox) == [
        ("plan_created", ""),
        ("plan_approval_required", ""),
        ("plan_created", "r-1"),
        ("plan_approval_required", "r-1"),
        ("plan_approved", ""),
        ("decision_delivered", ""),
        ("review_expired", ""),
    ]
