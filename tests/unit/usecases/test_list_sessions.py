"""ListSessions gives pages, those that began last first; a page token goes on where its page ended."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from plangate_server.domain.errors import InvalidField, InvalidPageToken
from plangate_server.domain.identity import Principal
from plangate_server.domain.sessions import SessionMode
from plangate_server.ports import SessionFilter
from plangate_server.usecases.read_sessions import list_sessions
from plangate_server.usecases.session_modes import change_mode
from tests.helpers.world import PERSON, STRANGER, Sandbox

EVERY = SessionFilter()
PLANNING = SessionFilter((SessionMode.PLAN,))


async def begin(sandbox: Sandbox, *session_ids: str, mode: SessionMode = SessionMode.AGENT) -> None:
    """One after the other, a second apart."""
    for session_id in session_ids:
        await change_mode(sandbox.world, PERSON, session_id, mode, None)
        sandbox.clock.advance(timedelta(seconds=1))


async def pages(sandbox: Sandbox, size: int, which: SessionFilter = EVERY) -> list[list[str]]:
    found: list[list[str]] = []
    token = ""
    while not found or token:
        page, token = await list_sessions(sandbox.world, PERSON, which, size, token)
        found.append([view.session.session_id for view in page])
    return found


async def listed(sandbox: Sandbox, principal: Principal = PERSON) -> Sequence[str]:
    page, _ = await list_sessions(sandbox.world, principal, EVERY, 0, "")
    return [view.session.session_id for view in page]


async def test_the_pages_together_are_the_list(sandbox: Sandbox) -> None:
    """Whatever the size, every session once; only the last page has no token."""
    await begin(sandbox, *"abcde")
    assert await pages(sandbox, 2) == [["e", "d"], ["c", "b"], ["a"]]
    assert await pages(sandbox, 5) == [["e", "d", "c", "b", "a"]]


async def test_a_change_moves_no_session(sandbox: Sandbox) -> None:
    """Whoever turns pages while sessions change, and while others begin, misses none that was there."""
    await begin(sandbox, *"abc")
    first, token = await list_sessions(sandbox.world, PERSON, EVERY, 1, "")
    await begin(sandbox, "a", "d", mode=SessionMode.PLAN)
    rest, _ = await list_sessions(sandbox.world, PERSON, EVERY, 9, token)
    assert [view.session.session_id for view in (*first, *rest)] == ["c", "b", "a"]


async def test_any_name_of_a_session_can_end_a_page(sandbox: Sandbox) -> None:
    """A token holds what people call their sessions, in any script."""
    await begin(sandbox, "Käse", "チーズ", "🧀")
    assert await pages(sandbox, 1) == [["🧀"], ["チーズ"], ["Käse"]]


async def test_modes_hold_on_every_page(sandbox: Sandbox) -> None:
    """Only sessions that are in one of the modes now."""
    await begin(sandbox, *"ac", mode=SessionMode.PLAN)
    await begin(sandbox, *"bd")
    await begin(sandbox, "e", mode=SessionMode.PLAN)
    assert await pages(sandbox, 2, PLANNING) == [["e", "c"], ["a"]]


async def test_a_token_is_good_for_its_filter_and_workspace_only(sandbox: Sandbox) -> None:
    """With others the pages would not fit together."""
    await begin(sandbox, *"ab")
    _, token = await list_sessions(sandbox.world, PERSON, EVERY, 1, "")
    for principal, which in ((PERSON, PLANNING), (STRANGER, EVERY)):
        with pytest.raises(InvalidPageToken):
            await list_sessions(sandbox.world, principal, which, 1, token)


async def test_a_negative_page_size_is_refused(sandbox: Sandbox) -> None:
    """The refusal names the field."""
    with pytest.raises(InvalidField) as refused:
        await list_sessions(sandbox.world, PERSON, EVERY, -1, "")
    assert refused.value.field == "page_size"


async def test_a_list_shows_ones_own_workspace(sandbox: Sandbox) -> None:
    """Sessions of others are not listed."""
    await begin(sandbox, "a")
    assert await listed(sandbox) == ["a"]
    assert await listed(sandbox, STRANGER) == []
