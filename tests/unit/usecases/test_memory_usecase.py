"""Answers that are remembered: which calls they answer, where they are seen, and when they are gone."""

from collections.abc import Sequence
from contextlib import aclosing
from datetime import timedelta

import pytest

from plangate_server.domain.approvals import Approval, ApprovalDecision, ApprovalState
from plangate_server.domain.errors import (
    InvalidField,
    InvalidPageToken,
    LimitExceeded,
    MissingField,
    RememberedNotFound,
    SessionNotFound,
)
from plangate_server.domain.events import EventType, LogEvent, SessionChange, SessionEvent
from plangate_server.domain.identity import Principal
from plangate_server.domain.remembering import Remembered, Scope
from plangate_server.domain.sessions import FullAccessState, Session, SessionMode
from plangate_server.domain.tools import AuthorizationResult, Call, ToolKind
from plangate_server.ports import EventFilter, RequestKey
from plangate_server.usecases.authorize_tool import authorize_tool
from plangate_server.usecases.read_sessions import get_session
from plangate_server.usecases.remembered import ResetKind, forget_remembered, list_remembered, reset_memory
from plangate_server.usecases.request_approval import RequestApproval, request_approval
from plangate_server.usecases.resolve_approval import Remember, ResolveApproval, resolve_approval
from plangate_server.usecases.session_modes import change_mode, confirm
from plangate_server.usecases.work_of_call import Work
from tests.helpers.backends import ALL
from tests.helpers.domain import NOW
from tests.helpers.world import AGENT, PERSON, STRANGER, Sandbox

YES, FOR_SESSION, NO = ApprovalDecision
SESSION, WORKSPACE = Remember(Scope.SESSION), Remember(Scope.WORKSPACE)
HOUR = timedelta(hours=1)
KEY = RequestKey("ada", "r-1", "same")


def a_call(call_id: str, command: str = "make", session_id: str = "s") -> Approval:
    return Approval("", "", session_id, call_id, ToolKind.TERMINAL, "bash", command, NOW, "")


async def ask(sandbox: Sandbox, call: Approval, who: Principal = AGENT) -> Approval:
    async with aclosing(request_approval(sandbox.world, who, RequestApproval(call))) as stream:
        return (await anext(stream)).approval


async def call_now(sandbox: Sandbox, call_id: str, session_id: str = "s") -> Approval:
    found = await sandbox.store.read("acme", lambda reading: reading.approval(session_id, call_id))
    assert found is not None
    return found


async def answer(
    sandbox: Sandbox,
    call: Approval,
    decision: ApprovalDecision = YES,
    remember: Remember | None = None,
    key: RequestKey | None = None,
) -> SessionChange:
    """Ask for the call, and answer it as somebody who sees its prompt."""
    await ask(sandbox, call)
    token = (await call_now(sandbox, call.call_id, call.session_id)).authority_token
    command = ResolveApproval(call.session_id, call.call_id, token, decision, remember, key=key)
    return await resolve_approval(sandbox.world, PERSON, command)


async def kept(sandbox: Sandbox, session_id: str = "") -> Sequence[Remembered]:
    return (await list_remembered(sandbox.world, PERSON, session_id, 0, ""))[0]


async def session_now(sandbox: Sandbox, session_id: str = "s") -> Session:
    return (await get_session(sandbox.world, AGENT, session_id)).session


async def events(sandbox: Sandbox) -> Sequence[LogEvent]:
    return await sandbox.store.read("acme", lambda reading: reading.events(EventFilter(), after=0, limit=ALL))


async def verdict(
    sandbox: Sandbox, command: str = "make", session_id: str = "s", who: Principal = AGENT
) -> AuthorizationResult:
    call = Call("bash", command, kind=ToolKind.TERMINAL)
    return (await authorize_tool(sandbox.world, who, session_id, call, Work())).verdict.result


