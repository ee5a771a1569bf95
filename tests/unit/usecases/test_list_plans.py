"""ListPlans gives pages, oldest plans first; a page token goes on exactly where its page ended."""

import base64

import pytest

from plangate_server.domain.errors import InvalidField, InvalidPageToken, Reason
from plangate_server.domain.identity import Principal
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.ports import PlanFilter, Writing
from plangate_server.usecases.read_plans import list_plans
from tests.helpers.domain import a_proposal
from tests.helpers.world import AGENT, STRANGER, Sandbox

EVERYTHING = PlanFilter()


async def propose(sandbox: Sandbox, count: int, *, workspace: str = "acme", session_id: str = "") -> None:
    """That many plans in one transaction."""

    def work(writing: Writing) -> None:
        for number in range(1, count + 1):
            writing.save(a_proposal(number, workspace=workspace, session_id=session_id))

    await sandbox.store.write(workspace, work)


async def sizes(sandbox: Sandbox, page_size: int, *, principal: Principal = AGENT) -> list[int]:
    """How many plans each page has."""
    found, token = await list_plans(sandbox.world, principal, EVERYTHING, page_size, "")
    counts = [len(found)]
    while token:
        found, token = await list_plans(sandbox.world, principal, EVERYTHING, page_size, token)
        counts.append(len(found))
        assert len(counts) < 10, "the pages go round in circles"
    return counts


async def a_token(sandbox: Sandbox, which: PlanFilter = EVERYTHING) -> str:
    """A token that leads to the second of three plans."""
    await propose(sandbox, 3, session_id="s-1")
    _, token = await list_plans(sandbox.world, AGENT, which, 1, "")
    assert token
    return token


@pytest.mark.parametrize(
    ("count", "page_size", "expected"),
    [
        (0, 10, [0]),
        (3, 10, [3]),
        (3, 3, [3]),
        (4, 3, [3, 1]),
        (5, 1, [1, 1, 1, 1, 1]),
        (51, 0, [50, 1]),
    ],
)
async def test_pages_are_as_long_as_asked_for(
    sandbox: Sandbox, count: int, page_size: int, expected: list[int]
) -> None:
    """Without a size a page has 50 plans, and the last page has no token."""
    await propose(sandbox, count)
    assert await sizes(sandbox, page_size) == expected


async def test_no_page_has_more_than_a_thousand_plans(sandbox: Sandbox) -> None:
    """Who asks for more gets a thousand, and a token for the rest."""
    await propose(sandbox, 1001)
    assert await sizes(sandbox, 2**31 - 1) == [1000, 1]


async def test_a_negative_page_size_is_refused(sandbox: Sandbox) -> None:
    """The refusal names the field and what may be asked for."""
    with pytest.raises(InvalidField) as refused:
        await list_plans(sandbox.world, AGENT, EVERYTHING, -1, "")
    assert refused.value.field == "page_size"
    assert "1 to 1,000" in str(refused.value)


async def test_the_pages_together_are_the_list(sandbox: Sandbox) -> None:
    """Oldest first, every plan once, also when plans are added while the pages are turned."""
    await propose(sandbox, 5)
    first, token = await list_plans(sandbox.world, AGENT, EVERYTHING, 2, "")
    await sandbox.store.write("acme", lambda writing: writing.save(a_proposal(6)))
    rest, token = await list_plans(sandbox.world, AGENT, EVERYTHING, 10, token)
    ids: list[str] = [plan.plan_id for plan in (*first, *rest)]
    assert ids == [a_proposal(n).plan.plan_id for n in range(1, 7)]
    assert token == ""


async def test_filters_hold_on_every_page(sandbox: Sandbox) -> None:
    """Turning the page keeps to what was asked for."""
    which = PlanFilter(session_id="s-1", states=(PlanState.IN_REVIEW,))
    token = await a_token(sandbox, which)
    await sandbox.store.write("acme", lambda writing: writing.save(a_proposal(9, session_id="s-2")))
    rest, end = await list_plans(sandbox.world, AGENT, which, 10, token)
    found: list[Plan] = [*rest]
    assert [plan.session_id for plan in found] == ["s-1", "s-1"]
    assert end == ""


async def test_a_list_shows_ones_own_workspace(sandbox: Sandbox) -> None:
    """Plans of others are not listed."""
    await propose(sandbox, 3)
    assert await sizes(sandbox, 0, principal=STRANGER) == [0]


@pytest.mark.parametrize(
    "which",
    [
        PlanFilter(session_id="s-1"),
        PlanFilter(created_by="builder-bot"),
        PlanFilter(states=(PlanState.IN_REVIEW,)),
        PlanFilter(states=(PlanState.IN_REVIEW, PlanState.APPROVED)),
    ],
)
async def test_a_token_is_good_for_its_filters_only(sandbox: Sandbox, which: PlanFilter) -> None:
    """With other filters the pages would not fit together, so the token is refused."""
    token = await a_token(sandbox)
    with pytest.raises(InvalidPageToken) as refused:
        await list_plans(sandbox.world, AGENT, which, 1, token)
    assert refused.value.reason is Reason.INVALID_PAGE_TOKEN
    assert refused.value.field == "page_token"


@pytest.mark.parametrize(
    "token", ["x", "2", " ", "é", "🙂", "A" * 28, "AAAA", "=" * 28, "null", "a" * 10_000, "../../etc/passwd"]
)
async def test_garbage_is_no_token(sandbox: Sandbox, token: str) -> None:
    """What was never given out is refused and not guessed at."""
    with pytest.raises(InvalidPageToken):
        await list_plans(sandbox.world, AGENT, EVERYTHING, 1, token)


@pytest.mark.parametrize("cut", [1, 4, 8, 24])
async def test_a_token_that_was_cut_off_is_refused(sandbox: Sandbox, cut: int) -> None:
    """No beginning of a token is a token."""
    token = await a_token(sandbox)
    with pytest.raises(InvalidPageToken):
        await list_plans(sandbox.world, AGENT, EVERYTHING, 1, token[:-cut])


@pytest.mark.parametrize("place", [0, 7, 8, 39])
async def test_an_altered_token_is_refused(sandbox: Sandbox, place: int) -> None:
    """A token with one other byte is refused instead of leading to another page."""
    raw = bytearray(base64.urlsafe_b64decode(await a_token(sandbox)))
    raw[place] ^= 1
    with pytest.raises(InvalidPageToken):
        await list_plans(sandbox.world, AGENT, EVERYTHING, 1, base64.urlsafe_b64encode(raw).decode())


async def test_a_token_of_another_workspace_is_refused(sandbox: Sandbox) -> None:
    """A token is good for the list that it was given out for."""
    token = await a_token(sandbox)
    with pytest.raises(InvalidPageToken):
        await list_plans(sandbox.world, STRANGER, EVERYTHING, 1, token)
