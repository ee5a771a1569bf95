"""Tool calls that take long to judge: beside everything else, by the rules that hold when they are stored."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from msgspec.structs import replace

from plangate_server.domain.approvals import Approval, ApprovalDecision, ApprovalState
from plangate_server.domain.calls import call_of
from plangate_server.domain.events import SessionChange
from plangate_server.domain.remembering import Scope
from plangate_server.domain.tools import AuthorizationResult, ToolKind
from plangate_server.ports import AtOnce, World
from plangate_server.usecases.authorize_tool import LONG, TRIES, authorize_tool
from plangate_server.usecases.request_approval import RequestApproval, request_approval
from plangate_server.usecases.resolve_approval import Remember, ResolveApproval, resolve_approval
from plangate_server.usecases.settling import LOOKED_AT, READ
from plangate_server.usecases.work_of_call import Work
from tests.helpers.domain import NOW
from tests.helpers.world import AGENT, PERSON, Sandbox
from tests.unit.usecases.test_memory_usecase import a_call, answer, call_now, some

Result = TypeVar("Result")

LONG_ECHO = "echo " + "x" * LONG


class Changing(AtOnce):
    """Workers during whose work somebody says no to a call: each time to another one, and last to this."""

    def __init__(self, sandbox: Sandbox, *commands: str) -> None:
        self._sandbox = sandbox
        self._commands = [*commands]
        self.runs = 0

    async def run(self, caller: str, work: Callable[[], Result]) -> Result:
        self.runs += 1
        result = work()
        if self._commands:
            no = replace(some(self.runs), signature=self._commands.pop(0), allows=False)
            change = SessionChange(remembered=(no,))
            await self._sandbox.store.write("acme", lambda writing: writing.save(change))
        return result


class Slow(AtOnce):
    """Workers whose work takes two hours."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def run(self, caller: str, work: Callable[[], Result]) -> Result:
        result = work()
        self._sandbox.clock.advance(timedelta(hours=2))
        return result


async def ask_in(world: World, call: Approval) -> Approval:
    stream = request_approval(world, AGENT, RequestApproval(call))
    found = (await anext(stream)).approval
    await stream.aclose()
    return found


async def test_a_long_call_is_judged_beside_the_writer(sandbox: Sandbox) -> None:
    """Once, by the workers; a short one costs nobody a turn."""
    workers = Changing(sandbox)
    world = replace(sandbox.world, workers=workers)
    assert (await ask_in(world, a_call("long", LONG_ECHO))).state is ApprovalState.ACTIVE
    assert workers.runs == 1
    await ask_in(world, a_call("short", "echo"))
    assert workers.runs == 1


async def test_a_call_of_many_short_texts_is_judged_beside_the_writer(sandbox: Sandbox) -> None:
    """Each of them could be a path that belongs to another: that takes as long as one long text."""
    workers = Changing(sandbox)
    many = json.dumps({"paths": [f"d/{number}" for number in range(100)]})
    assert len(many) < LONG
    mcp = replace(a_call("many", many), kind=ToolKind.MCP)
    asked = await ask_in(replace(sandbox.world, workers=workers), mcp)
    assert (asked.state, workers.runs) == (ApprovalState.ACTIVE, 1)


async def test_a_no_that_comes_meanwhile_holds(sandbox: Sandbox) -> None:
    """The verdict that is stored is that of the rules at that moment, not of those that were looked at."""
    workers = Changing(sandbox, LONG_ECHO)
    asked = await ask_in(replace(sandbox.world, workers=workers), a_call("long", LONG_ECHO))
    assert (asked.decision, workers.runs) == (ApprovalDecision.DENIED, 2)


async def test_a_yes_that_runs_out_meanwhile_holds_no_more(sandbox: Sandbox) -> None:
    """Neither for a call that is stored, nor for one that is only asked about."""
    yes = replace(some(1, expire=True), signature=LONG_ECHO)
    await sandbox.store.write("acme", lambda writing: writing.save(SessionChange(remembered=(yes,))))
    world = replace(sandbox.world, workers=Slow(sandbox))
    assert (await ask_in(world, a_call("long", LONG_ECHO))).state is ApprovalState.ACTIVE


async def test_a_no_that_comes_meanwhile_holds_for_what_is_only_asked_about(sandbox: Sandbox) -> None:
    """The verdict is that of the rules after the wait for a worker."""
    world = replace(sandbox.world, workers=Changing(sandbox, LONG_ECHO))
    call = call_of("bash", LONG_ECHO, kind=ToolKind.TERMINAL)
    found = await authorize_tool(world, AGENT, "s", call, Work())
    assert found.verdict.result is AuthorizationResult.DENY


async def test_rules_that_change_all_the_time_do_not_starve_a_call(sandbox: Sandbox) -> None:
    """After some tries it is judged where it is stored."""
    workers = Changing(sandbox, *(f"make {number}" for number in range(TRIES)), "make never")
    asked = await ask_in(replace(sandbox.world, workers=workers), a_call("long", LONG_ECHO))
    assert (asked.state, workers.runs) == (ApprovalState.ACTIVE, TRIES)


async def test_a_yes_to_a_long_call_is_judged_by_the_rules_of_the_moment(sandbox: Sandbox) -> None:
    """A no that came while the person's answer was on its way is final."""
    asked = await ask_in(sandbox.world, a_call("long", LONG_ECHO))
    world = replace(sandbox.world, workers=Changing(sandbox, LONG_ECHO))
    command = ResolveApproval("s", "long", asked.authority_token, ApprovalDecision.APPROVED)
    change = await resolve_approval(world, PERSON, command)
    assert change.approval.decision is ApprovalDecision.DENIED
    assert change.approval.rule


async def test_a_remembered_no_is_asked_about_as_many_calls_as_there_is_time_for(sandbox: Sandbox) -> None:
    """What is too long for the writer's turn goes on waiting for a person; shorter ones are answered."""
    first = a_call("first", "make")
    await ask_in(sandbox.world, first)
    for number in range(3):
        await ask_in(sandbox.world, a_call(f"long-{number}", "make " + "x" * (LOOKED_AT - 100)))
        await ask_in(sandbox.world, a_call(f"short-{number}", "make"))
    await answer(sandbox, first, ApprovalDecision.DENIED, Remember(Scope.SESSION))
    for number in range(3):
        assert (await call_now(sandbox, f"short-{number}")).decision is ApprovalDecision.DENIED
    states = [(await call_now(sandbox, f"long-{number}")).waits for number in range(3)]
    assert states == [False, True, True]


async def test_calls_are_read_only_as_far_as_there_is_time(sandbox: Sandbox) -> None:
    """A queue of the longest calls does not keep the writer busy with reading them."""
    first = a_call("first", "make")
    await ask_in(sandbox.world, first)
    size = 256 * 1000
    for number in range(READ // size + 2):
        patch = Approval("", "", "s", f"long-{number}", ToolKind.EDIT, "edit", "x" * size, NOW, "")
        await ask_in(sandbox.world, patch)
    await ask_in(sandbox.world, a_call("last", "make"))
    await answer(sandbox, first, ApprovalDecision.DENIED, Remember(Scope.SESSION))
    assert (await call_now(sandbox, "last")).waits