def some(number: int, *, expire: bool = False) -> Remembered:
    return Remembered(
        f"f{number:031x}",
        ToolKind.TERMINAL,
        "bash",
        f"make {number}",
        is_pattern=False,
        allows=True,
        scope=Scope.WORKSPACE,
        reviewer="ada",
        person="ada",
        create_time=NOW,
        expire_time=NOW + HOUR if expire else None,
    )


async def fill(sandbox: Sandbox, count: int, *, expire: bool = False) -> None:
    change = SessionChange(remembered=tuple(some(number, expire=expire) for number in range(count)))
    await sandbox.store.write("acme", lambda writing: writing.save(change))


@pytest.mark.parametrize(
    ("decision", "remember", "scope"),
    [
        (FOR_SESSION, None, Scope.SESSION),
        (FOR_SESSION, SESSION, Scope.SESSION),
        (YES, SESSION, Scope.SESSION),
        (YES, WORKSPACE, Scope.WORKSPACE),
        (NO, SESSION, Scope.SESSION),
        (NO, WORKSPACE, Scope.WORKSPACE),
    ],
)
async def test_an_answer_is_remembered(
    sandbox: Sandbox, decision: ApprovalDecision, remember: Remember | None, scope: Scope
) -> None:
    """By its normalised signature, with who said it, how far it reaches and when."""
    change = await answer(sandbox, a_call("c-1", 'make   "test"'), decision, remember)
    (remembered,) = change.remembered
    assert remembered == Remembered(
        remembered.remembered_id,
        ToolKind.TERMINAL,
        "bash",
        "make test",
        is_pattern=False,
        allows=decision is not NO,
        scope=scope,
        reviewer="ada",
        person="ada",
        create_time=NOW,
        session_id="s" if scope is Scope.SESSION else "",
    )
    assert await kept(sandbox) == [remembered]
    told = (await events(sandbox))[-1]
    assert isinstance(told, SessionEvent)
    assert (told.type, told.remembered, told.actor) == (EventType.DECISION_REMEMBERED, remembered, "ada")


@pytest.mark.parametrize("decision", [YES, NO])
async def test_what_nobody_wants_remembered_is_not(sandbox: Sandbox, decision: ApprovalDecision) -> None:
    """An answer is for this once, and the next call waits again."""
    assert (await answer(sandbox, a_call("c-1"), decision)).remembered == ()
    assert await kept(sandbox) == []
    assert (await ask(sandbox, a_call("c-2"))).state is ApprovalState.ACTIVE


@pytest.mark.parametrize(("decision", "result"), [(YES, "remembered"), (NO, "remembered_deny")])
async def test_a_remembered_answer_answers_at_once(
    sandbox: Sandbox, decision: ApprovalDecision, result: str
) -> None:
    """The next call like it needs no person, and names what answered it."""
    (remembered,) = (await answer(sandbox, a_call("c-1"), decision, SESSION)).remembered
    again = await ask(sandbox, a_call("c-2"))
    assert (again.state, again.decision) == (ApprovalState.DECIDED, decision)
    assert again.rule == f"{result}:{remembered.remembered_id}"


@pytest.mark.parametrize(("decision", "remember"), [(FOR_SESSION, None), (YES, WORKSPACE), (NO, SESSION)])
async def test_a_remembered_answer_answers_the_calls_that_wait(
    sandbox: Sandbox, decision: ApprovalDecision, remember: Remember | None
) -> None:
    """In the same commit; what it does not cover goes on waiting, and its first becomes the prompt."""
    await ask(sandbox, a_call("c-1"))
    for call in (a_call("c-2"), a_call("c-3", "ls"), a_call("c-4"), a_call("c-5", "pwd")):
        await ask(sandbox, call)
    before = await sandbox.last_sequence()
    change = await answer(sandbox, a_call("c-1"), decision, remember)
    assert change.approval.call_id == "c-1"
    assert (await session_now(sandbox)).queue == ("c-3", "c-5")
    assert (await call_now(sandbox, "c-3")).state is ApprovalState.ACTIVE
    rule = f"{'remembered_deny' if decision is NO else 'remembered'}:{change.remembered[0].remembered_id}"
    for call_id in ("c-2", "c-4"):
        call = await call_now(sandbox, call_id)
        assert (call.decision, call.rule) == (NO if decision is NO else YES, rule)
    told = (await events(sandbox))[before:]
    assert [event.type for event in told] == [
        EventType.TOOL_CALL_DECIDED,
        EventType.DECISION_REMEMBERED,
        EventType.TOOL_CALL_DECIDED,
        EventType.TOOL_CALL_DECIDED,
    ]


