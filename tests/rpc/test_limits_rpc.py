"""How much one caller may take, over the socket: what a refusal says, and that others notice nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest
from grpc_health.v1.health_pb2_grpc import HealthStub

from plangate_proto.agent.v1.access_token_service_pb2 import WhoAmIRequest
from plangate_proto.agent.v1.access_token_service_pb2_grpc import TokenServiceStub
from plangate_proto.agent.v1.agent_session_service_pb2 import AuthorizeToolRequest
from plangate_proto.agent.v1.plan_service_pb2 import DiffRevisionsRequest
from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest
from plangate_proto.aiserver.v1.plan_review_service_pb2_grpc import PlanReviewServiceStub
from plangate_server.domain import limits as limits_module
from plangate_server.domain.limits import Limits
from plangate_server.rpc import door, lines, strangers
from plangate_server.rpc.budgets import BURST_SECONDS, Budgets
from plangate_server.usecases.authorize_tool import LONG
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import OWN_CONNECTION, Gate, connected, open_gate
from tests.helpers.identities import make_token, refusal_of, showing
from tests.helpers.refusals import Refused, refused
from tests.helpers.streams import next_of, types
from tests.helpers.tokens import bearer, local_token

WHO_AM_I = "/agent.v1.TokenService/WhoAmI"


class Steady:
    """What the budgets take for the time: it stands still until it is moved."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def time(monkeypatch: pytest.MonkeyPatch) -> Steady:
    steady = Steady()
    monkeypatch.setattr(door, "Budgets", lambda limits: Budgets(limits, steady))
    return steady


@asynccontextmanager
async def limited(folder: Path, **limits: int) -> AsyncIterator[Gate]:
    async with open_gate(folder / "plangate.db", limits=Limits(**limits)) as gate:
        yield gate


@asynccontextmanager
async def somebody(gate: Gate, role: str = "admin", name: str = "") -> AsyncIterator[Gate]:
    secret = (await make_token(gate, role, name)).secret
    async with connected(gate.address, token=secret) as bearer:
        yield bearer


async def flood(gate: Gate, count: int) -> list[Refused]:
    """The refusals that so many calls at once get."""

    async def call() -> Refused | None:
        try:
            await gate.tokens.WhoAmI(WhoAmIRequest())
        except grpc.aio.AioRpcError as error:
            return await refused(_raise(error))
        return None

    return [each for each in await asyncio.gather(*(call() for _ in range(count))) if each]


async def _raise(error: grpc.aio.AioRpcError) -> None:
    raise error


async def watch(gate: Gate) -> Any:
    stream = gate.reviews.WatchReviews(WatchReviewsRequest())
    await next_of(stream)
    return stream


async def unwatchable(gate: Gate) -> Refused:
    return await refused(watch(gate))


async def test_too_many_calls_are_refused(tmp_path: Path) -> None:
    """Beyond the burst, with the limit, its number, and how long to wait; nothing else was wrong."""
    async with limited(tmp_path, calls_per_second=5) as gate, somebody(gate) as bearer:
        refusals = await flood(bearer, 100)
        assert len(refusals) == 100 - 5 * BURST_SECONDS
        for refusal in refusals:
            assert (refusal.status, refusal.reason) == ("RESOURCE_EXHAUSTED", "RATE_LIMITED")
            told = {"limit": "calls_per_second", "maximum": "5", "method": WHO_AM_I}
            assert refusal.metadata == told
            assert 0 < refusal.retry_seconds <= 1


async def test_whoever_waits_as_told_is_served(tmp_path: Path, time: Steady) -> None:
    """The time in the refusal is enough."""
    async with limited(tmp_path, calls_per_second=1) as gate, somebody(gate) as bearer:
        (refusal, *_) = await flood(bearer, 10)
        time.now += refusal.retry_seconds
        assert (await bearer.tokens.WhoAmI(WhoAmIRequest())).name == "admin"


async def test_others_are_served(tmp_path: Path) -> None:
    """A caller who is refused takes nothing from another."""
    async with (
        limited(tmp_path, calls_per_second=5) as gate,
        somebody(gate) as loud,
        somebody(gate, name="quiet") as quiet,
    ):
        flooding = asyncio.create_task(flood(loud, 300))
        assert await flood(quiet, 5 * BURST_SECONDS) == []
        assert await flooding


async def test_several_tokens_of_one_name_are_one_caller(tmp_path: Path) -> None:
    """Making more tokens gives nobody more."""
    async with (
        limited(tmp_path, calls_per_second=5) as gate,
        somebody(gate) as one,
        somebody(gate) as other,
    ):
        assert await flood(one, 100)
        assert len(await flood(other, 100)) == 100


