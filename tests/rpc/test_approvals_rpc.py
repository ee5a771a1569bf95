"""A tool call's life: queued, active, and one end; in its session's order and nobody else's."""

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest

from plangate_proto.agent.v1.agent_session_service_pb2 import ConfirmFullAccessRequest, SetModeRequest
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    Approval,
    CancelApprovalRequest,
    CancelApprovalResponse,
    ListApprovalsRequest,
    RequestApprovalRequest,
    WatchApprovalsRequest,
)
from plangate_server import housekeeping
from plangate_server.domain import limits
from tests.helpers.clock import SkippingClock
from tests.helpers.gate import Gate, open_gate
from tests.helpers.refusals import refused
from tests.helpers.streams import cut_off, next_of, rest_of
from tests.helpers.tokens import ADMIN
from tests.helpers.tool_calls import (
    FULL_ACCESS,
    NO,
    YES,
    call,
    decision_of,
    mcp,
    outcome,
    patch,
    remember,
    resolution,
    span,
    standing,
    state_of,
    states,
)
from tests.rpc.bad_requests import Bad, over

REQUEST = "/agent.v1.ApprovalService/RequestApproval"
CANCEL = "/agent.v1.ApprovalService/CancelApproval"
RESOLVE = "/agent.v1.ApprovalService/ResolveApproval"
EVERY_STATE = states("QUEUED", "ACTIVE", "DECIDED", "CANCELLED", "EXPIRED")
AN_HOUR = span(3600)


async def waiting(gate: Gate, *calls: RequestApprovalRequest) -> list[Any]:
    """Streams of agents that wait, asked for one after the other; where each began was read."""
    streams: list[Any] = []
    for each in calls:
        streams.append(gate.approvals.RequestApproval(each))
        await next_of(streams[-1])
    return streams


async def cancel(gate: Gate, call_id: str, session_id: str = "s", **fields: str) -> CancelApprovalResponse:
    request = CancelApprovalRequest(session_id=session_id, call_id=call_id, **fields)
    return await gate.approvals.CancelApproval(request)


async def listed(gate: Gate, **fields: Any) -> list[Approval]:
    return list((await gate.approvals.ListApprovals(ListApprovalsRequest(**fields))).approvals)


def three() -> list[RequestApprovalRequest]:
    return [call(f"make {number}", f"c{number}") for number in range(3)]


async def test_the_first_call_is_shown_at_once(gate: Gate) -> None:
    """With nothing before it, a call is ACTIVE, and the prompt shows all of it."""
    asked = call("make test", prompt="To see whether it works", agent_id="builder-7", expires_after=AN_HOUR)
    assert standing(await gate.ask(asked)) == ("ACTIVE", 0)
    prompt = await gate.prompt()
    assert (prompt.call_id, prompt.session_id, prompt.kind) == ("c1", "s", asked.kind)
    assert (prompt.tool_name, prompt.command, prompt.message) == ("bash", "make test", asked.prompt)
    assert (prompt.agent_id, len(prompt.digest), bool(prompt.authority_token)) == ("builder-7", 64, True)
    assert (prompt.expire_time.ToDatetime() - prompt.request_time.ToDatetime()).total_seconds() == 3600


async def test_a_prompt_says_what_can_be_chosen(gate: Gate) -> None:
    """Yes, yes for the session and no; where nothing can be remembered, yes and no."""
    await gate.ask(call("make test"))
    prompt = await gate.prompt()
    assert prompt.can_remember
    assert [choice.value for choice in prompt.options] == ["APPROVED", "APPROVED_FOR_SESSION", "DENIED"]
    assert all(choice.label and choice.sublabel and choice.description for choice in prompt.options)
    await gate.answer(YES)
    await gate.ask(call("make test && make install", "c2"))
    prompt = await gate.prompt()
    assert not prompt.can_remember
    assert [choice.value for choice in prompt.options] == ["APPROVED", "DENIED"]


async def test_calls_move_up_one_by_one(gate: Gate) -> None:
    """QUEUED with every change of position, then ACTIVE, then DECIDED, and the stream ends with OK."""
    streams = [gate.approvals.RequestApproval(each) for each in three()[:1]]
    firsts = [await next_of(streams[0])]
    for each in three()[1:]:
        streams.append(gate.approvals.RequestApproval(each))
        firsts.append(await next_of(streams[-1]))
    assert [standing(first) for first in firsts] == [("ACTIVE", 0), ("QUEUED", 1), ("QUEUED", 2)]
    for _ in range(3):
        await gate.answer(YES)
    rest = [[standing(each) for each in await rest_of(stream)] for stream in streams]
    assert rest == [
        [("DECIDED", 0)],
        [("ACTIVE", 0), ("DECIDED", 0)],
        [("QUEUED", 1), ("ACTIVE", 0), ("DECIDED", 0)],
    ]
    assert [await stream.code() for stream in streams] == [grpc.StatusCode.OK] * 3


