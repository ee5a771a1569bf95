"""Tool calls as agents ask for them and people answer them."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import timedelta

import pytest
from msgspec.structs import replace

from plangate_server.domain import limits
from plangate_server.domain.approvals import Approval, ApprovalDecision, ApprovalState, correlation_id
from plangate_server.domain.building import BuildOrder
from plangate_server.domain.builds import BuildOutcome
from plangate_server.domain.command_patterns import parse_pattern
from plangate_server.domain.errors import (
    ApprovalNotFound,
    BuildEnded,
    BuildNotFound,
    CallAlreadyDecided,
    CallIdReused,
    InvalidField,
    InvalidPageToken,
    LimitExceeded,
    MissingField,
    NotApproved,
    PlanNotFound,
    PromptNotActive,
    Refusal,
    TodoNotFound,
)
from plangate_server.domain.events import EventType, LogEvent, SessionChange
from plangate_server.domain.identity import Principal
from plangate_server.domain.lifecycle import Amendment
from plangate_server.domain.plan import Plan
from plangate_server.domain.policy import CallRules, Policy
from plangate_server.domain.review import DecisionSource
from plangate_server.domain.sessions import Session, begin
from plangate_server.domain.tool_rules import ToolRule
from plangate_server.domain.tools import Access, Call, ToolKind
from plangate_server.ports import ApprovalFilter, EventFilter, RequestKey
from plangate_server.usecases.authorize_tool import authorize_tool
from plangate_server.usecases.build_todos import Started, build_todos, finish
from plangate_server.usecases.cancel_approval import cancel_approval
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.overdue import settle_overdue
from plangate_server.usecases.read_approvals import list_approvals
from plangate_server.usecases.read_sessions import get_session
from plangate_server.usecases.request_approval import RequestApproval, Standing, request_approval
from plangate_server.usecases.resolve_approval import ResolveApproval, resolve_approval
from plangate_server.usecases.update_plan import UpdatePlan, update_plan
from plangate_server.usecases.watch_approvals import watch_approvals
from plangate_server.usecases.work_of_call import Work
from tests.helpers.backends import ALL, go_on
from tests.helpers.conditions import PATIENCE
from tests.helpers.domain import NOW, a_draft, a_note, a_todo
from tests.helpers.world import AGENT, PERSON, STRANGER, FixedPolicy, Sandbox, make_world
from tests.unit.usecases.steps import decide

QUEUED, ACTIVE, DECIDED, CANCELLED, EXPIRED = ApprovalState
YES, FOR_SESSION, NO = ApprovalDecision
KEY = RequestKey("bot", "r-1", "same")
HOUR = timedelta(hours=1)
NO_MAKE = ToolRule("no-make", commands=(parse_pattern("make", to_deny=True),), reason="not today")
MAKE = ToolRule("make", tools=("bash",), commands=(parse_pattern("make"),))


def a_call(call_id: str = "c-1", command: str = "make", session_id: str = "s") -> Approval:
    return Approval("", "", session_id, call_id, ToolKind.TERMINAL, "bash", command, NOW, "")


def asking(
    sandbox: Sandbox, call: Approval, work: Work | None = None, *, who: Principal = AGENT
) -> AsyncGenerator[Standing]:
    return request_approval(sandbox.world, who, RequestApproval(call, work or Work()))


async def ask(
    sandbox: Sandbox, call: Approval, work: Work | None = None, *, who: Principal = AGENT
) -> Approval:
    """The call as it is right after it was asked for."""
    async with aclosing(asking(sandbox, call, work, who=who)) as stream:
        return (await anext(stream)).approval


async def wait_for(sandbox: Sandbox, span: timedelta, call_id: str = "c-1") -> Approval:
    command = RequestApproval(a_call(call_id), expires_after=span)
    async with aclosing(request_approval(sandbox.world, AGENT, command)) as stream:
        return (await anext(stream)).approval


async def next_of(stream: AsyncGenerator[Standing]) -> tuple[ApprovalState, int]:
    async with asyncio.timeout(PATIENCE):
        standing = await anext(stream)
    return standing.approval.state, standing.position


async def call_now(sandbox: Sandbox, call_id: str = "c-1") -> Approval:
    found = await sandbox.store.read("acme", lambda reading: reading.approval("s", call_id))
    assert found is not None
    return found


async def session_now(sandbox: Sandbox) -> Session:
    return (await get_session(sandbox.world, AGENT, "s")).session


async def events(sandbox: Sandbox) -> Sequence[LogEvent]:
    return await sandbox.store.read("acme", lambda reading: reading.events(EventFilter(), after=0, limit=ALL))


async def resolve(
    sandbox: Sandbox,
    call_id: str = "c-1",
    decision: ApprovalDecision = YES,
    *,
    who: Principal = PERSON,
    key: RequestKey | None = None,
) -> Approval:
    """What somebody answers who sees the prompt."""
    token = (await call_now(sandbox, call_id)).authority_token
    command = ResolveApproval("s", call_id, token, decision, feedback_text="Mind the gap", key=key)
    return (await resolve_approval(sandbox.world, who, command)).approval


def change_policy(sandbox: Sandbox, policy: Policy) -> None:
    policies = sandbox.world.policies
    assert isinstance(policies, FixedPolicy)
    policies.current = policy


async def test_a_call_is_kept_as_it_was_asked_for(sandbox: Sandbox) -> None:
    """With all that the agent said; the service adds the id, the workspace, the time and who asked."""
    call = replace(
        a_call(),
        agent_id="coder",
        agents_signature="build",
        prompt="It has to be built",
        metadata={"ticket": "7"},
    )
    asked = await ask(sandbox, call)
    assert asked == replace(
        call,
        approval_id=asked.approval_id,
        workspace="acme",
        requested_by="coder",
        role="agent",
        person="ada",
        principal=AGENT.key,
        state=ACTIVE,
        active_time=NOW,
        authority_token=asked.authority_token,
    )
    assert asked.approval_id
    assert asked.authority_token
    assert await call_now(sandbox) == asked


async def test_without_an_agent_the_caller_asked(sandbox: Sandbox) -> None:
    """Somebody is always named."""
    assert (await ask(sandbox, a_call())).requested_by == AGENT.name


async def test_a_stream_follows_the_call_to_its_end(sandbox: Sandbox) -> None:
    """Each place in the queue, then the answer, and then the stream is over."""
    await ask(sandbox, a_call("c-1"))
    await ask(sandbox, a_call("c-2"))
    async with aclosing(asking(sandbox, a_call("c-3"))) as stream:
        assert await next_of(stream) == (QUEUED, 2)
        await resolve(sandbox, "c-1")
        assert (await next_of(stream))[1] == 1
        await cancel_approval(sandbox.world, AGENT, "s", "c-2", None)
        assert (await next_of(stream))[1] == 0
        await resolve(sandbox, "c-3", NO)
        async with asyncio.timeout(PATIENCE):
            last = await anext(stream)
            assert last.approval == await call_now(sandbox, "c-3")
            assert (last.approval.decision, last.approval.feedback_text) == (NO, "Mind the gap")
            with pytest.raises(StopAsyncIteration):
                await anext(stream)


async def test_asking_again_joins_the_call(sandbox: Sandbox) -> None:
    """It is the same call in the same place, nothing is told twice, and both learn the answer."""
    first = await ask(sandbox, a_call())
    async with aclosing(asking(sandbox, a_call())) as one, aclosing(asking(sandbox, a_call())) as other:
        assert await next_of(one) == await next_of(other) == (ACTIVE, 0)
        assert await call_now(sandbox) == first
        assert await sandbox.last_sequence() == 1
        await resolve(sandbox)
        assert await next_of(one) == await next_of(other) == (DECIDED, 0)


async def test_asking_again_after_the_end_gives_the_answer(sandbox: Sandbox) -> None:
    """Whoever was away when it came."""
    await ask(sandbox, a_call())
    answered = await resolve(sandbox)
    assert await ask(sandbox, a_call()) == answered


async def test_asking_again_needs_no_valid_build(sandbox: Sandbox) -> None:
    """Whoever joins asks for nothing new, so that a build that has ended meanwhile is no reason to refuse."""
    build = await a_build(sandbox)
    call = replace(a_call(), build_id=build.build.build_id)
    work = Work(build_id=call.build_id)
    first = await ask(sandbox, call, work)
    await finish(sandbox.world, AGENT, call.build_id, outcome=BuildOutcome.COMPLETED, summary="", key=None)
    assert await ask(sandbox, call, work) == first


@pytest.mark.parametrize(
    "other",
    [
        a_call(command="make install"),
        replace(a_call(), tool="sh"),
        replace(a_call(), kind=ToolKind.EDIT),
        replace(a_call(), todo_id="a"),
    ],
)
async def test_an_id_is_not_used_for_two_calls(sandbox: Sandbox, other: Approval) -> None:
    """A yes to one thing never counts for another."""
    await ask(sandbox, a_call())
    with pytest.raises(CallIdReused) as refused:
        await ask(sandbox, other)
    assert refused.value.metadata == {"session_id": "s", "call_id": "c-1"}


async def test_sessions_have_calls_and_queues_of_their_own(sandbox: Sandbox) -> None:
    """The same id in another session, or in another workspace, is another call, active by itself."""
    await ask(sandbox, a_call())
    assert (await ask(sandbox, a_call(command="ls", session_id="t"))).state is ACTIVE
    assert (await ask(sandbox, a_call(command="pwd"), who=STRANGER)).state is ACTIVE
    with pytest.raises(ApprovalNotFound):
        await resolve_approval(sandbox.world, STRANGER, ResolveApproval("s", "c-2", "t", YES))


@pytest.mark.parametrize(
    ("call", "refusal", "field"),
    [
        (a_call(session_id=""), MissingField, "session_id"),
        (a_call(call_id=""), MissingField, "call_id"),
        (replace(a_call(), tool=""), MissingField, "tool_name"),
        (a_call(command=" \n"), MissingField, "command"),
        (a_call(session_id="s" * 257), LimitExceeded, "session_id"),
        (a_call(call_id="c" * 257), LimitExceeded, "call_id"),
        (replace(a_call(), tool="t" * 257), LimitExceeded, "tool_name"),
        (replace(a_call(), agent_id="a" * 257), LimitExceeded, "agent_id"),
        (a_call(command="x" * (256 * 1024 + 1)), LimitExceeded, "command"),
        (replace(a_call(), prompt="x" * (64 * 1024 + 1)), LimitExceeded, "prompt"),
        (replace(a_call(), metadata={str(n): "" for n in range(65)}), LimitExceeded, "metadata"),
        (replace(a_call(), metadata={"k" * 257: ""}), LimitExceeded, "metadata"),
        (replace(a_call(), metadata={"k": "v" * 4097}), LimitExceeded, "metadata['k']"),
    ],
)
async def test_what_cannot_be_asked_for(
    sandbox: Sandbox, call: Approval, refusal: type[Refusal], field: str
) -> None:
    """The refusal names the field, and nothing is stored."""
    with pytest.raises(refusal) as refused:
        await ask(sandbox, call)
    assert refused.value.field == field
    assert await sandbox.last_sequence() == 0


@pytest.mark.parametrize("span", [timedelta(), -HOUR, timedelta(days=36500)])
async def test_a_wait_is_a_positive_span(sandbox: Sandbox, span: timedelta) -> None:
    """Of at most ten years."""
    with pytest.raises(InvalidField) as refused:
        await wait_for(sandbox, span)
    assert refused.value.field == "expires_after"


async def test_so_many_calls_wait_and_no_more(sandbox: Sandbox) -> None:
    """The thousand and first is refused, and has its place as soon as one has left."""
    waiting = [replace(a_call(f"c-{n}"), approval_id=f"{n:032x}", workspace="acme") for n in range(1, 1001)]
    queue = tuple(call.call_id for call in waiting)
    full = replace(begin("acme", "s", NOW), queue=queue)
    change = SessionChange((full,), approvals=tuple(waiting))
    await sandbox.store.write("acme", lambda writing: writing.save(change))
    with pytest.raises(LimitExceeded) as refused:
        await ask(sandbox, a_call("one more"))
    assert refused.value.metadata["maximum"] == str(limits.WAITING_CALLS)
    await cancel_approval(sandbox.world, AGENT, "s", "c-500", None)
    assert (await ask(sandbox, a_call("one more"))).state is QUEUED


async def test_rules_answer_without_a_prompt() -> None:
    """What the policy allows or denies is DECIDED at once, with the rule, and takes no place."""
    sandbox = make_world(policy=Policy(deny=(NO_MAKE,), tools={"look": Access.READ}))
    denied = await ask(sandbox, a_call())
    assert (denied.state, denied.decision, denied.source) == (DECIDED, NO, DecisionSource.AUTO)
    assert (denied.rule, denied.feedback_text) == ("deny:no-make", "not today")
    looked = await ask(sandbox, replace(a_call("c-2", "{}"), kind=ToolKind.MCP, tool="look"))
    assert (looked.decision, looked.rule) == (YES, "read_only")
    session = await session_now(sandbox)
    assert (session.queue, session.last_call) == ((), "c-2")


@pytest.mark.parametrize("decision", ApprovalDecision)
async def test_a_person_answers(sandbox: Sandbox, decision: ApprovalDecision) -> None:
    """The call tells who said what; the session can send again and shows it as its last decision."""
    await ask(sandbox, a_call())
    answered = await resolve(sandbox, decision=decision)
    assert (answered.decision, answered.source, answered.reviewer) == (decision, DecisionSource.MANUAL, "ada")
    assert await call_now(sandbox) == answered
    view = await get_session(sandbox.world, AGENT, "s")
    assert (view.session.can_send, view.last_decision) == (True, answered)


async def test_each_prompt_has_a_token_of_its_own(sandbox: Sandbox) -> None:
    """Whoever saw the prompt before cannot answer the one after it with that."""
    first = await ask(sandbox, a_call())
    assert (await ask(sandbox, a_call("c-2"))).authority_token == ""
    await resolve(sandbox)
    assert (await call_now(sandbox, "c-2")).authority_token not in {"", first.authority_token}
    with pytest.raises(PromptNotActive):
        await resolve_approval(sandbox.world, PERSON, ResolveApproval("s", "c-2", first.authority_token, YES))


@pytest.mark.parametrize(
    ("command", "field"),
    [
        (ResolveApproval("", "c-1", "t", YES), "session_id"),
        (ResolveApproval("s", "", "t", YES), "call_id"),
        (ResolveApproval("s", "c-1", "t", None), "decision"),
        (ResolveApproval("s", "c-1", "", YES), "authority_token"),
    ],
)
async def test_an_answer_says_all_that_is_required(
    sandbox: Sandbox, command: ResolveApproval, field: str
) -> None:
    """Each refusal names its field, and the call still waits."""
    asked = await ask(sandbox, a_call())
    with pytest.raises(MissingField) as refused:
        await resolve_approval(sandbox.world, PERSON, command)
    assert refused.value.field == field
    assert await call_now(sandbox) == asked


async def test_the_second_answer_is_refused(sandbox: Sandbox) -> None:
    """And told what was decided, and by whom."""
    await ask(sandbox, a_call())
    await resolve(sandbox, decision=NO)
    with pytest.raises(CallAlreadyDecided) as refused:
        await resolve(sandbox)
    assert (refused.value.metadata["outcome"], refused.value.metadata["decided_by"]) == ("DENIED", "ada")


async def test_a_repeated_answer_gets_its_first_answer(sandbox: Sandbox) -> None:
    """Under its request_id it is no second one, and nothing is told twice."""
    await ask(sandbox, a_call())
    first = await resolve(sandbox, key=KEY)
    count = await sandbox.last_sequence()
    assert await resolve(sandbox, key=KEY) == first
    assert await sandbox.last_sequence() == count


async def test_a_no_that_came_meanwhile_is_final(sandbox: Sandbox) -> None:
    """If the policy denies the call by now, a person's yes is turned into the rule's no."""
    await ask(sandbox, a_call())
    change_policy(sandbox, Policy(deny=(NO_MAKE,)))
    answered = await resolve(sandbox)
    assert (answered.decision, answered.source, answered.rule) == (NO, DecisionSource.AUTO, "deny:no-make")
    assert (answered.feedback_text, answered.reviewer) == ("not today", "")


async def test_a_yes_for_the_session_does_not_pass_a_no(sandbox: Sandbox) -> None:
    """Nothing is remembered of a yes that did not count."""
    await ask(sandbox, a_call())
    change_policy(sandbox, Policy(deny=(NO_MAKE,)))
    assert (await resolve(sandbox, decision=FOR_SESSION)).decision is NO
    assert await sandbox.store.read("acme", lambda reading: reading.memory("s")) == []


async def test_a_persons_no_stays_theirs(sandbox: Sandbox) -> None:
    """Also where the policy would say the same by now: it was a person who answered."""
    await ask(sandbox, a_call())
    change_policy(sandbox, Policy(deny=(NO_MAKE,)))
    assert (await resolve(sandbox, decision=NO)).source is DecisionSource.MANUAL


async def test_a_no_to_the_agents_role_is_final_for_whoever_answers(sandbox: Sandbox) -> None:
    """The call is the agent's: a rule about agents denies it, though a reviewer says yes."""
    await ask(sandbox, a_call(), who=AGENT)
    change_policy(sandbox, Policy(deny=(replace(NO_MAKE, roles=("agent",)),)))
    answered = await resolve(sandbox, who=PERSON)
    assert (answered.decision, answered.rule) == (NO, "deny:no-make")


