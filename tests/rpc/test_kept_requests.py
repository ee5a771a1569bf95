"""What is kept of requests: nothing of one that was refused, and of an open stream's what it is about."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from google.protobuf.unknown_fields import UnknownFieldSet

from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest
from plangate_server.domain.limits import MIB, Limits
from plangate_server.rpc.decode import decoder
from tests.contract.wire_encoder import bytes_field
from tests.helpers.gate import Gate, proposal
from tests.helpers.refusals import refused
from tests.helpers.tokens import local_token
from tests.helpers.visitor import Visitor

UNKNOWN = 1111
TIMES = 12
BAD = b"\xff" * MIB
"""One for all calls: the client of the test keeps what it sent."""


async def no_message(gate: Gate) -> None:
    call: Any = gate.channel.unary_unary("/agent.v1.PlanService/GetPlan")
    assert (await refused(call(BAD))).reason == "MALFORMED_REQUEST"


async def long_id(gate: Gate) -> None:
    refusal = await refused(gate.propose(proposal("x" * (MIB - 100), session_id="s" * 300)))
    assert refusal.reason == "LIMIT_EXCEEDED"


async def long_json(gate: Gate) -> None:
    visitor = Visitor(gate.web)
    visitor.headers = {"Authorization": f"Bearer {local_token('agent')}"}
    answer = await visitor.call("agent.v1.PlanService/CreatePlan", {"args": {"plan": "x" * 5 * MIB}})
    assert answer.status == 429


@pytest.mark.parametrize("refuse", [no_message, long_id, long_json])
async def test_nothing_of_a_refused_request_is_kept(
    gate: Gate, refuse: Callable[[Gate], Awaitable[None]]
) -> None:
    """It goes with the refusal, and need not wait for the garbage collector, which hardly ever looks."""
    await refuse(gate)
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(TIMES):
            await refuse(gate)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        gc.enable()
    assert after - before < TIMES * MIB * 2 / 3


def test_a_stream_keeps_nothing_that_nobody_knows() -> None:
    """Thousands of streams are open for days: fields of no version of ours would stay with each."""
    decode = decoder("/aiserver.v1.PlanReviewService/WatchReviews", WatchReviewsRequest.FromString, Limits())
    read = decode(bytes_field(1, b"s") + bytes_field(UNKNOWN, b"x" * (3 * MIB)))
    assert read == WatchReviewsRequest(session_id="s")
    assert len(UnknownFieldSet(read)) == 0
    assert read.ByteSize() == WatchReviewsRequest(session_id="s").ByteSize()
