"""ResolveApproval: only who sees the active prompt answers it, and the first answer is the only one."""

import asyncio
from typing import Any

import pytest

from plangate_proto.agent.v1.agent_session_service_pb2 import SetModeRequest
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    ApprovalPrompt,
    CancelApprovalRequest,
    ResolveApprovalResponse,
)
from tests.helpers.gate import Gate, connected
from tests.helpers.refusals import Refused, refused
from tests.helpers.resuming import log_of
from tests.helpers.streams import next_of, rest_of, types
from tests.helpers.tokens import ADMIN
from tests.helpers.tool_calls import (
    FOR_SESSION,
    NO,
    PLAN,
    YES,
    call,
    decision_of,
    outcome,
    remember,
    resolution,
    standing,
)
from tests.rpc.bad_requests import Bad
from tests.rpc.test_races import reason

RESOLVE = "/agent.v1.ApprovalService/ResolveApproval"


async def resolve(
    gate: Gate, prompt: ApprovalPrompt, option: str = YES, **fields: Any
) -> ResolveApprovalResponse:
    return await gate.approvals.ResolveApproval(resolution(prompt, option, **fields))


def check_not_active(refusal: Refused, call_id: str, session_id: str = "s") -> None:
    told = {"session_id": session_id, "call_id": call_id}
    Bad(RESOLVE, "PROMPT_NOT_ACTIVE", b"", told).check(refusal)


@pytest.mark.parametrize("option", [YES, NO, FOR_SESSION])
async def test_an_answer_is_recorded(gate: Gate, option: str) -> None:
    """The call comes back with the answer, its source, who gave it, the words, and how long it took."""
    await gate.ask(call())
    answered = (await gate.answer(option, feedback_text="As you like")).approval
    assert outcome(answered) == ("DECIDED", option, "MANUAL", ADMIN)
    assert (answered.feedback_text, answered.position) == ("As you like", 0)
    took = answered.decide_time.ToDatetime() - answered.request_time.ToDatetime()
    assert answered.latency.ToTimedelta() == took
    assert answered.request_time.ToDatetime() <= answered.active_time.ToDatetime()


async def test_a_wrong_token_answers_nothing(gate: Gate) -> None:
    """A token that is made up, of another session, or cut: refused, and the prompt stays as it is."""
    await gate.ask(call())
    await gate.ask(call(session_id="other"))
    prompt, other = await gate.prompt(), await gate.prompt("other")
    for token in (
        "x",
        "0" * 32,
        other.authority_token,
        prompt.authority_token[:-1],
        prompt.authority_token + "0",
    ):
        check_not_active(await refused(resolve(gate, prompt, authority_token=token)), "c1")
    assert await gate.prompt() == prompt


async def test_a_missing_token_answers_nothing(gate: Gate) -> None:
    """It must be there."""
    await gate.ask(call())
    prompt = await gate.prompt()
    refusal = await refused(resolve(gate, prompt, authority_token=""))
    Bad(RESOLVE, "MISSING_FIELD", b"", {"field": "authority_token"}).check(refusal)
    assert await gate.prompt() == prompt


async def test_a_token_of_a_prompt_before_answers_nothing(gate: Gate) -> None:
    """Who still looks at the last prompt does not answer the next one."""
    await gate.ask(call("make 0", "c0"))
    await gate.ask(call("make 1", "c1"))
    old = await gate.prompt()
    await resolve(gate, old)
    new = await gate.prompt()
    refusal = await refused(resolve(gate, new, authority_token=old.authority_token))
    check_not_active(refusal, "c1")
    assert await gate.prompt() == new


async def test_what_waits_behind_others_cannot_be_answered(gate: Gate) -> None:
    """Not even with the token of the prompt that is active."""
    await gate.ask(call("make 0", "c0"))
    await gate.ask(call("make 1", "c1"))
    prompt = await gate.prompt()
    queued = ApprovalPrompt(session_id="s", call_id="c1", authority_token=prompt.authority_token)
    check_not_active(await refused(resolve(gate, queued)), "c1")


async def test_what_was_not_asked_cannot_be_answered(gate: Gate) -> None:
    """An unknown call, or one of another session, is refused by its id."""
    await gate.ask(call())
    token = (await gate.prompt()).authority_token
    for session_id, call_id in (("s", "c2"), ("other", "c1")):
        wrong = ApprovalPrompt(session_id=session_id, call_id=call_id, authority_token=token)
        told = {"field": "call_id", "session_id": session_id, "call_id": call_id}
        Bad(RESOLVE, "APPROVAL_NOT_FOUND", b"", told).check(await refused(resolve(gate, wrong)))


async def test_a_second_answer_is_refused(gate: Gate) -> None:
    """It is told what was decided, by whom and when; and nothing changes."""
    await gate.ask(call())
    prompt = await gate.prompt()
    first = await resolve(gate, prompt, NO)
    refusal = await refused(resolve(gate, prompt, YES))
    told = {
        "call_id": "c1",
        "outcome": "DENIED",
        "decided_by": ADMIN,
        "decide_time": refusal.metadata["decide_time"],
    }
    Bad(RESOLVE, "ALREADY_DECIDED", b"", told).check(refusal)
    assert (await gate.session()).last_decision == first.approval


