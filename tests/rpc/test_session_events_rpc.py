"""What happens in sessions, as the log tells it: whole, chained, and without what would let anyone decide."""

import hashlib
from pathlib import Path
from typing import Any

from plangate_proto.agent.v1.agent_session_service_pb2 import (
    ConfirmFullAccessRequest,
    ReportEventRequest,
    SetModeRequest,
)
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    CancelApprovalRequest,
    ForgetRememberedRequest,
    ListApprovalsRequest,
    ResetMemoryRequest,
)
from plangate_proto.aiserver.v1.plan_review_service_pb2 import ListEventsRequest, VerifyAuditRequest
from tests.helpers.gate import Gate, open_gate, proposal
from tests.helpers.resuming import log_of
from tests.helpers.streams import next_of, rest_of, types
from tests.helpers.tokens import ADMIN
from tests.helpers.tool_calls import (
    FULL_ACCESS,
    NO,
    PLAN,
    RESTART,
    YES,
    call,
    event,
    fsm_of,
    full_access_of,
    mode_of,
    outcome,
    remember,
    resolution,
    span,
    state_of,
)
from tests.rpc.steps import approved, build, kinds, watching, with_todos

LIFE = [
    "SESSION_MOVED",
    "TOOL_CALL_REQUESTED",
    "TOOL_CALL_REQUESTED",
    "TOOL_CALL_DECIDED",
    "DECISION_REMEMBERED",
    "TOOL_CALL_CANCELLED",
    "TOOL_CALL_REQUESTED",
    "TOOL_CALL_EXPIRED",
    "TOOL_CALL_REQUESTED",
    "TOOL_CALL_DECIDED",
    "DECISION_FORGOTTEN",
    "SESSION_MODE_CHANGED",
    "FULL_ACCESS_CHANGED",
    "MEMORY_RESET",
]
"""Every type of event about sessions, in the order in which ``live_through`` makes them."""
SESSION_TYPES = sorted(set(LIFE))


async def live_through(gate: Gate) -> list[str]:
    """Make every event of a session; gives the tokens of the prompts that were shown."""
    await gate.sessions.ReportEvent(ReportEventRequest(session_id="s", event=event("RECEIVE_MESSAGE")))
    await gate.ask(call("make 0", "c0", metadata={"cwd": "/src"}, prompt="Because"))
    await gate.ask(call("make 1", "c1"))
    prompts = [await gate.prompt()]
    fields: dict[str, Any] = {"remember": remember(), "feedback_text": "Go on"}
    kept = (await gate.approvals.ResolveApproval(resolution(prompts[0], YES, **fields))).remembered
    prompts.append(await gate.prompt())
    await gate.approvals.CancelApproval(CancelApprovalRequest(session_id="s", call_id="c1"))
    await rest_of(gate.approvals.RequestApproval(call("make 2", "c2", expires_after=span(0.05))))
    await gate.ask(call("make 0", "c3"))
    await gate.approvals.ForgetRemembered(ForgetRememberedRequest(remembered_id=kept.remembered_id))
    await gate.sessions.SetMode(SetModeRequest(session_id="s", mode=PLAN))
    await gate.sessions.SetMode(SetModeRequest(session_id="s", mode=FULL_ACCESS))
    await gate.sessions.ConfirmFullAccess(ConfirmFullAccessRequest(session_id="s"))
    await gate.approvals.ResetMemory(ResetMemoryRequest(kind=RESTART, session_id="s"))
    return [prompt.authority_token for prompt in prompts]


async def lived(gate: Gate) -> list[ReviewEvent]:
    """The log after all of it, but for the second word about full access."""
    await live_through(gate)
    log = await log_of(gate)
    assert types(log) == [*LIFE[:-1], "FULL_ACCESS_CHANGED", "MEMORY_RESET"]
    return [*log[:13], log[14]]


async def test_the_log_tells_everything(gate: Gate) -> None:
    """Each event stands at its place with the session, who did it, when, and a cursor of its own."""
    log = await lived(gate)
    assert {each.session_id for each in log} == {"s"}
    assert len({each.cursor for each in log}) == len(log)
    assert [each.actor for each in log] == [
        ADMIN,
        "builder",
        "builder",
        ADMIN,
        ADMIN,
        "builder",
        "builder",
        "plangate",
        "builder",
        "plangate",
        ADMIN,
        ADMIN,
        ADMIN,
        ADMIN,
    ]
    times = [each.event_time.ToDatetime() for each in log]
    assert times == sorted(times)