async def test_what_reviewers_may_do_agents_may_not(sandbox: Sandbox) -> None:
    """A rule that allows reviewers something answers no call of an agent, whoever answers beside it."""
    await ask(sandbox, a_call(command="ls"), who=AGENT)
    await ask(sandbox, a_call("c-2"), who=AGENT)
    change_policy(sandbox, Policy(allow=(replace(MAKE, roles=("reviewer",)),)))
    await resolve(sandbox, decision=FOR_SESSION, who=PERSON)
    assert (await call_now(sandbox, "c-2")).state is ACTIVE


async def test_a_no_to_reviewers_does_not_hinder_agents(sandbox: Sandbox) -> None:
    """A rule about reviewers says nothing about the call that a reviewer answers."""
    await ask(sandbox, a_call(), who=AGENT)
    change_policy(sandbox, Policy(deny=(replace(NO_MAKE, roles=("reviewer",)),)))
    assert (await resolve(sandbox, who=PERSON)).decision is YES


async def test_an_agent_takes_its_call_back(sandbox: Sandbox) -> None:
    """The next one is shown, and doing it again changes nothing."""
    for call_id in ("c-1", "c-2"):
        await ask(sandbox, a_call(call_id))
    taken = await cancel_approval(sandbox.world, AGENT, "s", "c-1", None)
    assert (taken.state, taken.decision) == (CANCELLED, None)
    assert (await call_now(sandbox, "c-2")).state is ACTIVE
    count = await sandbox.last_sequence()
    assert await cancel_approval(sandbox.world, AGENT, "s", "c-1", None) == taken
    assert await sandbox.last_sequence() == count
    with pytest.raises(CallAlreadyDecided):
        await resolve(sandbox, "c-1")


