"""Bad input of sessions and tool calls: each kind has its documented refusal, and nothing of it is stored."""

import re
from typing import Any

import pytest

from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    ListApprovalsRequest,
    ListRememberedRequest,
    Remember,
)
from tests.helpers.gate import Gate
from tests.helpers.raw_calls import path_of, raw_call
from tests.helpers.refusals import refused
from tests.helpers.resuming import log_of
from tests.helpers.tool_calls import NO, YES, call, mcp, remember, span, standing, states, tool, verdict
from tests.rpc.bad_calls import BAD_CALLS, GOOD, SERVICES, methods, nested
from tests.rpc.bad_requests import TRAILER_LIMIT, Bad, over

EVERY_STATE = states("QUEUED", "ACTIVE", "DECIDED", "CANCELLED", "EXPIRED")
ANY_VALUE = {("ConfirmFullAccess", "confirm"), ("RestoreMemory", "validate_only")}
"""Bools, which have no wrong value."""


@pytest.mark.parametrize("name", BAD_CALLS)
async def test_bad_input_is_refused(empty_gate: Gate, name: str) -> None:
    """Status, reason, metadata and the path of the field at fault are the documented ones."""
    bad = BAD_CALLS[name]
    bad.check(await refused(raw_call(empty_gate.channel, bad.method, bad.data())))


def test_every_field_of_every_request_is_looked_at() -> None:
    """No method of both services is without a good request, and no field without a wrong value."""
    assert GOOD.keys() == methods().keys()
    assert {method.containing_service.full_name for method in methods().values()} == set(SERVICES)
    looked_at = {
        (bad.method.rpartition("/")[2], re.split(r"[.[ ]", bad.metadata.get("field", ""))[0])
        for bad in BAD_CALLS.values()
    }
    fields = {(name, field.name) for name, method in methods().items() for field in method.input_type.fields}
    assert fields - looked_at - ANY_VALUE == set()


async def test_nothing_of_it_is_stored_and_the_server_goes_on(gate: Gate) -> None:
    """After the whole table no session, call, decision or event is there, and the next good one is taken."""
    for bad in BAD_CALLS.values():
        await refused(raw_call(gate.channel, bad.method, bad.data()))
    assert await log_of(gate) == []
    assert (await refused(gate.session())).reason == "SESSION_NOT_FOUND"
    calls = await gate.approvals.ListApprovals(ListApprovalsRequest(states=EVERY_STATE))
    remembered = await gate.approvals.ListRemembered(ListRememberedRequest())
    assert (len(calls.approvals), len(remembered.remembered)) == (0, 0)
    assert standing(await gate.ask(call())) == ("ACTIVE", 0)


RESOLVE = path_of(methods()["ResolveApproval"])
WRONG_ANSWERS: dict[str, tuple[str, dict[str, Any], str, dict[str, str]]] = {
    "long feedback": (
        NO,
        {"feedback_text": "x" * 65537},
        "LIMIT_EXCEEDED",
        over("feedback_bytes", 65536, "feedback_text"),
    ),
    "long feedback with a yes": (
        YES,
        {"feedback_text": "ü" * 32768 + "x"},
        "LIMIT_EXCEEDED",
        over("feedback_bytes", 65536, "feedback_text"),
    ),
    "no scope": (YES, {"remember": Remember()}, "MISSING_FIELD", {"field": "remember.scope"}),
    "a pattern of something else": (
        YES,
        {"remember": remember("rm *")},
        "INVALID_FIELD",
        {"field": "remember.pattern"},
    ),
    "a long pattern": (
        YES,
        {"remember": remember("make " + "x" * 300_000)},
        "INVALID_FIELD",
        {"field": "remember.pattern"},
    ),
    "a negative time": (
        YES,
        {"remember": remember(seconds=-5)},
        "INVALID_FIELD",
        {"field": "remember.expires_after"},
    ),
    "no token": (YES, {"authority_token": ""}, "MISSING_FIELD", {"field": "authority_token"}),
    "a long token": (
        YES,
        {"authority_token": "x" * 100_000},
        "PROMPT_NOT_ACTIVE",
        {"session_id": "s", "call_id": "c1"},
    ),
}