async def test_a_session_remembers_for_itself(sandbox: Sandbox) -> None:
    """Another session, and the same name in another workspace, ask a person."""
    await answer(sandbox, a_call("c-1"), FOR_SESSION)
    assert await verdict(sandbox) is AuthorizationResult.ALLOW
    assert await verdict(sandbox, session_id="t") is AuthorizationResult.CONFIRM
    assert await verdict(sandbox, who=STRANGER) is AuthorizationResult.CONFIRM


async def test_a_workspace_remembers_for_all_its_sessions(sandbox: Sandbox) -> None:
    """Those to come as well, and no other workspace's."""
    await answer(sandbox, a_call("c-1"), YES, WORKSPACE)
    assert await verdict(sandbox, session_id="never named") is AuthorizationResult.ALLOW
    assert await verdict(sandbox, who=STRANGER) is AuthorizationResult.CONFIRM


async def test_a_pattern_reaches_calls_like_it(sandbox: Sandbox) -> None:
    """And no others: not a compound command that begins with one."""
    remember = Remember(Scope.SESSION, "make **")
    (remembered,) = (await answer(sandbox, a_call("c-1"), YES, remember)).remembered
    assert (remembered.is_pattern, remembered.signature) == (True, "make **")
    assert await verdict(sandbox, "make all the things") is AuthorizationResult.ALLOW
    assert await verdict(sandbox, "make; rm -rf .") is AuthorizationResult.CONFIRM


@pytest.mark.parametrize(
    ("command", "decision", "remember", "field"),
    [
        ("make", YES, Remember(Scope.SESSION, "ls"), "remember.pattern"),
        ("make", YES, Remember(Scope.SESSION, "* **"), "remember.pattern"),
        ("make && ls", YES, SESSION, "remember"),
        ("make && ls", FOR_SESSION, None, "decision"),
        ("make", FOR_SESSION, WORKSPACE, "remember.scope"),
        ("make", YES, Remember(Scope.SESSION, expires_after=timedelta()), "remember.expires_after"),
        ("make", YES, Remember(Scope.SESSION, expires_after=-HOUR), "remember.expires_after"),
    ],
)
async def test_what_cannot_be_remembered(
    sandbox: Sandbox, command: str, decision: ApprovalDecision, remember: Remember | None, field: str
) -> None:
    """The answer is refused as a whole: the call still waits, and nothing is remembered."""
    with pytest.raises(InvalidField) as refused:
        await answer(sandbox, a_call("c-1", command), decision, remember)
    assert refused.value.field == field
    assert (await call_now(sandbox, "c-1")).state is ApprovalState.ACTIVE
    assert await kept(sandbox) == []


async def test_a_new_answer_takes_the_place_of_the_old(sandbox: Sandbox) -> None:
    """For the same calls one is remembered, the last one: a yes once that is taken back becomes a no."""
    await ask(sandbox, a_call("c-1", session_id="t"))
    await answer(sandbox, a_call("c-2"), YES, WORKSPACE)
    change = await answer(sandbox, a_call("c-1", session_id="t"), NO, WORKSPACE)
    assert await kept(sandbox) == [*change.remembered]
    assert await verdict(sandbox) is AuthorizationResult.DENY


