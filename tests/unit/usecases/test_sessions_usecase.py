"""Sessions as agents and people use them: modes, full access, reports, and what everybody sees of it."""

from collections.abc import Sequence
from contextlib import aclosing
from datetime import timedelta

import pytest

from plangate_server.domain.approvals import Approval, ApprovalDecision, ApprovalState
from plangate_server.domain.errors import (
    ForbiddenTransition,
    FullAccessNotPending,
    InvalidCursor,
    LimitExceeded,
    MissingField,
    RequestIdReused,
    SessionNotFound,
)
from plangate_server.domain.events import EventType, LogEvent
from plangate_server.domain.policy import Policy
from plangate_server.domain.review import SERVICE
from plangate_server.domain.sessions import FsmEvent, FsmState, FullAccessState, Session, SessionMode
from plangate_server.domain.tools import Access, AuthorizationResult, Call, ToolKind, Verdict
from plangate_server.ports import EventFilter, RequestKey
from plangate_server.usecases.authorize_tool import authorize_tool
from plangate_server.usecases.overdue import settle_overdue
from plangate_server.usecases.read_sessions import get_session, watch_session
from plangate_server.usecases.request_approval import RequestApproval, request_approval
from plangate_server.usecases.session_modes import change_mode, confirm, report_event
from plangate_server.usecases.work_of_call import Work
from tests.helpers.backends import ALL
from tests.helpers.domain import NOW
from tests.helpers.world import AGENT, PERSON, STRANGER, Sandbox, make_world

HOUR = timedelta(hours=1)
KEY = RequestKey("bot", "r-1", "same")
READING = Policy(tools={"look": Access.READ})


async def set_mode(sandbox: Sandbox, mode: SessionMode, key: RequestKey | None = None) -> Session:
    return (await change_mode(sandbox.world, PERSON, "s", mode, key)).session


async def give_full_access(sandbox: Sandbox) -> Session:
    await set_mode(sandbox, SessionMode.FULL_ACCESS)
    return (await confirm(sandbox.world, PERSON, "s", confirm=True, key=None)).session


async def ask(
    sandbox: Sandbox, call_id: str, tool: str = "edit", expires_after: timedelta | None = None
) -> Approval:
    """A call of the session, as it is right after it was asked for."""
    call = Approval("", "", "s", call_id, ToolKind.MCP, tool, "{}", NOW, "")
    command = RequestApproval(call, expires_after=expires_after)
    async with aclosing(request_approval(sandbox.world, AGENT, command)) as stream:
        return (await anext(stream)).approval


async def call_now(sandbox: Sandbox, call_id: str) -> Approval:
    found = await sandbox.store.read("acme", lambda reading: reading.approval("s", call_id))
    assert found is not None
    return found


async def session_now(sandbox: Sandbox) -> Session:
    return (await get_session(sandbox.world, AGENT, "s")).session


async def events(sandbox: Sandbox) -> Sequence[LogEvent]:
    return await sandbox.store.read("acme", lambda reading: reading.events(EventFilter(), after=0, limit=ALL))


async def may_use(sandbox: Sandbox, call: Call, session_id: str = "s") -> Verdict:
    return (await authorize_tool(sandbox.world, AGENT, session_id, call, Work())).verdict


async def test_an_unknown_session_is_not_found(sandbox: Sandbox) -> None:
    """Reading, watching and confirming do not bring it into being."""
    with pytest.raises(SessionNotFound):
        await get_session(sandbox.world, AGENT, "s")
    with pytest.raises(SessionNotFound):
        await anext(watch_session(sandbox.world, AGENT, "s"))
    with pytest.raises(SessionNotFound):
        await confirm(sandbox.world, PERSON, "s", confirm=True, key=None)
    assert await sandbox.last_sequence() == 0


@pytest.mark.parametrize("mode", SessionMode)
async def test_a_session_comes_into_being_with_a_mode(sandbox: Sandbox, mode: SessionMode) -> None:
    """The first call that names it makes it, whichever mode it sets."""
    session = await set_mode(sandbox, mode)
    assert (session.session_id, session.workspace, session.create_time) == ("s", "acme", NOW)
    assert await session_now(sandbox) == session


async def test_a_session_comes_into_being_with_a_report(sandbox: Sandbox) -> None:
    """Everybody of the workspace sees it, and nobody else."""
    view = await report_event(sandbox.world, AGENT, "s", FsmEvent.RECEIVE_MESSAGE, None)
    assert view.session.fsm_state is FsmState.CLASSIFY
    assert await session_now(sandbox) == view.session
    with pytest.raises(SessionNotFound):
        await get_session(sandbox.world, STRANGER, "s")


async def test_a_session_comes_into_being_with_a_call(sandbox: Sandbox) -> None:
    """Whoever asks for a tool call has a session from then on."""
    await ask(sandbox, "c-1")
    assert (await session_now(sandbox)).queue == ("c-1",)