async def test_what_is_decided_is_not_taken_back(sandbox: Sandbox) -> None:
    """Nor what is not there."""
    await ask(sandbox, a_call())
    await resolve(sandbox)
    with pytest.raises(CallAlreadyDecided):
        await cancel_approval(sandbox.world, AGENT, "s", "c-1", None)
    with pytest.raises(ApprovalNotFound):
        await cancel_approval(sandbox.world, AGENT, "s", "c-2", None)
    for session_id, call_id in (("", "c-1"), ("s", "")):
        with pytest.raises(MissingField):
            await cancel_approval(sandbox.world, AGENT, session_id, call_id, None)


async def test_a_call_expires_by_itself(sandbox: Sandbox) -> None:
    """Not a moment earlier, and once; it is no answer, and the next call is shown."""
    await wait_for(sandbox, HOUR)
    await ask(sandbox, a_call("c-2"))
    sandbox.clock.advance(HOUR - timedelta(microseconds=1))
    assert await settle_overdue(sandbox.world) == 0
    sandbox.clock.advance(timedelta(microseconds=1))
    assert await settle_overdue(sandbox.world) == 1
    assert await settle_overdue(sandbox.world) == 0
    over = await call_now(sandbox)
    assert (over.state, over.decision, over.end_time) == (EXPIRED, None, sandbox.clock.now())
    session = await session_now(sandbox)
    assert (session.queue, session.last_call) == (("c-2",), "")
    assert (await call_now(sandbox, "c-2")).state is ACTIVE
    assert [event.type for event in await events(sandbox)][2:] == [EventType.TOOL_CALL_EXPIRED]