async def test_what_is_answered_names_what_is_remembered_now(sandbox: Sandbox) -> None:
    """A call that waited is not answered in the name of what this very answer replaces."""
    for call_id in ("c-1", "c-2"):
        await ask(sandbox, a_call(call_id, session_id="t"))
    await answer(sandbox, a_call("c-3"), YES, WORKSPACE)
    (now,) = (await answer(sandbox, a_call("c-1", session_id="t"), YES, WORKSPACE)).remembered
    assert (await call_now(sandbox, "c-2", "t")).rule == f"remembered:{now.remembered_id}"


async def test_other_scopes_are_not_replaced(sandbox: Sandbox) -> None:
    """A session's own answer stands beside the workspace's, and a no of either is final."""
    await ask(sandbox, a_call("c-1", session_id="t"))
    await answer(sandbox, a_call("c-2"), YES, WORKSPACE)
    await answer(sandbox, a_call("c-1", session_id="t"), NO, SESSION)
    assert len(await kept(sandbox)) == 2
    assert await verdict(sandbox, session_id="t") is AuthorizationResult.DENY
    assert await verdict(sandbox) is AuthorizationResult.ALLOW


async def test_a_memory_ends_with_its_time(sandbox: Sandbox) -> None:
    """It answers nothing any more, and the list hides it."""
    remember = Remember(Scope.SESSION, expires_after=HOUR)
    (remembered,) = (await answer(sandbox, a_call("c-1"), YES, remember)).remembered
    assert remembered.expire_time == NOW + HOUR
    sandbox.clock.advance(HOUR - timedelta(microseconds=1))
    assert (await kept(sandbox), await verdict(sandbox)) == ([remembered], AuthorizationResult.ALLOW)
    sandbox.clock.advance(timedelta(microseconds=1))
    assert (await kept(sandbox), await verdict(sandbox)) == ([], AuthorizationResult.CONFIRM)


async def test_so_much_is_remembered_and_no_more(sandbox: Sandbox) -> None:
    """The thousand and first is refused and its call still waits; what replaces another one needs no room."""
    await ask(sandbox, a_call("before", "make 7", "t"))
    await fill(sandbox, 1000)
    with pytest.raises(LimitExceeded) as refused:
        await answer(sandbox, a_call("c-1"), YES, WORKSPACE)
    assert (refused.value.field, refused.value.metadata["limit"]) == ("remember", "remembered")
    assert (await call_now(sandbox, "c-1")).state is ApprovalState.ACTIVE
    await answer(sandbox, a_call("before", "make 7", "t"), YES, WORKSPACE)
    await forget_remembered(sandbox.world, PERSON, some(3).remembered_id, None)
    assert (await answer(sandbox, a_call("c-1"), YES, WORKSPACE)).remembered


async def test_what_is_out_of_date_takes_no_room(sandbox: Sandbox) -> None:
    """Nobody can see or forget it, so nobody is refused for it."""
    await fill(sandbox, 1000, expire=True)
    sandbox.clock.advance(HOUR)
    assert await kept(sandbox) == []
    assert (await answer(sandbox, a_call("c-1"), YES, WORKSPACE)).remembered


async def test_a_repeated_answer_is_remembered_once(sandbox: Sandbox) -> None:
    """The retry is told what was remembered the first time, also if it was forgotten since."""
    first = await answer(sandbox, a_call("c-1"), YES, SESSION, KEY)
    again = await answer(sandbox, a_call("c-1"), YES, SESSION, KEY)
    assert (again.remembered, again.approval) == (first.remembered, first.approval)
    assert len(await kept(sandbox)) == 1


async def test_the_list_tells_what_reaches_a_session(sandbox: Sandbox) -> None:
    """Its own and the workspace's, oldest first; without a session everything; elsewhere nothing."""
    made = [
        (await answer(sandbox, a_call("c-1", "one"), YES, SESSION)).remembered[0],
        (await answer(sandbox, a_call("c-2", "two"), NO, WORKSPACE)).remembered[0],
        (await answer(sandbox, a_call("c-3", "three", "t"), YES, SESSION)).remembered[0],
    ]
    assert await kept(sandbox) == made
    assert await kept(sandbox, "s") == made[:2]
    assert await kept(sandbox, "t") == made[1:]
    assert await kept(sandbox, "u") == made[1:2]
    assert (await list_remembered(sandbox.world, STRANGER, "", 0, ""))[0] == []