async def test_a_caller_has_so_many_streams(tmp_path: Path) -> None:
    """One more is refused with the limit, its number and theirs; others have as many; an end makes room."""
    async with limited(tmp_path, streams_per_principal=3) as gate, somebody(gate) as bearer:
        streams = [await watch(bearer) for _ in range(3)]
        refusal = await unwatchable(bearer)
        assert (refusal.status, refusal.reason) == ("RESOURCE_EXHAUSTED", "LIMIT_EXCEEDED")
        told = {"limit": "streams_per_principal", "maximum": "3", "actual": "4"}
        assert refusal.metadata == {**told, "method": "/aiserver.v1.PlanReviewService/WatchReviews"}
        async with somebody(gate, name="other") as other:
            (await watch(other)).cancel()
        streams.pop().cancel()
        streams.append(await until_there_is_room(bearer))
        for stream in streams:
            stream.cancel()


async def until_there_is_room(gate: Gate) -> Any:
    """The server hears of a cancelled stream a moment later."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await watch(gate)
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED:
                    raise


@pytest.mark.parametrize("end", ["cancelled", "hung up"])
async def test_streams_are_counted_back(tmp_path: Path, end: str) -> None:
    """However often they are opened and left, whether by a cancel or with the connection."""
    async with limited(tmp_path, streams_per_principal=2, streams=2) as gate:
        secret = (await make_token(gate, "observer")).secret
        for _ in range(5):
            async with connected(gate.address, token=secret) as bearer:
                streams = [await until_there_is_room(bearer) for _ in range(2)]
                if end == "cancelled":
                    for stream in streams:
                        stream.cancel()
            streams.clear()  # older versions of gRPC hang up only what nobody has any more
        async with connected(gate.address, token=secret) as bearer:
            (await until_there_is_room(bearer)).cancel()


async def test_all_callers_have_so_many_streams(tmp_path: Path) -> None:
    """Whoever opens one more hears that it is not theirs alone."""
    async with limited(tmp_path, streams=4) as gate, AsyncExitStack() as stack:
        bearers = [await stack.enter_async_context(somebody(gate, name=f"b{n}")) for n in range(5)]
        streams = [await watch(bearer) for bearer in bearers[:4]]
        refusal = await unwatchable(bearers[4])
        assert refusal.reason == "LIMIT_EXCEEDED"
        assert (refusal.metadata["limit"], refusal.metadata["maximum"]) == ("streams", "4")
        for stream in streams:
            stream.cancel()


async def test_watchers_keep_no_decision_out(tmp_path: Path) -> None:
    """With every stream in use, plans are proposed, decided and told of as ever."""
    async with (
        limited(tmp_path, streams=3, streams_per_principal=3) as gate,
        somebody(gate, "observer") as observer,
        somebody(gate, "reviewer") as reviewer,
    ):
        streams = [await watch(observer) for _ in range(3)]
        assert (await unwatchable(reviewer)).reason == "LIMIT_EXCEEDED"
        plan = await gate.propose()
        await reviewer.decide(plan, "approve")
        told = [(await next_of(streams[0])).event for _ in range(3)]
        assert types(told) == ["PLAN_CREATED", "PLAN_APPROVAL_REQUIRED", "PLAN_APPROVED"]
        for stream in streams:
            stream.cancel()


async def test_opening_streams_costs_no_calls(tmp_path: Path) -> None:
    """A client that opens streams in a circle is slowed down, and can still decide."""
    async with limited(tmp_path, calls_per_second=3) as gate, somebody(gate) as bearer:
        plan = await gate.propose()
        refusal = None
        for _ in range(30):
            try:
                (await watch(bearer)).cancel()
            except grpc.aio.AioRpcError as error:
                refusal = await refused(_raise(error))
                break
        assert refusal is not None
        assert (refusal.reason, refusal.metadata["limit"]) == ("RATE_LIMITED", "calls_per_second")
        await bearer.decide(plan, "approve")


async def test_a_flood_of_wrong_tokens_is_no_matter_to_others(tmp_path: Path) -> None:
    """All of it is refused, and whoever has a good one is served meanwhile, well within their limit."""
    async with limited(tmp_path, calls_per_second=50) as gate, somebody(gate) as bearer:
        wrong = [showing(f"plangate_{number:032x}_{number:032x}") for number in range(500)]
        async with grpc.aio.insecure_channel(gate.address, options=OWN_CONNECTION) as channel:
            flooding = [asyncio.create_task(refusal_of(channel, WHO_AM_I, b"", each)) for each in wrong]
            assert await flood(bearer, 50) == []
            refusals = await asyncio.gather(*flooding)
        assert {each.reason for each in refusals if each} == {"INVALID_CREDENTIALS"}
        assert None not in refusals
        assert (await bearer.tokens.WhoAmI(WhoAmIRequest())).name


def slow_and_short(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Of those who are not known only one is looked at at a time, and so many wait."""
    monkeypatch.setattr(lines, "UNKNOWN_PER_SECOND", 1)
    monkeypatch.setattr(limits_module, "UNKNOWN_CALLS_IN_LINE", most)


