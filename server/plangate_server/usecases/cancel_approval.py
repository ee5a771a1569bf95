"""CancelApproval: the agent takes a waiting call back."""

from __future__ import annotations

from functools import partial

from plangate_server.domain.approval_queue import cancelled, leave
from plangate_server.domain.approvals import Approval, ApprovalState
from plangate_server.domain.errors import MissingField
from plangate_server.domain.events import SessionChange
from plangate_server.domain.identity import Principal
from plangate_server.ports import RequestKey, World, Writing
from plangate_server.usecases.lookup import known_session, the_approval
from plangate_server.usecases.once import write_once
from plangate_server.usecases.ownership import check_asked_by


async def cancel_approval(
    world: World, principal: Principal, session_id: str, call_id: str, key: RequestKey | None
) -> Approval:
    """The call after it was taken back; a second time changes nothing."""
    if not session_id:
        raise MissingField("session_id", "say which session the call is of")
    if not call_id:
        raise MissingField("call_id", "say which call you take back")
    token, now = world.ids.secret(), world.clock.now()

    def record(writing: Writing) -> SessionChange:
        session = known_session(writing, session_id, call_id)
        approval = the_approval(writing, session_id, call_id)
        check_asked_by(principal, approval)
        if approval.state is ApprovalState.CANCELLED:
            return SessionChange((session,), (), (approval,))
        find = partial(the_approval, writing, session_id)
        return leave(session, [cancelled(approval, now)], find, token, now)

    return (await write_once(world, principal, key, record)).approval
