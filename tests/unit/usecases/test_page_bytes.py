"""Pages are bounded in bytes too: a list of large plans has shorter pages, and none is left out."""

import pytest

from plangate_server.domain.limits import DEFAULTS
from plangate_server.ports import PlanFilter, ReviewFilter, Writing
from plangate_server.usecases.read_plans import list_plans
from plangate_server.usecases.read_reviews import list_reviews
from tests.helpers.domain import a_draft, a_proposal, plan_id
from tests.helpers.world import AGENT, Sandbox


async def propose(sandbox: Sandbox, *sizes: int) -> None:
    """Plans whose texts are of these sizes."""

    def work(writing: Writing) -> None:
        for number, size in enumerate(sizes, start=1):
            writing.save(a_proposal(number, a_draft("x" * size, name="N")))

    await sandbox.store.write("acme", work)


async def pages(sandbox: Sandbox, kind: str) -> list[list[str]]:
    """The ids on each page, as long as a page may be."""
    found: list[list[str]] = []
    token = ""
    while token or not found:
        if kind == "plans":
            page, token = await list_plans(sandbox.world, AGENT, PlanFilter(), 1000, token)
        else:
            page, token = await list_reviews(sandbox.world, AGENT, ReviewFilter(), 1000, token)
        found.append([plan.plan_id for plan in page])
    return found


@pytest.mark.parametrize("kind", ["plans", "reviews"])
@pytest.mark.parametrize(
    ("sizes", "lengths"),
    [
        ([400_000] * 5, [2, 2, 1]),
        ([DEFAULTS.plan_bytes - 1] * 3, [1, 1, 1]),
        ([10, DEFAULTS.plan_bytes - 1, 10, 10], [1, 1, 2]),
        ([10_000] * 60, [60]),
    ],
)
async def test_a_page_ends_when_it_is_full(
    sandbox: Sandbox, kind: str, sizes: list[int], lengths: list[int]
) -> None:
    """However large plans are, each is on exactly one page, in order, and every page has one."""
    await propose(sandbox, *sizes)
    found = await pages(sandbox, kind)
    assert [len(page) for page in found] == lengths
    assert [name for page in found for name in page] == [plan_id(n) for n in range(1, len(sizes) + 1)]