async def test_authorizing_makes_no_session(sandbox: Sandbox) -> None:
    """It changes nothing: a session that nobody named has the mode AGENT, and still is not there."""
    assert (await may_use(sandbox, Call("edit"))).result is AuthorizationResult.CONFIRM
    with pytest.raises(SessionNotFound):
        await session_now(sandbox)


async def test_a_refused_report_changes_nothing(sandbox: Sandbox) -> None:
    """Neither does it make a session."""
    with pytest.raises(ForbiddenTransition) as refused:
        await report_event(sandbox.world, AGENT, "s", FsmEvent.PLAN_APPROVED, None)
    assert refused.value.metadata["allowed"] == "RECEIVE_MESSAGE, RESET"
    assert await sandbox.last_sequence() == 0


async def test_what_is_required_must_be_said(sandbox: Sandbox) -> None:
    """Each refusal names its field."""
    calls = {
        "mode": change_mode(sandbox.world, AGENT, "s", None, None),
        "event": report_event(sandbox.world, AGENT, "s", None, None),
        "session_id": change_mode(sandbox.world, AGENT, "", SessionMode.PLAN, None),
    }
    for field, call in calls.items():
        with pytest.raises(MissingField) as refused:
            await call
        assert refused.value.field == field
    with pytest.raises(MissingField):
        await get_session(sandbox.world, AGENT, "")
    with pytest.raises(LimitExceeded):
        await change_mode(sandbox.world, AGENT, "s" * 257, SessionMode.PLAN, None)


async def test_full_access_needs_a_person(sandbox: Sandbox) -> None:
    """Asked for, it is pending and gives nothing; confirmed, it gives everything; and all is told."""
    await set_mode(sandbox, SessionMode.FULL_ACCESS)
    assert (await may_use(sandbox, Call("edit"))).result is AuthorizationResult.CONFIRM
    session = (await confirm(sandbox.world, PERSON, "s", confirm=True, key=None)).session
    assert (session.mode, session.full_access) == (SessionMode.FULL_ACCESS, FullAccessState.ACTIVE)
    assert (await may_use(sandbox, Call("edit"))).rule == "full_access"
    assert [event.type for event in await events(sandbox)] == [
        EventType.FULL_ACCESS_CHANGED,
        EventType.FULL_ACCESS_CHANGED,
        EventType.SESSION_MODE_CHANGED,
    ]
    with pytest.raises(FullAccessNotPending):
        await confirm(sandbox.world, PERSON, "s", confirm=True, key=None)


async def test_full_access_is_one_sessions(sandbox: Sandbox) -> None:
    """Another session of the workspace, and a session of the same name elsewhere, have none of it."""
    await give_full_access(sandbox)
    assert (await may_use(sandbox, Call("edit"), "t")).result is AuthorizationResult.CONFIRM
    elsewhere = await authorize_tool(sandbox.world, STRANGER, "s", Call("edit"), Work())
    assert elsewhere.verdict.result is AuthorizationResult.CONFIRM


async def test_full_access_answers_the_calls_that_wait(sandbox: Sandbox) -> None:
    """In the very commit of the yes: each is DECIDED by the rule, told in order, and nothing waits."""
    for call_id in ("c-1", "c-2"):
        await ask(sandbox, call_id)
    session = await give_full_access(sandbox)
    assert (session.queue, session.last_call) == ((), "c-2")
    for call_id in ("c-1", "c-2"):
        call = await call_now(sandbox, call_id)
        assert (call.state, call.decision) == (ApprovalState.DECIDED, ApprovalDecision.APPROVED)
        assert call.rule == "full_access"
    assert [event.type for event in await events(sandbox)][-4:] == [
        EventType.FULL_ACCESS_CHANGED,
        EventType.SESSION_MODE_CHANGED,
        EventType.TOOL_CALL_DECIDED,
        EventType.TOOL_CALL_DECIDED,
    ]


async def test_full_access_comes_too_late_for_what_is_overdue(sandbox: Sandbox) -> None:
    """A call whose time is over ends as EXPIRED, also if nobody has looked before a rule would answer it."""
    await ask(sandbox, "c-1", expires_after=HOUR)
    sandbox.clock.advance(HOUR)
    await give_full_access(sandbox)
    await settle_overdue(sandbox.world)
    assert (await call_now(sandbox, "c-1")).state is ApprovalState.EXPIRED


async def test_plan_mode_answers_waiting_writes_with_no() -> None:
    """A person is not asked about what is denied by now; what only reads is answered with yes."""
    sandbox = make_world(policy=Policy(tools={"ask": Access.READ}))
    waiting = [await ask(sandbox, "c-1"), await ask(sandbox, "c-2")]
    assert [call.state for call in waiting] == [ApprovalState.ACTIVE, ApprovalState.QUEUED]
    session = await set_mode(sandbox, SessionMode.PLAN)
    assert session.queue == ()
    for call_id in ("c-1", "c-2"):
        call = await call_now(sandbox, call_id)
        assert (call.decision, call.rule) == (ApprovalDecision.DENIED, "plan_mode")
        assert "read only" in call.feedback_text
    assert (await ask(sandbox, "c-3")).decision is ApprovalDecision.DENIED
    assert (await ask(sandbox, "c-4", "ask")).decision is ApprovalDecision.APPROVED