async def test_many_calls_expire_together(sandbox: Sandbox) -> None:
    """Also those that are shown only because the one before them expired, and in every workspace."""
    for number in range(3):
        await wait_for(sandbox, HOUR, f"c-{number}")
    command = RequestApproval(a_call(), expires_after=HOUR)
    async with aclosing(request_approval(sandbox.world, STRANGER, command)) as stream:
        await anext(stream)
    sandbox.clock.advance(HOUR)
    assert await settle_overdue(sandbox.world) == 4
    assert (await session_now(sandbox)).queue == ()


async def test_a_stream_ends_when_its_call_expires(sandbox: Sandbox) -> None:
    """Whoever waits is told that nobody answered."""
    command = RequestApproval(a_call(), expires_after=HOUR)
    async with aclosing(request_approval(sandbox.world, AGENT, command)) as stream:
        await anext(stream)
        sandbox.clock.advance(HOUR)
        await settle_overdue(sandbox.world)
        assert await next_of(stream) == (EXPIRED, 0)


async def test_too_late_is_too_late_before_anyone_has_looked(sandbox: Sandbox) -> None:
    """An answer after the time is refused as EXPIRED, also while the call still stands in the queue."""
    await wait_for(sandbox, HOUR)
    sandbox.clock.advance(HOUR)
    with pytest.raises(CallAlreadyDecided) as refused:
        await resolve(sandbox)
    assert refused.value.metadata["outcome"] == "EXPIRED"


