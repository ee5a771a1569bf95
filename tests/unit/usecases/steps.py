"""What agents and people do in these tests, as steps."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager

from plangate_server.domain.events import Event
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.ports import World
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.review_plan import Until, Waiter, review_plan
from plangate_server.usecases.streams import Moment
from plangate_server.usecases.submit_review import SubmitReview, submit_review
from tests.helpers.backends import go_on
from tests.helpers.domain import a_draft, a_note
from tests.helpers.world import AGENT, PERSON, Sandbox, events_of

FEEDBACK = "Measure first"


async def propose(sandbox: Sandbox) -> Plan:
    return await create_plan(sandbox.world, AGENT, CreatePlan(a_draft()))


def about(plan: Plan, selected_option: str = "approve", feedback_text: str = "") -> SubmitReview:
    """A decision of someone who saw the plan as it is."""
    review = plan.review
    return SubmitReview(
        review.approval_request_id, selected_option, review.revision, review.digest, feedback_text
    )


async def decide(sandbox: Sandbox, plan: Plan, selected_option: str = "approve") -> Plan:
    return await submit_review(sandbox.world, PERSON, about(plan, selected_option, FEEDBACK))


async def note(sandbox: Sandbox, plan: Plan, times: int = 1, state: PlanState | None = None) -> None:
    """Something that happens to a plan and decides nothing."""
    await go_on(sandbox.store, plan, lambda stored: a_note(stored, times=times, state=state))


@asynccontextmanager
async def reviewing(
    sandbox: Sandbox, plan: Plan, cursor: str = "", until: Until = Until.DECISION, world: World | None = None
) -> AsyncIterator[AsyncGenerator[Moment]]:
    """The stream of a plan, closed at the end of the block."""
    stream = review_plan(world or sandbox.world, AGENT, Waiter(plan.uri, until=until), cursor)
    async with aclosing(stream):
        yield stream


async def whole_review(
    sandbox: Sandbox, plan: Plan, cursor: str = "", until: Until = Until.DECISION
) -> list[Event]:
    """Every event of a stream that has all it needs to end."""
    async with reviewing(sandbox, plan, cursor, until) as stream:
        return await events_of(stream)


def sequences(events: Sequence[Event]) -> list[int]:
    return [event.sequence for event in events]