async def test_events_of_calls_carry_the_call_and_the_session(gate: Gate) -> None:
    """As both were right after the event."""
    calls = [each for each in await lived(gate) if each.HasField("approval")]
    assert [(each.approval.call_id, state_of(each.approval)) for each in calls] == [
        ("c0", "ACTIVE"),
        ("c1", "QUEUED"),
        ("c0", "DECIDED"),
        ("c1", "CANCELLED"),
        ("c2", "ACTIVE"),
        ("c2", "EXPIRED"),
        ("c3", "DECIDED"),
        ("c3", "DECIDED"),
    ]
    assert [each.session.queue_length for each in calls] == [1, 2, 1, 0, 1, 0, 0, 0]
    assert [each.digest for each in calls] == [each.approval.digest for each in calls]
    assert {fsm_of(each.session) for each in calls} == {"CLASSIFY"}
    first, decided = calls[0].approval, calls[2].approval
    assert (first.command, first.prompt, dict(first.metadata)) == ("make 0", "Because", {"cwd": "/src"})
    assert outcome(decided) == ("DECIDED", "APPROVED", "MANUAL", ADMIN)
    assert decided.feedback_text == "Go on"
    assert outcome(calls[-2].approval)[:3] == ("DECIDED", "APPROVED", "AUTO")


async def test_a_decision_says_how_long_it_took(gate: Gate) -> None:
    """The latency is the time from the question to the answer; before that there is none."""
    calls = [each for each in await lived(gate) if each.HasField("approval")]
    for each in calls:
        approval = each.approval
        assert approval.HasField("latency") == (state_of(approval) not in {"QUEUED", "ACTIVE"})
        if approval.HasField("latency"):
            took = approval.decide_time.ToDatetime() - approval.request_time.ToDatetime()
            assert approval.latency.ToTimedelta() == took
            assert approval.decide_time == each.event_time


async def test_calls_of_one_sort_have_one_signature_hash(gate: Gate) -> None:
    """The hash is the same for what is remembered alike, another for anything else, and tells no command."""
    for number, command in enumerate(["make a", 'make  "a"', "make b", "make a; ls"]):
        await gate.ask(call(command, f"c{number}"))
    await gate.ask(call("make a", "c4", tool_name="sh"))
    hashes = [each.approval.signature_hash for each in await log_of(gate)]
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 4
    assert all(len(each) == 64 for each in hashes)
    assert hashlib.sha256(b"make a").hexdigest() not in hashes


async def test_calls_of_one_todo_have_one_correlation_id(gate: Gate) -> None:
    """Events of a call name the plan, the build and the todo, and what ties them together."""
    plan = await approved(gate, with_todos(session_id="s"))
    build_id = (await build(gate, plan)).build_id
    for number, todo_id in enumerate(["a", "a", "c"]):
        await gate.ask(call(f"make {number}", f"c{number}", build_id=build_id, todo_id=todo_id))
    calls = [each for each in await log_of(gate) if each.HasField("approval")]
    ids = [each.approval.correlation_id for each in calls]
    assert ids[0] == ids[1] != ids[2]
    assert {(each.plan_uri, each.plan_id) for each in calls} == {(plan.plan_uri, plan.plan_id)}
    assert {(each.approval.plan_uri, each.approval.build_id) for each in calls} == {(plan.plan_uri, build_id)}
    assert [each.approval.todo_id for each in calls] == ["a", "a", "c"]


async def test_events_of_memory_carry_what_was_remembered(gate: Gate) -> None:
    """Remembered and forgotten are the same decision; a reset tells its kind and how many are gone."""
    log = await lived(gate)
    by_type = {types([each])[0]: each for each in log}
    kept = by_type["DECISION_REMEMBERED"].remembered
    assert (kept.signature, kept.reviewer, kept.session_id) == ("make 0", ADMIN, "s")
    assert by_type["DECISION_FORGOTTEN"].remembered == kept
    assert by_type["DECISION_REMEMBERED"].session.session_id == "s"
    reset = by_type["MEMORY_RESET"]
    assert (reset.message, reset.cleared) == ("SESSION_RESTART", 0)


async def test_a_reset_is_told_with_its_count(gate: Gate) -> None:
    """As many as ResetMemory answers."""
    for number in range(3):
        await gate.ask(call(f"make {number}", f"c{number}"))
        await gate.answer(YES, remember=remember())
    answer = await gate.approvals.ResetMemory(ResetMemoryRequest(kind=RESTART, session_id="s"))
    assert answer.cleared == (await log_of(gate))[-1].cleared == 3


async def test_events_of_modes_carry_their_message(gate: Gate) -> None:
    """The mode, the state of full access and what was reported stand in words."""
    log = await lived(gate)
    told = {types([each])[0]: each for each in log if each.message}
    assert told["SESSION_MOVED"].message == "RECEIVE_MESSAGE"
    assert fsm_of(told["SESSION_MOVED"].session) == "CLASSIFY"
    assert told["SESSION_MODE_CHANGED"].message == mode_of(told["SESSION_MODE_CHANGED"].session) == "PLAN"
    asked = told["FULL_ACCESS_CHANGED"]
    assert asked.message == full_access_of(asked.session) == "PENDING_CONFIRMATION"