async def test_an_answer_is_told_whole(gate: Gate) -> None:
    """The agent learns what was decided, by whom, with which words, and about which digest."""
    streams = await waiting(gate, *three())
    await gate.answer(YES)
    await gate.answer(NO, feedback_text="Use make check")
    (yes,), no = await rest_of(streams[0]), (await rest_of(streams[1]))[-1]
    assert outcome(yes) == ("DECIDED", "APPROVED", "MANUAL", ADMIN)
    assert outcome(no) == ("DECIDED", "DENIED", "MANUAL", ADMIN)
    assert (yes.feedback_text, no.feedback_text) == ("", "Use make check")
    assert yes.digest != no.digest
    assert (await gate.prompt()).call_id == "c2"


async def test_a_digest_covers_kind_tool_and_command(gate: Gate) -> None:
    """Equal for the same call under another id, another for any other kind, tool or command."""
    asked = [
        call("{}", "c1"),
        call("{}", "c2"),
        call("{} ", "c3"),
        call("{}", "c4", tool_name="sh"),
        mcp("c5", "{}", tool_name="bash"),
        patch("c6", "{}", tool_name="bash"),
    ]
    digests = [(await gate.ask(each)).digest for each in asked]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 5
    assert [each.digest for each in await listed(gate)] == digests


async def test_sessions_do_not_wait_for_each_other(gate: Gate) -> None:
    """Each has a prompt of its own, and answers in one move nothing in another."""
    asked = [call(f"make {n}", f"c{n}", session_id=f"s{n % 5}") for n in range(15)]
    firsts = [await gate.ask(each) for each in asked]
    assert [first.position for first in firsts] == [0] * 5 + [1] * 5 + [2] * 5
    prompts = [await gate.prompt(f"s{n}") for n in range(5)]
    assert [prompt.call_id for prompt in prompts] == ["c0", "c1", "c2", "c3", "c4"]
    assert len({prompt.authority_token for prompt in prompts}) == 5
    await gate.answer(NO, "s3")
    after = [await gate.prompt(f"s{n}") for n in range(5)]
    assert after[3].call_id == "c8"
    assert [each for n, each in enumerate(after) if n != 3] == [e for n, e in enumerate(prompts) if n != 3]


async def test_one_call_id_can_be_in_two_sessions(gate: Gate) -> None:
    """A call is named within its session: the same id elsewhere is another call."""
    for session_id in ("one", "two"):
        assert standing(await gate.ask(call(f"make {session_id}", session_id=session_id))) == ("ACTIVE", 0)
    await gate.answer(NO, "one")
    assert (await gate.prompt("two")).command == "make two"
    assert [state_of(each) for each in await listed(gate, states=EVERY_STATE)] == ["DECIDED", "ACTIVE"]


async def test_a_call_is_taken_back(gate: Gate) -> None:
    """From the middle or the front, it ends as CANCELLED, and those behind it move up."""
    streams = await waiting(gate, *three())
    taken = (await cancel(gate, "c1")).approval
    assert (state_of(taken), decision_of(taken), taken.reviewer) == ("CANCELLED", "UNSPECIFIED", "")
    assert [standing(each) for each in await rest_of(streams[1])] == [("CANCELLED", 0)]
    assert standing(await next_of(streams[2])) == ("QUEUED", 1)
    await cancel(gate, "c0")
    assert standing(await next_of(streams[2])) == ("ACTIVE", 0)
    assert (await gate.prompt()).call_id == "c2"
    await cancel(gate, "c2")
    assert not (await gate.prompts()).HasField("prompt")


async def test_taking_back_again_changes_nothing(gate: Gate) -> None:
    """The call comes as it is, also when another one is active by now."""
    await gate.ask(call())
    first = await cancel(gate, "c1")
    await gate.ask(call("make two", "c2"))
    assert await cancel(gate, "c1") == first
    assert (await gate.prompt()).call_id == "c2"