async def test_pages_of_memory_join(sandbox: Sandbox) -> None:
    """Each once, in order, past those that are hidden; and a token is good for its list only."""
    await fill(sandbox, 130)
    found: list[str] = []
    token = ""
    while not found or token:
        page, token = await list_remembered(sandbox.world, PERSON, "", 60, token)
        found += [each.remembered_id for each in page]
    assert found == [some(number).remembered_id for number in range(130)]
    _, token = await list_remembered(sandbox.world, PERSON, "", 60, "")
    with pytest.raises(InvalidPageToken):
        await list_remembered(sandbox.world, PERSON, "s", 60, token)
    with pytest.raises(InvalidField):
        await list_remembered(sandbox.world, PERSON, "", -1, "")


async def test_one_answer_is_forgotten(sandbox: Sandbox) -> None:
    """It is told who forgot what; the next call waits, and nobody can forget it again."""
    (remembered,) = (await answer(sandbox, a_call("c-1"), YES, SESSION)).remembered
    assert await forget_remembered(sandbox.world, PERSON, remembered.remembered_id, KEY) == remembered
    assert (await kept(sandbox), await verdict(sandbox)) == ([], AuthorizationResult.CONFIRM)
    told = (await events(sandbox))[-1]
    assert isinstance(told, SessionEvent)
    assert (told.type, told.remembered, told.actor) == (EventType.DECISION_FORGOTTEN, remembered, "ada")
    assert told.session_id == "s"
    assert await forget_remembered(sandbox.world, PERSON, remembered.remembered_id, KEY) == remembered
    with pytest.raises(RememberedNotFound):
        await forget_remembered(sandbox.world, PERSON, remembered.remembered_id, None)


async def test_nobody_forgets_for_others(sandbox: Sandbox) -> None:
    """Another workspace's memory is not there, and without an id nothing is meant."""
    (remembered,) = (await answer(sandbox, a_call("c-1"), YES, WORKSPACE)).remembered
    with pytest.raises(RememberedNotFound):
        await forget_remembered(sandbox.world, STRANGER, remembered.remembered_id, None)
    with pytest.raises(MissingField):
        await forget_remembered(sandbox.world, PERSON, "", None)
    assert await kept(sandbox) == [remembered]


async def full_access(sandbox: Sandbox, session_id: str) -> None:
    await change_mode(sandbox.world, PERSON, session_id, SessionMode.FULL_ACCESS, None)
    await confirm(sandbox.world, PERSON, session_id, confirm=True, key=None)


async def remember_three(sandbox: Sandbox) -> None:
    """One of each of two sessions, and one of the workspace; both sessions have full access then."""
    await answer(sandbox, a_call("c-1", "one"), YES, SESSION)
    await answer(sandbox, a_call("c-2", "two"), YES, WORKSPACE)
    await answer(sandbox, a_call("c-3", "three", "t"), YES, SESSION)
    for session_id in ("s", "t"):
        await full_access(sandbox, session_id)


async def test_a_restart_forgets_the_sessions_own(sandbox: Sandbox) -> None:
    """And its full access; the workspace's memory and other sessions keep what they have."""
    await remember_three(sandbox)
    before = await sandbox.last_sequence()
    assert await reset_memory(sandbox.world, PERSON, ResetKind.SESSION_RESTART, "s", None) == 1
    assert [each.signature for each in await kept(sandbox)] == ["two", "three"]
    session = await session_now(sandbox)
    assert (session.mode, session.full_access) == (SessionMode.AGENT, FullAccessState.HIDDEN)
    assert (await session_now(sandbox, "t")).mode is SessionMode.FULL_ACCESS
    told = [event for event in (await events(sandbox))[before:] if isinstance(event, SessionEvent)]
    assert [(each.type, each.session_id, each.cleared) for each in told] == [
        (EventType.FULL_ACCESS_CHANGED, "s", 0),
        (EventType.SESSION_MODE_CHANGED, "s", 0),
        (EventType.MEMORY_RESET, "s", 1),
    ]