async def test_what_was_taken_back_cannot_be_answered(gate: Gate) -> None:
    """The outcome that is told is CANCELLED."""
    await gate.ask(call())
    prompt = await gate.prompt()
    await gate.approvals.CancelApproval(CancelApprovalRequest(session_id="s", call_id="c1"))
    refusal = await refused(resolve(gate, prompt))
    assert (refusal.reason, refusal.metadata["outcome"]) == ("ALREADY_DECIDED", "CANCELLED")


async def test_of_fifty_people_one_wins(gate: Gate) -> None:
    """All see the prompt and answer at once, from connections of their own: one is recorded."""
    for number in range(5):
        await gate.ask(call(f"make {number}", f"c{number}"))
    for number in range(5):
        prompt = await gate.prompt()
        options = [YES if n % 2 else NO for n in range(50)]
        async with connected(gate.address) as elsewhere:
            places = [gate, elsewhere]
            answers = await asyncio.gather(
                *(reason(resolve(places[n % 3 % 2], prompt, option)) for n, option in enumerate(options))
            )
        assert sorted(answers) == ["", *["ALREADY_DECIDED"] * 49]
        decided = (await gate.session()).last_decision
        assert (decided.call_id, decision_of(decided)) == (f"c{number}", options[answers.index("")])
    assert types(await log_of(gate)).count("TOOL_CALL_DECIDED") == 5


async def test_an_answer_and_a_cancel_at_once_are_one_end(gate: Gate) -> None:
    """Of both, one counts and the other is told so, fifty times."""
    for number in range(50):
        await gate.ask(call(f"make {number}", f"c{number}"))
        prompt = await gate.prompt()
        cancel = CancelApprovalRequest(session_id="s", call_id=prompt.call_id)
        both = [reason(resolve(gate, prompt)), reason(gate.approvals.CancelApproval(cancel))]
        refusals = await asyncio.gather(*(both if number % 2 else both[::-1]))
        assert sorted(refusals) == ["", "ALREADY_DECIDED"]
    ends = [
        kind for kind in types(await log_of(gate)) if kind in {"TOOL_CALL_DECIDED", "TOOL_CALL_CANCELLED"}
    ]
    assert len(ends) == 50


async def test_a_repeated_answer_is_one_answer(gate: Gate) -> None:
    """The same request_id gives the first answer, when the next prompt is active, too."""
    await gate.ask(call("make 0", "c0"))
    await gate.ask(call("make 1", "c1"))
    prompt = await gate.prompt()
    fields: dict[str, Any] = {"request_id": "r1", "remember": remember()}
    first = await resolve(gate, prompt, **fields)
    assert await resolve(gate, prompt, **fields) == first
    assert (await gate.prompt()).call_id == "c1"
    for other in (
        resolve(gate, prompt, NO, **fields),
        resolve(gate, prompt, request_id="r1"),
        resolve(gate, await gate.prompt(), **fields),
    ):
        Bad(RESOLVE, "REQUEST_ID_REUSED", b"", {"request_id": "r1"}).check(await refused(other))


async def test_fifty_repeats_at_once_are_one_answer(gate: Gate) -> None:
    """The same answer fifty times in parallel is recorded once and answered alike."""
    await gate.ask(call())
    prompt = await gate.prompt()
    answers = await asyncio.gather(*(resolve(gate, prompt, request_id="r1") for _ in range(50)))
    assert all(answer == answers[0] for answer in answers)
    assert types(await log_of(gate)) == ["TOOL_CALL_REQUESTED", "TOOL_CALL_DECIDED"]


async def test_a_refused_answer_is_not_remembered(gate: Gate) -> None:
    """An id whose request was refused is free for the mended one."""
    await gate.ask(call())
    prompt = await gate.prompt()
    await refused(resolve(gate, prompt, authority_token="x", request_id="r1"))
    assert decision_of((await resolve(gate, prompt, request_id="r1")).approval) == YES


async def test_answers_come_in_the_order_of_the_questions(gate: Gate) -> None:
    """Ten calls answered as they are shown are told in that order to each of their agents."""
    streams: list[Any] = []
    for number in range(10):
        streams.append(gate.approvals.RequestApproval(call(f"make {number}", f"c{number}")))
        await next_of(streams[-1])
    options = [YES, NO] * 5
    answered = [(await gate.answer(option)).approval for option in options]
    assert [each.call_id for each in answered] == [f"c{number}" for number in range(10)]
    ends = [(await rest_of(stream))[-1] for stream in streams]
    assert [decision_of(end) for end in ends] == options
    assert {standing(end) for end in ends} == {("DECIDED", 0)}
    decided = [event for event in await log_of(gate) if types([event]) == ["TOOL_CALL_DECIDED"]]
    assert [event.approval for event in decided] == answered


async def test_a_session_that_entered_plan_mode_has_no_prompt_to_answer(gate: Gate) -> None:
    """Its calls were denied by the rule, and the person's late yes is told so."""
    await gate.ask(call())
    prompt = await gate.prompt()
    await gate.sessions.SetMode(SetModeRequest(session_id="s", mode=PLAN))
    refusal = await refused(resolve(gate, prompt))
    assert (refusal.reason, refusal.metadata["outcome"]) == ("ALREADY_DECIDED", "DENIED")
    assert refusal.metadata["decided_by"] == "plan_mode"


async def test_what_was_answered_leaves_nothing_to_answer(gate: Gate) -> None:
    """After the last answer there is no prompt, and messages can be sent again."""
    await gate.ask(call())
    await gate.answer(YES)
    seen = await gate.prompts()
    assert (seen.HasField("prompt"), seen.queue_length) == (False, 0)
    assert (await gate.session()).can_send