async def test_what_was_answered_cannot_be_taken_back(gate: Gate) -> None:
    """The refusal says what was decided, by whom and when."""
    await gate.ask(call())
    answered = (await gate.answer(NO)).approval
    refusal = await refused(cancel(gate, "c1"))
    told = {
        "call_id": "c1",
        "outcome": "DENIED",
        "decided_by": ADMIN,
        "decide_time": refusal.metadata["decide_time"],
    }
    Bad(CANCEL, "ALREADY_DECIDED", b"", told).check(refusal)
    assert refusal.metadata["decide_time"].startswith(answered.decide_time.ToDatetime().isoformat()[:19])


async def test_what_was_not_asked_cannot_be_taken_back(gate: Gate) -> None:
    """Neither an unknown call nor one of another session."""
    await gate.ask(call())
    for session_id, call_id in (("s", "c2"), ("other", "c1")):
        refusal = await refused(cancel(gate, call_id, session_id))
        told = {"field": "call_id", "session_id": session_id, "call_id": call_id}
        Bad(CANCEL, "APPROVAL_NOT_FOUND", b"", told).check(refusal)


async def test_a_repeated_cancel_is_answered_as_it_was(gate: Gate) -> None:
    """The same request_id gives the first answer; for another call it is refused."""
    await gate.ask(call())
    await gate.ask(call("make two", "c2"))
    first = await cancel(gate, "c1", request_id="r1")
    assert await cancel(gate, "c1", request_id="r1") == first
    refusal = await refused(cancel(gate, "c2", request_id="r1"))
    Bad(CANCEL, "REQUEST_ID_REUSED", b"", {"request_id": "r1"}).check(refusal)
    assert (await gate.prompt()).call_id == "c2"


async def test_nobody_answers_in_time(gate: Gate, clock: SkippingClock) -> None:
    """The call ends as EXPIRED, which is no decision, and the next one is shown."""
    streams = await waiting(gate, call("make 0", "c0", expires_after=AN_HOUR), call("make 1", "c1"))
    clock.skip(hours=1)
    (end,) = await rest_of(streams[0])
    assert (state_of(end), decision_of(end), end.rule, end.reviewer) == ("EXPIRED", "UNSPECIFIED", "", "")
    assert standing(await next_of(streams[1])) == ("ACTIVE", 0)
    expired = (await listed(gate, states=states("EXPIRED")))[0]
    assert (expired.call_id, decision_of(expired)) == ("c0", "UNSPECIFIED")
    assert expired.decide_time.ToDatetime() >= expired.expire_time.ToDatetime()


async def test_a_call_that_waits_behind_others_expires_too(gate: Gate, clock: SkippingClock) -> None:
    """Its time runs from the question on; the one that is shown stays."""
    streams = await waiting(gate, call("make 0", "c0"), call("make 1", "c1", expires_after=AN_HOUR))
    clock.skip(hours=1)
    assert [standing(each) for each in await rest_of(streams[1])] == [("EXPIRED", 0)]
    assert (await gate.prompt()).call_id == "c0"


async def test_an_expired_call_cannot_be_answered(gate: Gate, clock: SkippingClock) -> None:
    """Who comes too late, with the right token, is told that it expired."""
    watch = gate.approvals.WatchApprovals(WatchApprovalsRequest(session_id="s"))
    await next_of(watch)
    stream = gate.approvals.RequestApproval(call(expires_after=AN_HOUR))
    prompt = (await next_of(watch)).prompt
    clock.skip(hours=1)
    await rest_of(stream)
    watch.cancel()
    for method, late in (
        (RESOLVE, gate.approvals.ResolveApproval(resolution(prompt, YES))),
        (CANCEL, cancel(gate, "c1")),
    ):
        refusal = await refused(late)
        told = {
            "call_id": "c1",
            "outcome": "EXPIRED",
            "decided_by": "plangate",
            "decide_time": refusal.metadata["decide_time"],
        }
        Bad(method, "ALREADY_DECIDED", b"", told).check(refusal)