async def test_another_workspace_forgets_everything(sandbox: Sandbox) -> None:
    """Every memory and every full access, told once for the workspace and once for each session."""
    await remember_three(sandbox)
    before = await sandbox.last_sequence()
    assert await reset_memory(sandbox.world, PERSON, ResetKind.WORKSPACE_CHANGE, "", None) == 3
    assert await kept(sandbox) == []
    for session_id in ("s", "t"):
        assert (await session_now(sandbox, session_id)).full_access is FullAccessState.HIDDEN
        assert await verdict(sandbox, "two", session_id) is AuthorizationResult.CONFIRM
    told = [event for event in (await events(sandbox))[before:] if isinstance(event, SessionEvent)]
    assert [(each.type, each.session_id, each.cleared) for each in told] == [
        (EventType.FULL_ACCESS_CHANGED, "s", 0),
        (EventType.SESSION_MODE_CHANGED, "s", 0),
        (EventType.FULL_ACCESS_CHANGED, "t", 0),
        (EventType.SESSION_MODE_CHANGED, "t", 0),
        (EventType.MEMORY_RESET, "", 3),
    ]


async def test_a_fresh_start_asks_for_full_access_anew(sandbox: Sandbox) -> None:
    """Also of a session that had it confirmed and does not use it."""
    await full_access(sandbox, "s")
    await change_mode(sandbox.world, PERSON, "s", SessionMode.PLAN, None)
    await reset_memory(sandbox.world, PERSON, ResetKind.WORKSPACE_CHANGE, "", None)
    view = await change_mode(sandbox.world, PERSON, "s", SessionMode.FULL_ACCESS, None)
    assert view.session.full_access is FullAccessState.PENDING_CONFIRMATION
    assert view.session.mode is SessionMode.PLAN


async def test_a_reset_leaves_the_calls_that_wait(sandbox: Sandbox) -> None:
    """People still see the same prompt."""
    waiting = await ask(sandbox, a_call("c-1"))
    assert await reset_memory(sandbox.world, PERSON, ResetKind.SESSION_RESTART, "s", None) == 0
    assert await call_now(sandbox, "c-1") == waiting
    assert (await session_now(sandbox)).queue == ("c-1",)


async def test_a_repeated_reset_counts_as_it_did(sandbox: Sandbox) -> None:
    """Under its request_id it forgets once, and what was remembered since stays."""
    await answer(sandbox, a_call("c-1"), YES, WORKSPACE)
    assert await reset_memory(sandbox.world, PERSON, ResetKind.WORKSPACE_CHANGE, "", KEY) == 1
    await answer(sandbox, a_call("c-2", "ls"), YES, WORKSPACE)
    assert await reset_memory(sandbox.world, PERSON, ResetKind.WORKSPACE_CHANGE, "", KEY) == 1
    assert [each.signature for each in await kept(sandbox)] == ["ls"]


async def test_a_reset_says_what_it_means(sandbox: Sandbox) -> None:
    """Refused without a kind, without the session that begins anew, of none, and of all that names one."""
    with pytest.raises(MissingField) as refused:
        await reset_memory(sandbox.world, PERSON, None, "s", None)
    assert refused.value.field == "kind"
    with pytest.raises(MissingField) as refused:
        await reset_memory(sandbox.world, PERSON, ResetKind.SESSION_RESTART, "", None)
    assert refused.value.field == "session_id"
    with pytest.raises(SessionNotFound):
        await reset_memory(sandbox.world, PERSON, ResetKind.SESSION_RESTART, "s", None)
    await answer(sandbox, a_call("c-1"), YES, WORKSPACE)
    with pytest.raises(InvalidField):
        await reset_memory(sandbox.world, PERSON, ResetKind.WORKSPACE_CHANGE, "s", None)
    assert len(await kept(sandbox)) == 1
