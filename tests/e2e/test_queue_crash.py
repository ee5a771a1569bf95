"""SIGKILL with full queues: every call is where it was, with its prompt and token, and answers are kept."""

from __future__ import annotations

import asyncio
import random
import signal
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

import grpc

from plangate_proto.agent.v1.agent_session_service_pb2 import Session
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    Approval,
    CancelApprovalRequest,
    ListApprovalsRequest,
    ListRememberedRequest,
    Remembered,
    RequestApprovalRequest,
    ResolveApprovalRequest,
    WatchApprovalsResponse,
)
from plangate_proto.aiserver.v1.plan_review_service_pb2 import VerifyAuditRequest
from tests.e2e.processes import ServerProcess, serving
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, connected
from tests.helpers.refusals import refused
from tests.helpers.resuming import log_of
from tests.helpers.streams import next_of, rest_of
from tests.helpers.tool_calls import (
    NO,
    YES,
    call,
    decision_of,
    remember,
    resolution,
    standing,
    state_of,
    states,
)
from tests.rpc.test_queue_races import by_session, replayed

WAITING = {"full": 1000, "long": 60, "short": 5, "one": 1}
"""How many calls wait in each session when the server is killed."""
AT_A_TIME = 50
EVERY_STATE = states("QUEUED", "ACTIVE", "DECIDED", "CANCELLED", "EXPIRED")

ROUNDS = 3
SESSIONS = ["s0", "s1", "s2", "s3"]
AGENTS = 3
"""How many ask at a time in each session."""
MOST_ANSWERS = 60
"""Answers given before the server is killed, at most."""


@dataclass(frozen=True)
class Picture:
    """All that a server knows about sessions and calls."""

    sessions: list[Session]
    prompts: list[WatchApprovalsResponse]
    calls: dict[str, list[Approval]]
    remembered: list[Remembered]
    log: list[ReviewEvent]


async def calls_of(gate: Gate, session_id: str, *names: str) -> list[Approval]:
    """The calls of a session in some states, or in any."""
    found: list[Approval] = []
    token = ""
    while True:
        request = ListApprovalsRequest(
            session_id=session_id, states=states(*names) or EVERY_STATE, page_size=1000, page_token=token
        )
        page = await gate.approvals.ListApprovals(request)
        found, token = [*found, *page.approvals], page.next_page_token
        if not token:
            return found


async def picture(gate: Gate, sessions: list[str]) -> Picture:
    return Picture(
        [await gate.session(each) for each in sessions],
        [await gate.prompts(each) for each in sessions],
        {each: await calls_of(gate, each) for each in sessions},
        list((await gate.approvals.ListRemembered(ListRememberedRequest())).remembered),
        await log_of(gate),
    )


async def fill(gate: Gate, session_id: str, count: int) -> None:
    """Some calls that were answered or taken back, and then so many that wait."""
    for number, option in enumerate([YES, NO, YES]):
        await gate.ask(asked(session_id, f"early-{number}"))
        fields = {"remember": remember()} if number == 2 else {"feedback_text": f"Answer {number}"}
        await gate.answer(option, session_id, **fields)
    await gate.ask(asked(session_id, "taken-back"))
    await gate.approvals.CancelApproval(CancelApprovalRequest(session_id=session_id, call_id="taken-back"))
    for first in range(0, count, AT_A_TIME):
        batch = range(first, min(first + AT_A_TIME, count))
        await asyncio.gather(*(gate.ask(asked(session_id, f"c{number}")) for number in batch))


def asked(session_id: str, call_id: str) -> RequestApprovalRequest:
    return call(f"make {call_id}", call_id, session_id=session_id)