@pytest.mark.parametrize("way", ["full access", "remembered"])
async def test_no_rule_approves_what_is_overdue(
    gate: Gate, clock: SkippingClock, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """A call whose time is over ends as EXPIRED, though a rule that would allow it comes before the sweep."""

    async def nothing(_: object) -> int:
        return 0

    monkeypatch.setattr(housekeeping, "settle_overdue", nothing)
    await gate.ask(call("make first", "c0"))
    stream = gate.approvals.RequestApproval(call("make late", "c1", expires_after=AN_HOUR))
    await next_of(stream)
    clock.skip(hours=1)
    if way == "remembered":
        await gate.answer(YES, remember=remember("make *"))
    else:
        await gate.sessions.SetMode(SetModeRequest(session_id="s", mode=FULL_ACCESS))
        await gate.sessions.ConfirmFullAccess(ConfirmFullAccessRequest(session_id="s", confirm=True))
    monkeypatch.undo()
    assert standing((await rest_of(stream))[-1]) == ("EXPIRED", 0)


async def test_the_operator_can_bound_the_wait(tmp_path: Path) -> None:
    """A call waits no longer than the policy lets it, whatever it asks for, and shorter if it says so."""
    policy = tmp_path / "policy.yaml"
    policy.write_text("calls: {expires_after: 10h}\n")
    async with open_gate(tmp_path / "plangate.db", policy) as gate:
        for number, asked in enumerate((None, span(24 * 3600), AN_HOUR)):
            await gate.ask(call(f"make {number}", f"c{number}", expires_after=asked))
        waits = [
            each.expire_time.ToDatetime() - each.request_time.ToDatetime() for each in await listed(gate)
        ]
    assert [wait.total_seconds() for wait in waits] == [36_000, 36_000, 3600]


async def test_without_a_time_a_call_waits_for_ever(gate: Gate) -> None:
    """No hidden clock: nothing is said of an end."""
    await gate.ask(call())
    assert not (await gate.prompt()).HasField("expire_time")
    assert not (await listed(gate))[0].HasField("expire_time")


async def test_a_rule_answers_at_once(tmp_path: Path) -> None:
    """Allowed or denied by the policy: DECIDED is all that the stream tells, with the rule's name."""
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "tools: {execute: [bash]}\n"
        "allow: [{name: tests, tools: [bash], commands: ['pytest **']}]\n"
        "deny: [{name: no-rm, commands: ['rm **'], reason: nothing is removed}]\n"
    )
    async with open_gate(tmp_path / "plangate.db", policy) as gate:
        await gate.ask(call("make", "c0"))
        yes = await rest_of(gate.approvals.RequestApproval(call("pytest -q", "c1")))
        no = await rest_of(gate.approvals.RequestApproval(call("rm -r build", "c2")))
        calls = await listed(gate, states=EVERY_STATE)
        session = await gate.session()
    assert [outcome(each) for each in yes] == [("DECIDED", "APPROVED", "AUTO", "allow:tests")]
    assert [outcome(each) for each in no] == [("DECIDED", "DENIED", "AUTO", "deny:no-rm")]
    assert (yes[0].feedback_text, no[0].feedback_text) == ("", "nothing is removed")
    assert [state_of(each) for each in calls] == ["ACTIVE", "DECIDED", "DECIDED"]
    assert (session.queue_length, session.last_decision.call_id) == (1, "c2")
    assert not calls[1].HasField("active_time")


async def test_a_remembered_answer_comes_at_once(gate: Gate) -> None:
    """What a person said yes or no to before is not asked again, and waits behind nobody."""
    for number, option in enumerate((YES, NO)):
        await gate.ask(call(f"make {number}", f"c{number}"))
        await gate.answer(option, remember=remember())
    await gate.ask(call("make other", "c2"))
    again = [await gate.ask(call(f"make {number}", f"again{number}")) for number in range(2)]
    assert [decision_of(each) for each in again] == ["APPROVED", "DENIED"]
    assert [outcome(each)[::2] for each in again] == [("DECIDED", "AUTO")] * 2
    assert again[0].rule.startswith("remembered:")
    assert again[1].rule.startswith("remembered_deny:")
    assert (await gate.prompt()).call_id == "c2"


async def test_calls_are_listed_oldest_first(gate: Gate) -> None:
    """Those that wait, unless other states are asked for; of one session or of all; with positions."""
    for number in range(6):
        await gate.ask(call(f"make {number}", f"c{number}", session_id="ab"[number % 2]))
    await gate.answer(YES, "a")
    await cancel(gate, "c3", "b")
    assert [(e.call_id, state_of(e), e.position) for e in await listed(gate)] == [
        ("c1", "ACTIVE", 0),
        ("c2", "ACTIVE", 0),
        ("c4", "QUEUED", 1),
        ("c5", "QUEUED", 1),
    ]
    assert [each.call_id for each in await listed(gate, session_id="a")] == ["c2", "c4"]
    assert [each.call_id for each in await listed(gate, states=EVERY_STATE)] == [f"c{n}" for n in range(6)]
    assert [each.call_id for each in await listed(gate, states=states("CANCELLED"))] == ["c3"]
    assert await listed(gate, session_id="none") == []


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
async def test_pages_of_calls_fit_together(gate: Gate, size: int) -> None:
    """From token to token every call comes once, in order."""
    for number in range(7):
        await gate.ask(call(f"make {number}", f"c{number}", session_id=f"s{number % 3}"))
    found: list[str] = []
    token = ""
    while True:
        request = ListApprovalsRequest(page_size=size, page_token=token)
        page = await gate.approvals.ListApprovals(request)
        assert len(page.approvals) <= size
        found += [each.call_id for each in page.approvals]
        token = page.next_page_token
        if not token:
            break
    assert found == [f"c{number}" for number in range(7)]


