"""A process that writes until it is killed: ``python -m tests.helpers.crash_writer BACKEND FOLDER``.

It prints one line for every write that was acknowledged, right after the acknowledgement.
"""

import asyncio
import sys
from pathlib import Path

from plangate_server.ports import RequestKey, World
from plangate_server.system import SystemClock, TimeOrderedIds
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.submit_review import SubmitReview, submit_review
from tests.helpers.backends import BACKENDS
from tests.helpers.conditions import PATIENCE
from tests.helpers.domain import a_draft, a_todo
from tests.helpers.world import AGENT, NO_POLICY, NOBODY, PERSON

WRITERS = 8


def a_request(request_id: str) -> CreatePlan:
    """The same plan for the same id, as a client that retries would send it."""
    draft = a_draft(name=request_id, todos=[a_todo("a"), a_todo("b", needs=["a"])])
    return CreatePlan(draft, key=RequestKey(AGENT.name, request_id, request_id))


async def _propose_and_approve(world: World) -> None:
    while True:
        request_id = world.ids.new()
        plan = await create_plan(world, AGENT, a_request(request_id))
        print("proposed", plan.plan_id, request_id, flush=True)
        review = plan.review
        decision = SubmitReview(review.approval_request_id, "approve", review.revision, review.digest)
        await submit_review(world, PERSON, decision)
        print("approved", plan.plan_id, request_id, flush=True)


async def main(backend: str, folder: Path) -> None:
    async with BACKENDS[backend].open(folder) as node, asyncio.timeout(PATIENCE):
        world = World(node.store, node.feed, SystemClock(), TimeOrderedIds(), NO_POLICY, NOBODY)
        await asyncio.gather(*(_propose_and_approve(world) for _ in range(WRITERS)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
