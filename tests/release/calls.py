"""Sessions in every mode and state, and tool calls with everything that can become of one."""

from __future__ import annotations

import asyncio
from typing import Any

from plangate_proto.agent.v1.agent_session_service_pb2 import (
    ConfirmFullAccessRequest,
    ReportEventRequest,
    SetModeRequest,
)
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    CancelApprovalRequest,
    ForgetRememberedRequest,
    ListRememberedRequest,
    RequestApprovalRequest,
    ResetMemoryRequest,
)
from tests.helpers.conditions import GLANCE, PATIENCE
from tests.helpers.gate import Gate
from tests.helpers.refusals import refused
from tests.helpers.streams import rest_of
from tests.helpers.tool_calls import (
    AGENT,
    FOR_SESSION,
    FULL_ACCESS,
    NO,
    OTHER_WORKSPACE,
    PLAN,
    RESTART,
    YES,
    call,
    event,
    mcp,
    patch,
    remember,
    resolution,
    tool,
)
from tests.release.people import LONG, MOMENT, Cast
from tests.release.plans import FAILED, SOON, finish, said_yes
from tests.rpc.steps import build, with_todos

PROBES = (
    tool(session_id="remembers", command="make test"),
    tool(session_id="remembers", command="make release"),
    tool(session_id="other", command="make test"),
    tool(session_id="other", command="git status"),
    tool(session_id="other", command="npm run lint"),
    tool(session_id="other", command="npm publish"),
    tool(session_id="other", command="curl example.com"),
    tool(session_id="other", command="date"),
    tool("apply_patch", session_id="remembers"),
    tool("apply_patch", session_id="other"),
    tool("mcp__post__send", session_id="other"),
    tool(session_id="planning", command="make test"),
    tool(session_id="powerful", command="make test"),
)
"""Calls to ask about: what is remembered answers some, a mode some, and nothing the others."""


async def play_calls(cast: Cast) -> None:
    for scene in (
        forgotten,
        remembered,
        answered,
        ended,
        decided_by_rules,
        for_a_todo,
        modes,
        states,
        waiting_calls,
    ):
        await scene(cast)


async def forgotten(cast: Cast) -> None:
    """Answers that were kept and are not any more: one, a session's, all of the workspace."""
    for number, command in enumerate(("ls", "ls -l", "ls -a")):
        kept = await _kept(cast, call(command, f"f{number}", session_id="forgets"), remember())
        if command == "ls":
            one = ForgetRememberedRequest(remembered_id=kept.remembered_id, request_id="forget")
            await cast.again("ApprovalService/ForgetRemembered", one)
    restart = ResetMemoryRequest(kind=RESTART, session_id="forgets", request_id="restart")
    await cast.again("ApprovalService/ResetMemory", restart)
    await _kept(cast, call("ls /", "f3", session_id="forgets"), remember(scope="WORKSPACE"))
    await cast.admin.approvals.ResetMemory(ResetMemoryRequest(kind=OTHER_WORKSPACE))


async def remembered(cast: Cast) -> None:
    """For a session and for the workspace, exact and by pattern, yes and no, with an end and without."""
    ends = remember(scope="WORKSPACE", seconds=LONG.seconds)
    over = remember(scope="WORKSPACE", seconds=MOMENT.seconds)
    session = "remembers"
    await _kept(cast, call("make test", "r1", session_id=session), remember())
    await _kept(cast, call("git status", "r2", session_id=session), remember(scope="WORKSPACE"))
    await _kept(cast, call("npm run lint", "r3", session_id=session), remember("npm run *", "WORKSPACE"))
    await _kept(cast, call("npm publish", "r4", session_id=session), ends, NO)
    passed = await _kept(cast, call("date", "r5", session_id=session), over)
    await _kept(cast, patch("r6", session_id=session), remember("*"))
    await _kept(cast, mcp("r7", '{"to": "bob"}', session_id=session), remember(scope="WORKSPACE"))
    await cast.agent.ask(call("make test", "r8", session_id=session))
    await _is_over(cast.admin, passed.remembered_id)