@pytest.mark.parametrize("name", WRONG_ANSWERS)
async def test_a_wrong_answer_leaves_the_prompt(gate: Gate, name: str) -> None:
    """It is refused by its field, and the prompt can still be answered."""
    option, fields, reason, metadata = WRONG_ANSWERS[name]
    await gate.ask(call())
    prompt = await gate.prompt()
    Bad(RESOLVE, reason, b"", metadata).check(await refused(gate.answer(option, **fields)))
    assert await gate.prompt() == prompt
    await gate.answer(option, feedback_text="x" * 65536)


@pytest.mark.parametrize("size", [0, 1, 1000, 1001, 2**31 - 1])
async def test_any_other_page_size_is_taken(gate: Gate, size: int) -> None:
    """None means fifty, and more than a thousand is taken as a thousand."""
    for number in range(60):
        await gate.ask(call(f"make {number}", f"c{number}"))
        if number < 55:
            await gate.answer(YES, remember=remember())
    calls = ListApprovalsRequest(page_size=size, states=EVERY_STATE)
    kept = ListRememberedRequest(page_size=size)
    found = [
        len((await gate.approvals.ListApprovals(calls)).approvals),
        len((await gate.approvals.ListRemembered(kept)).remembered),
    ]
    assert found == {0: [50, 50], 1: [1, 1]}.get(size, [60, 55])


async def test_page_tokens_are_not_for_each_other(gate: Gate) -> None:
    """A token of one list is refused by the other."""
    for number in range(3):
        await gate.ask(call(f"make {number}", f"c{number}"))
        await gate.answer(YES, remember=remember())
    every = ListApprovalsRequest(page_size=1, states=EVERY_STATE)
    calls = (await gate.approvals.ListApprovals(every)).next_page_token
    kept = (await gate.approvals.ListRemembered(ListRememberedRequest(page_size=1))).next_page_token
    assert calls
    assert kept
    for wrong in (
        gate.approvals.ListApprovals(ListApprovalsRequest(page_token=kept, states=EVERY_STATE)),
        gate.approvals.ListRemembered(ListRememberedRequest(page_token=calls)),
    ):
        assert (await refused(wrong)).reason == "INVALID_PAGE_TOKEN"


@pytest.mark.parametrize("character", ["x", "ü", "😀", '"', "\n"])
async def test_a_refusal_fits_into_trailers(gate: Gate, character: str) -> None:
    """However long the ids at fault are, the refusal arrives."""
    much = character * 100_000
    plan_uri = (await gate.propose()).plan_uri
    for wrong in (
        gate.sessions.AuthorizeTool(tool(build_id=much)),
        gate.sessions.AuthorizeTool(tool(plan_uri=plan_uri, todo_id=much)),
        gate.sessions.AuthorizeTool(tool(plan_uri=much)),
        gate.session(much),
        gate.ask(call(call_id=much)),
        gate.ask(call(metadata={character * 60: "v" * 5000})),
    ):
        refusal = await refused(wrong)
        assert (refusal.domain, refusal.trailer_bytes < TRAILER_LIMIT) == ("plangate", True)
        assert refusal.reason != "INTERNAL"


@pytest.mark.parametrize("depth", [10, 40])
async def test_arguments_may_be_deep(gate: Gate, depth: int) -> None:
    """As deep as a message may be, they are looked into."""
    path = path_of(methods()["AuthorizeTool"])
    (data,) = await raw_call(gate.channel, path, nested(depth))
    answer = type(await gate.sessions.AuthorizeTool(tool())).FromString(data)
    assert verdict(answer) == ("CONFIRM", "default")


@pytest.mark.parametrize("depth", [100, 300, 500, 700, 850, 900, 950, 990, 1000, 100_000])
async def test_json_of_any_depth_is_shown(gate: Gate, depth: int) -> None:
    """Arguments of an MCP call are what the agent says they are: a person is asked about them."""
    deep = '{"a": ' + "[" * depth + "]" * depth + "}"
    assert standing(await gate.ask(mcp(arguments=deep))) == ("ACTIVE", 0)
    assert (await gate.prompt()).command == deep


async def test_the_longest_wait_is_taken(gate: Gate) -> None:
    """Ten years to the second, for a call and for what is remembered."""
    ten_years = 3650 * 24 * 3600
    await gate.ask(call(expires_after=span(ten_years)))
    assert (await gate.answer(YES, remember=remember(seconds=ten_years))).remembered.HasField("expire_time")
