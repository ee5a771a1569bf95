"""Queues under load: first in, first out in each session, one prompt at a time, and one end for each call."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from plangate_proto.agent.v1.agent_session_service_pb2 import SetModeRequest
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    Approval,
    ApprovalPrompt,
    CancelApprovalRequest,
    ListApprovalsRequest,
    RequestApprovalResponse,
    WatchApprovalsRequest,
    WatchApprovalsResponse,
)
from plangate_proto.aiserver.v1.plan_review_service_pb2 import VerifyAuditRequest
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, connected
from tests.helpers.profiles import rounds
from tests.helpers.resuming import log_of
from tests.helpers.streams import next_of, types
from tests.helpers.tool_calls import (
    NO,
    PLAN,
    YES,
    call,
    decision_of,
    remember,
    resolution,
    standing,
    state_of,
    states,
)
from tests.rpc.test_races import reason

SESSIONS = [f"s{number}" for number in range(10)]
CALLS = rounds(30)
"""Calls of each session, all asked for at once."""
RESOLVERS = 4
ENDS = {"TOOL_CALL_DECIDED", "TOOL_CALL_CANCELLED", "TOOL_CALL_EXPIRED"}
LATE = {"", "ALREADY_DECIDED", "PROMPT_NOT_ACTIVE"}

pytestmark = pytest.mark.thorough

Name = tuple[str, str]
"""A session and a call of it."""


@dataclass(slots=True)
class Told:
    """What everybody saw: agents where their calls stood, people which answers of theirs were taken."""

    standings: defaultdict[Name, list[RequestApprovalResponse]] = field(
        default_factory=lambda: defaultdict(list)
    )
    answered: list[Name] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    waiting: list[asyncio.Timeout] = field(default_factory=list)

    @asynccontextmanager
    async def goes_on(self) -> AsyncIterator[None]:
        """However long the block takes, it may not be that nobody is told anything for so long."""
        async with asyncio.timeout(PATIENCE) as waiting:
            self.waiting.append(waiting)
            try:
                yield
            finally:
                self.waiting.remove(waiting)

    def moved(self) -> None:
        """Somebody was told something: whoever waits begins to wait anew."""
        for each in self.waiting:
            each.reschedule(asyncio.get_running_loop().time() + PATIENCE)


async def agent(gate: Gate, told: Told, session_id: str, number: int) -> None:
    """Asks for a call, and reads until it has ended."""
    request = call(f"make {number}", f"c{number}", session_id=session_id)
    async for response in gate.approvals.RequestApproval(request):
        told.standings[session_id, request.call_id].append(response)
        told.moved()


async def person(gate: Gate, told: Told, option: str) -> None:
    """Answers every prompt that comes along, for ever; others do so, too."""
    async for moment in gate.approvals.WatchApprovals(WatchApprovalsRequest()):
        if moment.HasField("prompt"):
            await answer(gate, told, moment.prompt, option)


async def answer(gate: Gate, told: Told, prompt: ApprovalPrompt, option: str) -> None:
    why = await reason(gate.approvals.ResolveApproval(resolution(prompt, option)))
    assert why in LATE
    if why:
        told.refused[why] += 1
    else:
        told.answered.append((prompt.session_id, prompt.call_id))


async def changed_mind(gate: Gate, session_id: str, number: int) -> str:
    """An agent that takes a call back, whatever has become of it."""
    request = CancelApprovalRequest(session_id=session_id, call_id=f"c{number}")
    return await reason(gate.approvals.CancelApproval(request))


async def all_calls(gate: Gate, session_id: str) -> list[Approval]:
    every = states("QUEUED", "ACTIVE", "DECIDED", "CANCELLED", "EXPIRED")
    request = ListApprovalsRequest(session_id=session_id, states=every, page_size=1000)
    return list((await gate.approvals.ListApprovals(request)).approvals)


def by_session(log: list[ReviewEvent]) -> dict[str, list[ReviewEvent]]:
    """What moved each session; answers that came too late did not."""
    found: defaultdict[str, list[ReviewEvent]] = defaultdict(list)
    for event in log:
        if not event.HasField("refused"):
            found[event.session_id].append(event)
    return found


def check_standings(told: Told) -> None:
    """Each agent saw its call move up only, active at most once, and one end, which came last."""
    for seen in told.standings.values():
        places = [standing(each) for each in seen]
        *waits, (end, _) = places
        assert end in {"DECIDED", "CANCELLED", "EXPIRED"}
        assert {state for state, _ in waits} <= {"QUEUED", "ACTIVE"}
        positions = [position for _, position in waits]
        assert positions == sorted(set(positions), reverse=True)
        assert [state for state, position in waits] == ["QUEUED" if p else "ACTIVE" for p in positions]


def replayed(events: list[ReviewEvent]) -> list[str]:
    """The queue that a session's log leads to: in the order of their times, and the first is answered."""
    requested = [event.approval for event in events if types([event]) == ["TOOL_CALL_REQUESTED"]]
    times = [approval.request_time.ToDatetime() for approval in requested]
    assert times == sorted(times)
    queue: list[str] = []
    for event in events:
        (kind,) = types([event])
        approval = event.approval
        if kind == "TOOL_CALL_REQUESTED":
            assert (state_of(approval) == "ACTIVE") == (not queue), "only the first is active at once"
            queue.append(approval.call_id)
        elif kind in ENDS:
            if kind == "TOOL_CALL_DECIDED":
                assert queue[0] == approval.call_id, "first in, first out"
            queue.remove(approval.call_id)
        assert event.session.queue_length == len(queue)
    return queue


