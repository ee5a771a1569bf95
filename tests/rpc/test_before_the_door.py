"""Who calls is settled before anything of a request is read; what never comes, or is packed, does no harm."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from plangate_server import app
from plangate_server.rpc import boundary
from plangate_server.rpc.calls import Call
from plangate_server.rpc.door import Door
from plangate_server.rpc.running import Context
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import OWN_CONNECTION, Gate, proposal
from tests.helpers.identities import make_token, revoke, showing
from tests.helpers.refusals import Refused, refused
from tests.helpers.tokens import local_token
from tests.rpc.bad_requests import CREATE, REVIEW, Bad

AUTHORIZE = "/agent.v1.SessionService/AuthorizeTool"


@pytest.fixture
async def channel(gate: Gate) -> AsyncIterator[grpc.aio.Channel]:
    """To the gate, for nobody in particular."""
    async with grpc.aio.insecure_channel(gate.address, options=OWN_CONNECTION) as channel:
        yield channel


def opened(channel: grpc.aio.Channel, method: str, token: str = "") -> Any:
    """A call whose message is still to come: for HTTP/2 it is the same, whatever the method takes."""
    make = channel.stream_stream if method == REVIEW else channel.stream_unary
    return make(method)(metadata=showing(token) if token else ())


async def ended(call: Any, method: str) -> Refused:
    """The refusal that a call gets while nothing is sent."""
    async with asyncio.timeout(PATIENCE):
        return await refused(call.read() if method == REVIEW else call)


@pytest.mark.parametrize("method", [CREATE, REVIEW, AUTHORIZE])
async def test_nobody_is_refused_before_they_send(channel: grpc.aio.Channel, method: str) -> None:
    """Without a token no message is waited for, so none is held."""
    Bad(method, "MISSING_CREDENTIALS", b"").check(await ended(opened(channel, method), method))


@pytest.mark.parametrize("method", [CREATE, REVIEW])
async def test_a_made_up_token_is_refused_before_it_sends(channel: grpc.aio.Channel, method: str) -> None:
    """Also one of the right form."""
    made_up = f"plangate_{'0' * 32}_{'0' * 32}"
    Bad(method, "INVALID_CREDENTIALS", b"").check(await ended(opened(channel, method, made_up), method))


async def test_whoever_may_not_is_refused_before_they_send(channel: grpc.aio.Channel) -> None:
    """A role is looked at before the request, too."""
    call = opened(channel, CREATE, local_token("reviewer"))
    assert (await ended(call, CREATE)).reason == "ROLE_NOT_ALLOWED"


@pytest.fixture
def admitted(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Set when a call was let in."""
    admit, event = Door.admit, asyncio.Event()

    async def watched(door: Door, call: Call, context: Context) -> None:
        await admit(door, call, context)
        event.set()

    monkeypatch.setattr(Door, "admit", watched)
    return event


async def test_a_body_that_never_comes_does_not_hold_up_a_stop(
    gate: Gate, channel: grpc.aio.Channel, admitted: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it has begun: it ends with the server."""
    call = opened(channel, CREATE, local_token("admin"))
    sent = asyncio.ensure_future(refused(call))
    await asyncio.wait_for(admitted.wait(), PATIENCE)
    monkeypatch.setattr(app, "GRACE_SECONDS", 2 * PATIENCE)
    async with asyncio.timeout(PATIENCE):
        await gate.stop()
    assert (await asyncio.wait_for(sent, PATIENCE)).status == "UNAVAILABLE"


async def test_a_body_that_comes_late_is_answered(channel: grpc.aio.Channel, admitted: asyncio.Event) -> None:
    """Waiting for it costs the caller nothing but time."""
    call = opened(channel, CREATE, local_token("admin"))
    await asyncio.wait_for(admitted.wait(), PATIENCE)
    await call.write(proposal().SerializeToString())
    await call.done_writing()
    assert await asyncio.wait_for(call, PATIENCE)


@pytest.mark.parametrize("method", [CREATE, REVIEW, AUTHORIZE])
async def test_no_message_is_an_empty_one(channel: grpc.aio.Channel, method: str) -> None:
    """A call that ends before its message is refused for what it lacks, like one that says nothing."""
    call = opened(channel, method, local_token("admin"))
    await call.done_writing()
    nothing = await ended(call, method)
    assert nothing.status == "INVALID_ARGUMENT"
    call = opened(channel, method, local_token("admin"))
    await call.write(b"")
    await call.done_writing()
    empty = await ended(call, method)
    assert (nothing.reason, nothing.metadata) == (empty.reason, empty.metadata)


async def test_what_is_packed_is_refused(gate: Gate) -> None:
    """It is not unpacked, whoever sends it; nothing of it happens, and the next call is answered."""
    packed = gate.agent.CreatePlan(proposal("x" * 100_000), compression=grpc.Compression.Gzip)
    assert (await refused(packed)).status in {"INVALID_ARGUMENT", "UNIMPLEMENTED"}
    assert await gate.plans() == []
    assert (await gate.propose()).plan_uri


async def test_a_token_that_ends_meanwhile_does_nothing(
    gate: Gate, channel: grpc.aio.Channel, admitted: asyncio.Event
) -> None:
    """What is sent after it was revoked is not done, though it was let in before."""
    made = await make_token(gate, "agent")
    admitted.clear()
    call = opened(channel, CREATE, made.secret)
    await asyncio.wait_for(admitted.wait(), PATIENCE)
    await revoke(gate, made.token)
    await call.write(proposal().SerializeToString())
    await call.done_writing()
    assert (await refused(call)).reason == "INVALID_CREDENTIALS"
    assert await gate.plans() == []


async def test_a_request_that_never_comes_is_given_up(
    channel: grpc.aio.Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever holds calls open without sending anything holds nothing for long."""
    monkeypatch.setattr(boundary, "REQUEST_SECONDS", 0)
    refusal = await ended(opened(channel, CREATE, local_token("agent")), CREATE)
    assert (refusal.reason, refusal.status) == ("MALFORMED_REQUEST", "INVALID_ARGUMENT")