async def test_who_is_unknown_waits_in_a_line_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it is full they are refused, and told when to come again; whoever is known goes on as ever."""
    slow_and_short(monkeypatch, most=3)
    async with (
        limited(tmp_path) as gate,
        somebody(gate) as bearer,
        grpc.aio.insecure_channel(gate.address, options=OWN_CONNECTION) as channel,
    ):
        unknown = [asyncio.create_task(refusal_of(channel, WHO_AM_I, b"", ())) for _ in range(50)]
        assert await flood(bearer, 50) == []
        plan = await bearer.propose()
        await bearer.decide(plan, "approve")
        async with asyncio.timeout(PATIENCE):
            refusals = await asyncio.gather(*unknown)
    assert {each and each.reason for each in refusals} == {"RATE_LIMITED", "MISSING_CREDENTIALS"}
    told = {"limit": "unknown_calls_in_line", "maximum": "3", "method": WHO_AM_I}
    full = [each for each in refusals if each and each.reason == "RATE_LIMITED"]
    assert all(each.metadata == told and each.retry_seconds == 1 for each in full)


async def test_a_new_token_is_known_though_unknown_ones_flood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made while their line is full, it is let in: no line is between it and the gate that made it."""
    slow_and_short(monkeypatch, most=0)
    async with (
        limited(tmp_path) as gate,
        somebody(gate) as first,
    ):
        assert (await first.tokens.WhoAmI(WhoAmIRequest())).name
        async with somebody(gate, name="second") as second:
            assert (await second.tokens.WhoAmI(WhoAmIRequest())).name == "second"


async def test_a_connection_of_strangers_only_is_hung_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever goes on where everything is refused; a connection with a caller who is known stays."""
    slow_and_short(monkeypatch, most=0)
    monkeypatch.setattr(strangers, "MANY", 10)
    monkeypatch.setattr(strangers, "LOOK_SECONDS", 0.01)
    async with (
        limited(tmp_path) as gate,
        grpc.aio.insecure_channel(gate.address, options=OWN_CONNECTION) as channel,
        grpc.aio.insecure_channel(gate.address, options=OWN_CONNECTION) as shared,
    ):
        known = TokenServiceStub(bearer(shared, local_token("admin")))
        watched = PlanReviewServiceStub(bearer(shared, local_token("admin"))).WatchReviews(
            WatchReviewsRequest()
        )
        await next_of(watched)
        seen = set[str]()
        async with asyncio.timeout(PATIENCE):
            while "UNAVAILABLE" not in seen:
                calls = [refusal_of(each, WHO_AM_I, b"", ()) for each in [channel, shared] * 20]
                seen |= {each.status for each in (await asyncio.gather(*calls))[::2] if each}
        assert (await known.WhoAmI(WhoAmIRequest())).name
        assert not watched.done()
        watched.cancel()


async def test_who_has_too_much_heavy_work_is_told_when_to_come_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of differences and of long tool calls alike; what is short is answered as ever."""
    monkeypatch.setattr(limits_module, "HEAVY_CALLS", 0)
    async with limited(tmp_path) as gate:
        plan = await gate.propose()
        difference = gate.agent.DiffRevisions(DiffRevisionsRequest(plan_uri=plan.plan_uri))
        ask = AuthorizeToolRequest(session_id="s", tool_name="edit", command="x" * (LONG + 1))
        for heavy in (difference, gate.sessions.AuthorizeTool(ask)):
            refusal = await refused(heavy)
            assert (refusal.reason, refusal.metadata["limit"]) == ("RATE_LIMITED", "heavy_calls")
            assert refusal.retry_seconds == 1
        ask.command = "x"
        await gate.sessions.AuthorizeTool(ask)


async def test_a_quiet_connection_is_told_the_health(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though another one from the same address asks for it all the time, and fills the line."""
    monkeypatch.setattr(limits_module, "UNKNOWN_CALLS_IN_LINE", 20)
    monkeypatch.setattr(lines, "UNKNOWN_PER_SECOND", 100)
    over, seen = asyncio.Event(), set[str]()

    def check(channel: grpc.aio.Channel) -> Any:
        stub: Any = HealthStub(channel)
        return stub.Check(HealthCheckRequest())

    async def loud(channel: grpc.aio.Channel) -> None:
        while not over.is_set():
            try:
                await check(channel)
            except grpc.aio.AioRpcError as error:
                seen.add(error.code().name)

    async with (
        limited(tmp_path) as gate,
        grpc.aio.insecure_channel(gate.address, options=OWN_CONNECTION) as channel,
        grpc.aio.insecure_channel(gate.address, options=OWN_CONNECTION) as quiet,
        asyncio.timeout(PATIENCE),
        asyncio.TaskGroup() as flooding,
    ):
        for _ in range(50):
            flooding.create_task(loud(channel))
        for _ in range(10):
            assert (await check(quiet)).status
        over.set()
    assert seen == {"RESOURCE_EXHAUSTED"}