async def test_the_log_can_be_asked_for_a_session_and_for_types(gate: Gate) -> None:
    """By session, by type, and both; other sessions and plans are left out."""
    await gate.propose(proposal(session_id="other"))
    await gate.ask(call("make 0", "c0", session_id="other"))
    await live_through(gate)
    log = await log_of(gate)

    async def found(**fields: Any) -> list[ReviewEvent]:
        answer = await gate.reviews.ListEvents(ListEventsRequest(page_size=1000, **fields))
        return [entry.event for entry in answer.entries]

    assert await found(session_id="s") == [each for each in log if each.session_id == "s"]
    for kind in SESSION_TYPES:
        assert await found(types=kinds(kind)) == [each for each in log if types([each]) == [kind]]
    both = await found(types=kinds("TOOL_CALL_REQUESTED"), session_id="other")
    assert [each.approval.call_id for each in both] == ["c0"]


async def test_a_watch_of_reviews_tells_of_plans_only(gate: Gate) -> None:
    """Nothing of sessions comes through unless it is asked for by type, live and from a cursor."""
    stream, begun = await watching(gate)
    await live_through(gate)
    plan = await gate.propose(proposal(session_id="s"))
    told = (await next_of(stream)).event
    stream.cancel()
    assert (types([told]), told.plan_uri) == (["PLAN_CREATED"], plan.plan_uri)
    again, resumed = await watching(gate, cursor=begun[-1].cursor)
    again.cancel()
    assert types(resumed) == ["PLAN_CREATED", "PLAN_APPROVAL_REQUIRED", "CHECKPOINT"]


async def test_a_watch_tells_what_it_is_asked_for(gate: Gate) -> None:
    """A watch that names a type of session events tells those, live and from a cursor, and no others."""
    watches = {kind: await watching(gate, types=kinds(kind), session_id="s") for kind in SESSION_TYPES}
    await live_through(gate)
    log = await log_of(gate)
    for kind, (stream, begun) in watches.items():
        expected = [each for each in log if types([each]) == [kind]]
        live = [(await next_of(stream)).event for _ in expected]
        stream.cancel()
        again, resumed = await watching(gate, cursor=begun[-1].cursor, types=kinds(kind), session_id="s")
        again.cancel()
        assert live == resumed[:-1] == expected


async def test_no_token_is_in_any_event(gate: Gate) -> None:
    """Whoever reads the log, watches, lists calls or reads the session cannot decide with it."""
    tokens = await live_through(gate)
    later = call("make 9", "c9", session_id="other")
    await gate.ask(later)
    tokens.append((await gate.prompt("other")).authority_token)
    assert len(set(tokens)) == 3
    log = await gate.reviews.ListEvents(ListEventsRequest(page_size=1000))
    stream, told = await watching(gate, types=kinds(*SESSION_TYPES), cursor=log.entries[0].event.cursor)
    stream.cancel()
    calls = await gate.approvals.ListApprovals(ListApprovalsRequest())
    asked = await gate.ask(later)
    session = await gate.session("other")
    said = "".join(map(str, (log, *told, calls, asked, session)))
    assert [token for token in tokens if token in said] == []


async def test_the_log_is_chained(gate: Gate) -> None:
    """VerifyAudit holds over plans and sessions together, and entries are numbered without a gap."""
    await live_through(gate)
    plan = await gate.propose(proposal(session_id="other"))
    await gate.ask(call("make more", "c9", session_id="other"))
    await gate.decide(plan, "approve")
    await gate.answer(NO, "other")
    entries = (await gate.reviews.ListEvents(ListEventsRequest(page_size=1000))).entries
    assert [entry.sequence for entry in entries] == list(range(1, len(entries) + 1))
    assert [entry.previous_hash for entry in entries] == ["", *(entry.hash for entry in entries[:-1])]
    audit = await gate.reviews.VerifyAudit(VerifyAuditRequest())
    assert (audit.valid, audit.checked, audit.head_hash) == (True, len(entries), entries[-1].hash)


async def test_an_event_reads_the_same_after_a_restart(tmp_path: Path) -> None:
    """What the log tells comes from the database as it came from memory."""
    async with open_gate(tmp_path / "plangate.db") as gate:
        await live_through(gate)
        log = await log_of(gate)
    async with open_gate(tmp_path / "plangate.db") as gate:
        assert await log_of(gate) == log
        assert (await gate.reviews.VerifyAudit(VerifyAuditRequest())).valid