async def test_a_page_token_is_for_its_filters(gate: Gate) -> None:
    """With another session or other states it is refused."""
    for number in range(3):
        await gate.ask(call(f"make {number}", f"c{number}"))
    token = (await gate.approvals.ListApprovals(ListApprovalsRequest(page_size=1))).next_page_token
    for request in (
        ListApprovalsRequest(page_token=token, session_id="s"),
        ListApprovalsRequest(page_token=token, states=EVERY_STATE),
    ):
        refusal = await refused(gate.approvals.ListApprovals(request))
        assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_PAGE_TOKEN", "page_token")


async def test_large_calls_come_in_pages_that_fit(gate: Gate) -> None:
    """Thirty commands as long as they may be are listed whole, none left out."""
    commands = [f"echo {number} ".ljust(limits.COMMAND_BYTES, "ü") for number in range(30)]
    commands = [command.encode()[: limits.COMMAND_BYTES].decode(errors="ignore") for command in commands]
    for number, command in enumerate(commands):
        await gate.ask(call(command, f"c{number}"))
    found: list[str] = []
    token = ""
    while not found or token:
        page = await gate.approvals.ListApprovals(ListApprovalsRequest(page_token=token))
        found += [each.command for each in page.approvals]
        token = page.next_page_token
    assert found == commands


async def test_a_call_is_kept_as_it_was_asked(gate: Gate) -> None:
    """Every field that the agent sent is there, and the person's view is the same text."""
    command = "echo 'Grüße, 世界'  \t\u202e\u200b"
    asked = call(
        command,
        prompt="Because",
        agent_id="builder-7",
        signature="the agent's word",
        metadata={"cwd": "/src", "empty": ""},
    )
    await gate.ask(asked)
    kept = (await listed(gate))[0]
    assert (kept.command, kept.prompt, kept.agent_id) == (command, "Because", "builder-7")
    assert dict(kept.metadata) == {"cwd": "/src", "empty": ""}
    assert (kept.kind, kept.tool_name, len(kept.signature_hash)) == (asked.kind, "bash", 64)
    assert (await gate.prompt()).command == command


async def test_as_much_as_is_allowed_is_taken(gate: Gate) -> None:
    """Command, prompt and metadata may be as large as the limits say."""
    asked = call(
        "x" * limits.COMMAND_BYTES,
        "c" * 256,
        session_id="s" * 256,
        agent_id="a" * 256,
        tool_name="t" * 256,
        prompt="p" * limits.PROMPT_BYTES,
        metadata={f"{number:03}".ljust(256, "k"): "v" * 4096 for number in range(64)},
    )
    assert standing(await gate.ask(asked)) == ("ACTIVE", 0)
    assert (await gate.prompt("s" * 256)).command == asked.command


async def test_at_most_a_thousand_calls_wait(gate: Gate) -> None:
    """The next one is refused by the limit's name; after an answer there is room, and elsewhere always."""
    for first in range(0, 1000, 50):
        batch = (call(f"make {n}", f"c{n}") for n in range(first, first + 50))
        await asyncio.gather(*map(gate.ask, batch))
    assert (await gate.session()).queue_length == 1000
    refusal = await refused(gate.ask(call("make more", "more")))
    Bad(REQUEST, "LIMIT_EXCEEDED", b"", over("waiting_calls", 1000, "call_id")).check(refusal)
    assert standing(await gate.ask(call("make more", "more", session_id="other"))) == ("ACTIVE", 0)
    again = (await listed(gate, session_id="s", page_size=1000))[500]
    assert standing(await gate.ask(call(again.command, again.call_id))) == ("QUEUED", 500)
    await gate.answer(YES)
    assert standing(await gate.ask(call("make more", "more"))) == ("QUEUED", 999)


async def test_an_agent_that_waits_is_let_go_when_the_server_stops(gate: Gate) -> None:
    """The stream ends with SHUTTING_DOWN, and the call waits on."""
    streams = await waiting(gate, *three())
    await gate.stop()
    for stream in streams:
        told, refusal = await cut_off(stream)
        assert told == []
        Bad(REQUEST, "SHUTTING_DOWN", b"", {}).check(refusal)