async def test_queues_under_load(gate: Gate) -> None:
    """Ten sessions with all their calls at once and four people: every order holds, and nothing is lost."""
    told = Told()
    async with told.goes_on(), AsyncExitStack() as stack:
        people = [await stack.enter_async_context(connected(gate.address)) for _ in range(RESOLVERS)]
        answering = [
            asyncio.create_task(person(place, told, [YES, NO][n % 2])) for n, place in enumerate(people)
        ]
        agents = [agent(gate, told, session, number) for number in range(CALLS) for session in SESSIONS]
        await asyncio.gather(*agents)
        for task in answering:
            task.cancel()
        await asyncio.gather(*answering, return_exceptions=True)
    assert len(told.standings) == len(SESSIONS) * CALLS
    check_standings(told)
    assert Counter(told.answered) == Counter(told.standings.keys())
    log = by_session(await log_of(gate))
    assert log.keys() == set(SESSIONS)
    for session_id, events in log.items():
        assert replayed(events) == []
        calls = await all_calls(gate, session_id)
        assert {state_of(each) for each in calls} == {"DECIDED"}
        shown = [each.active_time.ToDatetime() for each in calls]
        ended = [each.decide_time.ToDatetime() for each in calls]
        order = [event.approval.call_id for event in events if types([event]) == ["TOOL_CALL_REQUESTED"]]
        assert [each.call_id for each in calls] == order, "listed in the order in which they were asked for"
        # Never two at once: each is shown when the one before it has ended, not earlier.
        assert all(before <= after for before, after in zip(ended[:-1], shown[1:], strict=True))
        ends = {(s, c): seen[-1] for (s, c), seen in told.standings.items() if s == session_id}
        assert {each.call_id: decision_of(each) for each in calls} == {
            call_id: decision_of(end) for (_, call_id), end in ends.items()
        }
    assert (await gate.reviews.VerifyAudit(VerifyAuditRequest())).valid


async def test_calls_taken_back_under_load(gate: Gate) -> None:
    """Agents that change their minds while people answer: each call ends once, in one of both ways."""
    told = Told()
    async with told.goes_on(), connected(gate.address) as elsewhere:
        people = [asyncio.create_task(person(place, told, YES)) for place in (gate, elsewhere)]
        agents = [
            asyncio.create_task(agent(gate, told, session, number))
            for number in range(CALLS)
            for session in SESSIONS
        ]
        fickle = [(session, number) for session in SESSIONS for number in range(0, CALLS, 3)]
        refusals = await asyncio.gather(*(until_known(gate, *each) for each in fickle))
        await asyncio.gather(*agents)
        for task in people:
            task.cancel()
        await asyncio.gather(*people, return_exceptions=True)
    check_standings(told)
    cancelled = {
        (session, f"c{number}") for (session, number), why in zip(fickle, refusals, strict=True) if not why
    }
    ends = {name: state_of(seen[-1]) for name, seen in told.standings.items()}
    assert {name for name, end in ends.items() if end == "CANCELLED"} == cancelled
    assert {name for name, end in ends.items() if end == "DECIDED"} == set(told.answered)
    assert len(told.answered) + len(cancelled) == len(SESSIONS) * CALLS
    for events in by_session(await log_of(gate)).values():
        assert replayed(events) == []