@pytest.mark.parametrize(("asked", "until"), [(None, HOUR), (2 * HOUR, HOUR), (HOUR / 2, HOUR / 2)])
async def test_the_operator_says_how_long_calls_wait_at_most(
    asked: timedelta | None, until: timedelta
) -> None:
    """An agent may ask for less, never for more."""
    sandbox = make_world(policy=Policy(calls=CallRules(HOUR)))
    command = RequestApproval(a_call(), expires_after=asked)
    async with aclosing(request_approval(sandbox.world, AGENT, command)) as stream:
        assert (await anext(stream)).approval.expire_time == NOW + until


async def a_plan(sandbox: Sandbox) -> Plan:
    return await create_plan(
        sandbox.world, AGENT, CreatePlan(a_draft(todos=[a_todo("a"), a_todo("b")]), multi_plan=True)
    )


async def a_build(sandbox: Sandbox, lease: timedelta = HOUR) -> Started:
    """A build of the first todo of an approved plan."""
    plan = await decide(sandbox, await a_plan(sandbox))
    return await build_todos(sandbox.world, AGENT, plan.uri, BuildOrder("coder", ("a",), lease=lease), None)


async def refused_work(sandbox: Sandbox, work: Work) -> Refusal:
    """How a call for that work is refused: asked for and authorized, it is the same."""
    call = replace(a_call(), build_id=work.build_id, todo_id=work.todo_id)
    with pytest.raises(Refusal) as asked:
        await ask(sandbox, call, work)
    with pytest.raises(Refusal) as authorized:
        await authorize_tool(sandbox.world, AGENT, "s", Call("bash"), work)
    assert type(asked.value) is type(authorized.value)
    assert asked.value.metadata == authorized.value.metadata
    return asked.value


