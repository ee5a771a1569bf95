"""ListApprovals: tool calls, oldest first."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from plangate_server.domain.approvals import Approval
from plangate_server.domain.identity import Principal
from plangate_server.domain.limits import check_id
from plangate_server.ports import ApprovalFilter, Reading, World
from plangate_server.usecases.paging import (
    CHUNK,
    call_bytes,
    checked_size,
    chunks,
    fill_page,
    make_token,
    read_token,
)
from plangate_server.usecases.request_approval import Standing, standing


async def list_approvals(
    world: World, principal: Principal, which: ApprovalFilter, page_size: int, page_token: str
) -> tuple[Sequence[Standing], str]:
    """A page of calls with their places, and where to go on."""
    check_id("session_id", which.session_id)
    size = checked_size(page_size, world.limits)
    scope = ("approvals", principal.workspace, which)
    after = read_token(page_token, scope)

    def look(reading: Reading) -> tuple[Sequence[Standing], str]:
        def read(last: str) -> Sequence[Approval]:
            return reading.approvals(which, after=last, limit=CHUNK)

        page, more = fill_page(chunks(read, after, attrgetter("approval_id")), size, call_bytes)
        sessions = {each.session_id: reading.session(each.session_id) for each in page}
        found = [standing(each, sessions[each.session_id]) for each in page]
        return found, make_token(page[-1].approval_id, scope) if more else ""

    return await world.store.read(principal.workspace, look)