async def _is_over(gate: Gate, remembered_id: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            kept = (await gate.approvals.ListRemembered(ListRememberedRequest(page_size=1000))).remembered
            if remembered_id not in {each.remembered_id for each in kept}:
                return
            await asyncio.sleep(GLANCE)


async def _kept(cast: Cast, asked: RequestApprovalRequest, kept: Any, option: str = YES) -> Any:
    await cast.agent.ask(asked)
    return (await cast.bob.answer(option, asked.session_id, remember=kept)).remembered


async def answered(cast: Cast) -> None:
    """Yes, yes for the session, no, past the rules; and by somebody who may not."""
    told = {"ticket": "T-1", "größe": "klein"}
    await cast.agent.ask(call("make", "a1", session_id="asks", prompt="May I?", metadata=told))
    prompt = await cast.bob.prompt("asks")
    await refused(cast.agent.approvals.ResolveApproval(resolution(prompt, YES)))
    await cast.again("ApprovalService/ResolveApproval", resolution(prompt, YES, request_id="resolve-call"))
    await cast.agent.ask(patch("a2", session_id="asks"))
    await cast.carol.answer(FOR_SESSION, "asks")
    await cast.agent.ask(mcp("a3", session_id="asks"))
    await cast.agent.ask(call("rm -r build", "a4", session_id="asks"))
    await cast.bob.answer(NO, "asks", feedback_text="Not now")
    await cast.agent.ask(call("reboot", "a5", session_id="asks"))
    await cast.admin.answer(YES, "asks", break_glass_reason="on fire")


async def ended(cast: Cast) -> None:
    """Cancelled, and expired."""
    await cast.agent.ask(call("sleep 9", "e1", session_id="ends"))
    stop = CancelApprovalRequest(session_id="ends", call_id="e1", request_id="cancel")
    await cast.again("ApprovalService/CancelApproval", stop)
    stream = cast.agent.approvals.RequestApproval(
        call("sleep 1", "e2", session_id="ends", expires_after=MOMENT)
    )
    await rest_of(stream)


async def decided_by_rules(cast: Cast) -> None:
    await cast.agent.ask(call("pytest -q", "p1", session_id="by-rule"))
    await cast.agent.ask(call("cat .env", "p2", session_id="by-rule"))


async def for_a_todo(cast: Cast) -> None:
    """A call that belongs to a todo of a build of a plan."""
    plan = await said_yes(cast, with_todos(session_id="working"))
    begun = await build(cast.agent, plan)
    await cast.agent.ask(
        call(
            "make",
            "t1",
            session_id="working",
            plan_uri=plan.plan_uri,
            build_id=begun.build_id,
            todo_id="a",
        )
    )
    await cast.bob.answer(YES, "working")
    await finish(cast.agent, begun, FAILED, "It does not compile")


async def modes(cast: Cast) -> None:
    """Each mode; full access was asked for, confirmed, and declined."""
    plan_mode = SetModeRequest(session_id="planning", mode=PLAN, request_id="mode")
    await cast.again("SessionService/SetMode", plan_mode)
    for session in ("asks-for-power", "powerful", "modest"):
        await _set_mode(cast.admin, session, FULL_ACCESS)
    yes = ConfirmFullAccessRequest(session_id="powerful", confirm=True, request_id="confirm")
    await cast.again("SessionService/ConfirmFullAccess", yes)
    await cast.bob.sessions.ConfirmFullAccess(ConfirmFullAccessRequest(session_id="modest"))
    await _set_mode(cast.admin, "agent-again", PLAN)
    await _set_mode(cast.admin, "agent-again", AGENT)


async def _set_mode(gate: Gate, session_id: str, mode: Any) -> None:
    await gate.sessions.SetMode(SetModeRequest(session_id=session_id, mode=mode))


async def states(cast: Cast) -> None:
    """Those to which only reports lead."""
    path = ("RECEIVE_MESSAGE", "IS_ATOMIC_FALSE", "ROUTE_TO_ARCHITECT")
    for length in (1, 2, 3):
        for name in path[:length]:
            report = ReportEventRequest(session_id=f"reports-{length}", event=event(name))
            await cast.agent.sessions.ReportEvent(report)


async def waiting_calls(cast: Cast) -> None:
    """One that people see, with an end far away, and one behind it."""
    await cast.agent.ask(call("make install", "w1", session_id="waits", expires_after=LONG))
    await cast.agent.ask(patch("w2", session_id="waits"))


async def leave_waiting(cast: Cast) -> None:
    """A call whose time is over before the next server starts."""
    await cast.agent.ask(call("make", "d1", session_id="due", expires_after=SOON))