async def test_a_call_is_tied_to_its_work(sandbox: Sandbox) -> None:
    """To the plan of its build, whether or not it names the plan; and calls of one todo correlate."""
    started = await a_build(sandbox)
    build_id, plan = started.build.build_id, started.plan
    call = replace(a_call(), build_id=build_id, todo_id="a")
    asked = await ask(sandbox, call, Work("", build_id, "a"))
    assert (asked.plan_id, asked.build_id, asked.todo_id) == (plan.plan_id, build_id, "a")
    named = await ask(sandbox, replace(call, call_id="c-2"), Work(plan.uri, build_id, "a"))
    authorized = await authorize_tool(sandbox.world, AGENT, "s", Call("bash"), Work(plan.uri, build_id, "a"))
    assert asked.correlation_id == named.correlation_id == authorized.correlation_id
    assert asked.correlation_id == correlation_id("s", plan.plan_id, build_id, "a")


async def test_calls_of_other_work_do_not_correlate(sandbox: Sandbox) -> None:
    """Another todo, build, plan or session, or none at all, has an id of its own."""
    started = await a_build(sandbox)
    build_id, uri = started.build.build_id, started.plan.uri
    works = [Work(), Work(uri), Work(uri, "", "a"), Work(uri, "", "b"), Work("", build_id)]
    found = [await authorize_tool(sandbox.world, AGENT, "s", Call("bash"), work) for work in works]
    found.append(await authorize_tool(sandbox.world, AGENT, "t", Call("bash"), Work(uri)))
    assert len({each.correlation_id for each in found}) == len(found)