async def test_a_mode_that_changes_nothing_leaves_the_queue(sandbox: Sandbox) -> None:
    """Calls that wait go on waiting, with the same prompt."""
    before = await ask(sandbox, "c-1")
    assert (await set_mode(sandbox, SessionMode.AGENT)).queue == ("c-1",)
    await set_mode(sandbox, SessionMode.FULL_ACCESS)
    await confirm(sandbox.world, PERSON, "s", confirm=False, key=None)
    assert await call_now(sandbox, "c-1") == before


async def test_a_view_shows_the_last_decision(sandbox: Sandbox) -> None:
    """The call that was answered last, whoever or whatever answered it."""
    assert (await change_mode(sandbox.world, PERSON, "s", SessionMode.PLAN, None)).last_decision is None
    denied = await ask(sandbox, "c-1")
    assert (await get_session(sandbox.world, AGENT, "s")).last_decision == denied
    view = await change_mode(sandbox.world, PERSON, "s", SessionMode.AGENT, None)
    assert view.last_decision == denied


async def test_a_repeated_request_gets_its_first_answer(sandbox: Sandbox) -> None:
    """Whatever happened to the session since; and nothing happens twice."""
    first = await set_mode(sandbox, SessionMode.PLAN, KEY)
    await set_mode(sandbox, SessionMode.AGENT)
    count = await sandbox.last_sequence()
    assert await set_mode(sandbox, SessionMode.PLAN, KEY) == first
    assert (await session_now(sandbox)).mode is SessionMode.AGENT
    assert await sandbox.last_sequence() == count
    with pytest.raises(RequestIdReused):
        await set_mode(sandbox, SessionMode.PLAN, RequestKey("bot", "r-1", "other"))


async def test_a_repeated_yes_is_no_second_one(sandbox: Sandbox) -> None:
    """A retried confirmation is answered as it was, not refused as no longer pending."""
    await set_mode(sandbox, SessionMode.FULL_ACCESS)
    views = [await confirm(sandbox.world, PERSON, "s", confirm=True, key=KEY) for _ in range(2)]
    assert views[0] == views[1]


async def test_a_repeated_report_is_no_second_one(sandbox: Sandbox) -> None:
    """A retried event is answered as it was, not refused where the session is by now."""
    views = [await report_event(sandbox.world, AGENT, "s", FsmEvent.RECEIVE_MESSAGE, KEY) for _ in range(2)]
    assert views[0] == views[1]
    assert await sandbox.last_sequence() == 1


async def test_watching_begins_with_the_session_as_it_is(sandbox: Sandbox) -> None:
    """Then every change of it comes, with who made it, and nothing of other sessions."""
    await set_mode(sandbox, SessionMode.PLAN)
    async with aclosing(watch_session(sandbox.world, AGENT, "s")) as stream:
        first = await anext(stream)
        assert first.view
        assert (first.sequence, first.actor, first.view.session.mode) == (1, SERVICE, SessionMode.PLAN)
        await change_mode(sandbox.world, PERSON, "t", SessionMode.PLAN, None)
        await set_mode(sandbox, SessionMode.AGENT)
        second = await anext(stream)
        assert (second.sequence, second.actor) == (3, PERSON.name)
        assert second.view
        assert second.view.session == await session_now(sandbox)


async def test_watching_goes_on_after_a_cursor(sandbox: Sandbox) -> None:
    """What was missed comes first, each change as it left the session, then what happens."""
    await set_mode(sandbox, SessionMode.PLAN)
    await set_mode(sandbox, SessionMode.AGENT)
    async with aclosing(watch_session(sandbox.world, AGENT, "s", sandbox.cursor(0))) as stream:
        views = [(await anext(stream)).view for _ in range(2)]
        assert [view.session.mode for view in views if view] == [SessionMode.PLAN, SessionMode.AGENT]
        await ask(sandbox, "c-1")
        last = (await anext(stream)).view
        assert last
        assert last.session.queue == ("c-1",)
    with pytest.raises(InvalidCursor):
        await anext(watch_session(sandbox.world, AGENT, "s", "nonsense"))


async def test_reading_is_free_in_every_mode() -> None:
    """A tool that only looks is allowed before and after every change of mode."""
    sandbox = make_world(policy=READING)
    for mode in SessionMode:
        await set_mode(sandbox, mode)
        assert (await may_use(sandbox, Call("look"))).result is AuthorizationResult.ALLOW