def sample(calls: list[Approval]) -> list[Approval]:
    """Those at the front, in the middle and at the end of a queue."""
    places = sorted({0, 1, len(calls) // 2, len(calls) - 1} & set(range(len(calls))))
    return [calls[place] for place in places]


async def test_a_full_queue_survives(database: str) -> None:
    """After the kill all is as it was, to the last token; agents ask again and go on waiting."""
    names = list(WAITING)
    async with serving(database) as server, connected(server.address) as gate:
        await asyncio.gather(*(fill(gate, name, count) for name, count in WAITING.items()))
        before = await picture(gate, names)
        assert [session.queue_length for session in before.sessions] == list(WAITING.values())
        queues = {name: await calls_of(gate, name, "QUEUED", "ACTIVE") for name in names}
        waiting = [each for queue in queues.values() for each in sample(queue)]
        streams = [gate.approvals.RequestApproval(asked(each.session_id, each.call_id)) for each in waiting]
        stood = [await next_of(stream) for stream in streams]
        await server.exit(signal.SIGKILL)
        ends = await asyncio.gather(*(stream.code() for stream in streams))
        assert set(ends) == {grpc.StatusCode.UNAVAILABLE}
    async with serving(database) as server, connected(server.address) as gate:
        assert await picture(gate, names) == before
        audit = await gate.reviews.VerifyAudit(VerifyAuditRequest())
        assert (audit.valid, audit.checked) == (True, len(before.log))
        check_order(queues)
        streams = [gate.approvals.RequestApproval(asked(each.session_id, each.call_id)) for each in waiting]
        assert [await next_of(stream) for stream in streams] == stood
        assert await log_of(gate) == before.log, "asking again under the same ids is no new call"
        full = await refused(gate.ask(asked("full", "one-too-many")))
        assert (full.reason, full.metadata["actual"]) == ("LIMIT_EXCEEDED", "1001")
        await go_on(gate, before, queues, streams, waiting)


def check_order(queues: dict[str, list[Approval]]) -> None:
    """The first of each queue is the one that people see, and all stand in the order of their times."""
    for queue in queues.values():
        assert [each.position for each in queue] == list(range(len(queue)))
        assert [state_of(each) for each in queue] == ["ACTIVE", *["QUEUED"] * (len(queue) - 1)]
        times = [each.request_time.ToDatetime() for each in queue]
        assert times == sorted(times)


async def go_on(
    gate: Gate,
    before: Picture,
    queues: dict[str, list[Approval]],
    streams: list[Any],
    waiting: list[Approval],
) -> None:
    """Tokens from before the kill answer the prompts, and every queue moves up by one."""
    for seen in before.prompts:
        await gate.approvals.ResolveApproval(resolution(seen.prompt, NO, feedback_text="After the kill"))
    for stream, call_before in zip(streams, waiting, strict=True):
        if call_before.position == 0:
            (end,) = await rest_of(stream)
            assert (state_of(end), decision_of(end)) == ("DECIDED", "DENIED")
        else:
            moved = standing(await next_of(stream))
            place = call_before.position - 1
            assert moved == ("QUEUED" if place else "ACTIVE", place)
            stream.cancel()
    for name, queue in queues.items():
        left = await calls_of(gate, name, "QUEUED", "ACTIVE")
        assert [each.call_id for each in left] == [each.call_id for each in queue[1:]]
    room = await gate.ask(asked("full", "one-too-many"))
    assert standing(room) == ("QUEUED", 999)
    known = await gate.ask(call("make early-2", "again", session_id="short"))
    assert (state_of(known), decision_of(known)) == ("DECIDED", "APPROVED"), "what was remembered holds"


@dataclass(slots=True)
class Ledger:
    """What was acknowledged, and every answer that was sent."""

    asked: dict[tuple[str, str], int] = field(default_factory=dict)
    sent: dict[str, ResolveApprovalRequest] = field(default_factory=dict)
    answered: dict[str, Any] = field(default_factory=dict)
    wanted: int = 0
    enough: asyncio.Event = field(default_factory=asyncio.Event)

    def want(self, more: int) -> None:
        self.wanted = len(self.answered) + more
        self.enough.clear()

    async def answer(self, gate: Gate, request: ResolveApprovalRequest) -> None:
        self.sent[request.request_id] = request
        self.answered[request.request_id] = await gate.approvals.ResolveApproval(request)
        if len(self.answered) >= self.wanted:
            self.enough.set()


async def ask_on(gate: Gate, ledger: Ledger, session_id: str, prefix: str) -> None:
    """Ask for call after call, until the server is gone."""
    number = 0
    with suppress(grpc.aio.AioRpcError):
        while number < 200:
            number += 1
            told = await gate.ask(asked(session_id, f"{prefix}-{number}"))
            ledger.asked[session_id, f"{prefix}-{number}"] = told.position


async def answer_on(gate: Gate, ledger: Ledger, session_id: str) -> None:
    """Answer prompt after prompt of a session, until the server is gone."""
    options = [YES, NO]
    with suppress(grpc.aio.AioRpcError):
        while True:
            seen = await gate.prompts(session_id)
            if seen.HasField("prompt"):
                options.reverse()
                key = f"{session_id}-{seen.prompt.call_id}"
                await ledger.answer(gate, resolution(seen.prompt, options[0], request_id=key))


async def work_until_killed(server: ServerProcess, ledger: Ledger, number: int, answers: int) -> None:
    ledger.want(answers)
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(connected(server.address)) for _ in range(2)]
        work = [
            asyncio.create_task(ask_on(clients[0], ledger, session, f"{number}-{agent}"))
            for session in SESSIONS
            for agent in range(AGENTS)
        ]
        work += [asyncio.create_task(answer_on(clients[1], ledger, session)) for session in SESSIONS]
        async with asyncio.timeout(PATIENCE):
            await ledger.enough.wait()
        await server.exit(signal.SIGKILL)
        await asyncio.gather(*work)


async def check_kept(gate: Gate, ledger: Ledger) -> None:
    """What was acknowledged is there, what was not is there whole or not at all, and queues are in order."""
    for key, request in ledger.sent.items():
        answer = await gate.approvals.ResolveApproval(request)
        assert ledger.answered.setdefault(key, answer) == answer
    calls = {name: await calls_of(gate, name) for name in SESSIONS}
    found = {(name, each.call_id): each for name, every in calls.items() for each in every}
    assert ledger.asked.keys() <= found.keys()
    for key, request in ledger.sent.items():
        assert found[request.session_id, request.call_id] == ledger.answered[key].approval
    decided = {name for name, each in found.items() if state_of(each) == "DECIDED"}
    assert decided == {(each.session_id, each.call_id) for each in ledger.sent.values()}
    log = await log_of(gate)
    for name, events in by_session(log).items():
        queue = [each.call_id for each in calls[name] if state_of(each) in {"QUEUED", "ACTIVE"}]
        assert replayed(events) == queue
        assert (await gate.session(name)).queue_length == len(queue)
    check_order({name: await calls_of(gate, name, "QUEUED", "ACTIVE") for name in queued(calls)})
    audit = await gate.reviews.VerifyAudit(VerifyAuditRequest())
    assert (audit.valid, audit.checked) == (True, len(log))


def queued(calls: dict[str, list[Approval]]) -> list[str]:
    return [name for name, every in calls.items() if any(state_of(each) == "ACTIVE" for each in every)]


async def test_queues_at_work_survive(database: str) -> None:
    """Round after round: agents ask and people answer, kill, restart; nothing acknowledged is lost."""
    moments = random.Random(20261116)
    ledger = Ledger()
    for number in range(ROUNDS + 1):
        async with serving(database) as server, connected(server.address) as gate:
            await check_kept(gate, ledger)
            if number < ROUNDS:
                await work_until_killed(server, ledger, number, moments.randrange(1, MOST_ANSWERS))