async def test_a_build_that_ended_authorizes_nothing(sandbox: Sandbox) -> None:
    """Whether its agent said so or was not heard from any more."""
    finished = (await a_build(sandbox)).build.build_id
    await finish(sandbox.world, AGENT, finished, outcome=BuildOutcome.COMPLETED, summary="", key=None)
    assert isinstance(await refused_work(sandbox, Work(build_id=finished)), BuildEnded)
    silent = (await a_build(sandbox)).build.build_id
    sandbox.clock.advance(HOUR)
    assert isinstance(await refused_work(sandbox, Work(build_id=silent)), BuildEnded)
    await settle_overdue(sandbox.world)
    assert isinstance(await refused_work(sandbox, Work(build_id=silent)), BuildEnded)


async def test_a_build_of_another_plan_is_refused(sandbox: Sandbox) -> None:
    """A call is for one plan."""
    build_id = (await a_build(sandbox)).build.build_id
    other = await a_plan(sandbox)
    refusal = await refused_work(sandbox, Work(other.uri, build_id))
    assert (type(refusal), refusal.field) == (InvalidField, "build_id")


async def test_new_words_end_what_was_built(sandbox: Sandbox) -> None:
    """A build of a revision that is no longer the approved one authorizes nothing."""
    started = await a_build(sandbox)
    amendment = Amendment(a_draft("# Other words", todos=[a_todo("a")]))
    await update_plan(sandbox.world, AGENT, UpdatePlan(started.plan.uri, 1, amendment))
    refusal = await refused_work(sandbox, Work(build_id=started.build.build_id))
    assert isinstance(refusal, BuildEnded)


async def test_a_revision_that_is_not_approved_authorizes_nothing(sandbox: Sandbox) -> None:
    """Also if a build of it should still be live."""
    started = await a_build(sandbox)
    await go_on(sandbox.store, started.plan, lambda stored: a_note(replace(stored, approved=None)))
    refusal = await refused_work(sandbox, Work(build_id=started.build.build_id))
    assert isinstance(refusal, NotApproved)


async def test_work_that_is_not_there_is_refused(sandbox: Sandbox) -> None:
    """Each refusal says what was not found; another workspace's is not there either."""
    started = await a_build(sandbox)
    build_id, uri = started.build.build_id, started.plan.uri
    unknown = {
        Work(build_id="nothing"): BuildNotFound,
        Work(f"{uri[:-1]}f"): PlanNotFound,
        Work(uri, build_id, "c"): TodoNotFound,
        Work(uri, build_id, "b"): TodoNotFound,  # of the plan, but not in the hands of this build
        Work(uri, "", "c"): TodoNotFound,
        Work(todo_id="a"): InvalidField,
    }
    for work, refusal in unknown.items():
        assert type(await refused_work(sandbox, work)) is refusal
    for work in (Work(build_id=build_id), Work(uri)):
        with pytest.raises((BuildNotFound, PlanNotFound)):
            await ask(sandbox, a_call(), work, who=STRANGER)


async def list_calls(
    sandbox: Sandbox, which: ApprovalFilter, size: int = 0, token: str = ""
) -> tuple[list[tuple[str, int]], str]:
    page, after = await list_approvals(sandbox.world, PERSON, which, size, token)
    return [(each.approval.call_id, each.position) for each in page], after