async def until_known(gate: Gate, session_id: str, number: int) -> str:
    """Take a call back as soon as it has been asked for; gives why it was refused, if it was."""
    while (why := await changed_mind(gate, session_id, number)) == "APPROVAL_NOT_FOUND":
        pass
    assert why in {"", "ALREADY_DECIDED"}
    return why


async def test_a_remembered_answer_under_load(gate: Gate) -> None:
    """An answer that covers the rest of the queue ends all of it once, and what is asked for meanwhile."""
    told = Told()
    async with told.goes_on():
        agents = [asyncio.create_task(agent(gate, told, "s", number)) for number in range(100)]
        watch = gate.approvals.WatchApprovals(WatchApprovalsRequest(session_id="s"))
        moment: WatchApprovalsResponse = await next_of(watch)
        while not moment.HasField("prompt"):
            moment = await next_of(watch)
        watch.cancel()
        answered: Any = await gate.approvals.ResolveApproval(
            resolution(moment.prompt, YES, remember=remember("make *"))
        )
        await asyncio.gather(*agents)
    check_standings(told)
    rule = f"remembered:{answered.remembered.remembered_id}"
    rules = Counter(seen[-1].rule for seen in told.standings.values())
    assert rules == {"": 1, rule: 99}
    assert {decision_of(seen[-1]) for seen in told.standings.values()} == {"APPROVED"}
    assert (await gate.session()).queue_length == 0


async def test_every_watch_tells_the_same_under_load(gate: Gate) -> None:
    """Watchers that read while calls come and go see one order, and no prompt after its answer."""
    told = Told()

    async def look(watch: Any) -> list[WatchApprovalsResponse]:
        moments: list[WatchApprovalsResponse] = []
        over: set[str] = set()
        while len(over - {""}) < 60:
            moments.append(await next_of(watch))
            told.moved()
            over.add(moments[-1].last_decision.call_id)
            assert moments[-1].prompt.call_id not in over or not moments[-1].HasField("prompt")
        watch.cancel()
        return moments

    watches = [gate.approvals.WatchApprovals(WatchApprovalsRequest(session_id="s")) for _ in range(5)]
    async with told.goes_on():
        await asyncio.gather(*map(next_of, watches))
        looking = [asyncio.create_task(look(watch)) for watch in watches]
        people = [asyncio.create_task(person(gate, told, option)) for option in (YES, NO)]
        await asyncio.gather(*(agent(gate, told, "s", number) for number in range(60)))
        live = await asyncio.gather(*looking)
        for task in people:
            task.cancel()
        await asyncio.gather(*people, return_exceptions=True)
    assert len(live[0]) == 120
    assert all(moments == live[0] for moments in live)


async def test_nothing_slips_into_plan_mode(gate: Gate) -> None:
    """Calls asked for and answered while plan mode comes are approved before it or denied."""
    for number in range(30):
        session_id = f"s{number}"
        asked = [call(f"make {n}", f"c{n}", session_id=session_id) for n in range(6)]
        for each in asked[:3]:
            await gate.ask(each)
        prompt = await gate.prompt(session_id)
        plan_mode = SetModeRequest(session_id=session_id, mode=PLAN)
        answered, *_ = await asyncio.gather(
            reason(gate.approvals.ResolveApproval(resolution(prompt, YES))),
            *(reason(gate.ask(each)) for each in asked[3:]),
            gate.sessions.SetMode(plan_mode),
        )
        assert answered in {"", "ALREADY_DECIDED"}
        assert (await gate.session(session_id)).queue_length == 0
        calls = await all_calls(gate, session_id)
        ends = Counter((state_of(each), decision_of(each), each.rule) for each in calls)
        approved = {("DECIDED", "APPROVED", ""): 1} if not answered else {}
        assert ends == approved | {("DECIDED", "DENIED", "plan_mode"): 6 - len(approved)}