async def test_calls_are_listed_with_their_places(sandbox: Sandbox) -> None:
    """Oldest first, filtered by session and state, with how many are before each that waits."""
    for number in range(4):
        await ask(sandbox, a_call(f"c-{number}"))
    await ask(sandbox, a_call("other", session_id="t"))
    await resolve(sandbox, "c-0")
    waiting = ApprovalFilter("s", (QUEUED, ACTIVE))
    assert (await list_calls(sandbox, waiting))[0] == [("c-1", 0), ("c-2", 1), ("c-3", 2)]
    assert (await list_calls(sandbox, ApprovalFilter(states=(DECIDED,))))[0] == [("c-0", 0)]
    everything = ["c-0", "c-1", "c-2", "c-3", "other"]
    assert [call for call, _ in (await list_calls(sandbox, ApprovalFilter()))[0]] == everything
    assert (await list_approvals(sandbox.world, STRANGER, ApprovalFilter(), 0, ""))[0] == []


async def test_pages_join_without_a_gap(sandbox: Sandbox) -> None:
    """Each call once, in order, also when some ended between two pages; and the last page says so."""
    for number in range(5):
        await ask(sandbox, a_call(f"c-{number}"))
    seen: list[str] = []
    token = ""
    for size in (2, 2, 1):
        page, token = await list_calls(sandbox, ApprovalFilter("s"), size, token)
        assert len(page) == size
        seen += [call for call, _ in page]
        await cancel_approval(sandbox.world, AGENT, "s", seen[0], None)
    assert (seen, token) == ([f"c-{number}" for number in range(5)], "")


async def test_a_page_token_is_good_for_its_list_only(sandbox: Sandbox) -> None:
    """With other filters, in another workspace or made up, it is refused."""
    for number in range(2):
        await ask(sandbox, a_call(f"c-{number}"))
    _, token = await list_calls(sandbox, ApprovalFilter("s"), 1)
    for which, principal, wrong in [
        (ApprovalFilter(), PERSON, token),
        (ApprovalFilter("s"), STRANGER, token),
        (ApprovalFilter("s"), PERSON, f"{token}A"),
    ]:
        with pytest.raises(InvalidPageToken):
            await list_approvals(sandbox.world, principal, which, 1, wrong)
    with pytest.raises(InvalidField):
        await list_approvals(sandbox.world, PERSON, ApprovalFilter(), -1, "")


async def test_watching_shows_the_prompt_and_each_after_it(sandbox: Sandbox) -> None:
    """What is active now, then every change, with what was decided last."""
    await ask(sandbox, a_call())
    await ask(sandbox, a_call("c-2"))
    async with aclosing(watch_approvals(sandbox.world, PERSON, "s")) as stream, asyncio.timeout(PATIENCE):
        first = await anext(stream)
        assert (first.sequence, first.prompt) == (2, await call_now(sandbox))
        answered = await resolve(sandbox)
        second = await anext(stream)
        assert (second.prompt, second.last_decision) == (await call_now(sandbox, "c-2"), answered)
        await cancel_approval(sandbox.world, AGENT, "s", "c-2", None)
        assert (await anext(stream)).prompt is None


async def test_watching_all_begins_with_every_prompt(sandbox: Sandbox) -> None:
    """One for each session in which something waits, then the mark from where the stream can go on."""
    for session in ("s", "t"):
        await ask(sandbox, a_call(session_id=session))
    await ask(sandbox, a_call(), who=STRANGER)
    async with aclosing(watch_approvals(sandbox.world, PERSON)) as stream, asyncio.timeout(PATIENCE):
        begun = [await anext(stream) for _ in range(3)]
        assert [each.session.session_id if each.session else "" for each in begun] == ["s", "t", ""]
        assert [each.sequence for each in begun] == [None, None, 2]


async def test_watching_a_session_that_is_not_there_shows_no_prompt(sandbox: Sandbox) -> None:
    """Whoever opens the watch before the agent begins misses nothing."""
    async with aclosing(watch_approvals(sandbox.world, PERSON, "s")) as stream, asyncio.timeout(PATIENCE):
        assert (await anext(stream)).prompt is None
        asked = await ask(sandbox, a_call())
        assert (await anext(stream)).prompt == asked
