"""What our clients cost beside the stubs that gRPC generates."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, Final
from uuid import uuid4

import grpc

from bench.contenders.floor import FLOOR
from bench.load import PATIENCE_SECONDS, WARM_UP, callers_of
from bench.parts import Contender, Goal, Measurement, Open, Sample, Sampler
from bench.plan import ARGS
from bench.token import TOKEN
from plangate import AsyncClient, Client
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest, GetPlanRequest
from plangate_proto.agent.v1.plan_service_pb2_grpc import PlanServiceStub

STUBS: Final = Contender("stubs", "what grpcio-tools generates, with a deadline and a token", FLOOR.running)
CLIENT: Final = Contender("Client", "plangate.Client", FLOOR.running)
AIO_STUBS: Final = Contender("aio stubs", "the same stubs over a grpc.aio channel", FLOOR.running)
ASYNC_CLIENT: Final = Contender("AsyncClient", "plangate.AsyncClient", FLOOR.running)
SECONDS: Final = 20.0
SHOWN: Final = (("authorization", f"Bearer {TOKEN}"),)
URI: Final = f"plangate://plans/{'0' * 32}"
LEAST: Final = 0.87
"""Of the rate of bare stubs: no call takes more than 15 % longer."""

Make = Callable[[Any], Callable[[], Any]]
"""Makes of a stub or a client what is called again and again."""


def _stub_get(stub: Any) -> Callable[[], Any]:
    return lambda: stub.GetPlan(GetPlanRequest(plan_uri=URI), timeout=SECONDS, metadata=SHOWN)


def _stub_create(stub: Any) -> Callable[[], Any]:
    def create() -> Any:
        request = CreatePlanRequest(args=ARGS, request_id=str(uuid4()))
        return stub.CreatePlan(request, timeout=SECONDS, metadata=SHOWN)

    return create


def _get(client: Any) -> Callable[[], Any]:
    return lambda: client.get_plan(URI)


def _create(client: Any) -> Callable[[], Any]:
    return lambda: client.create_plan(ARGS.plan, name=ARGS.name, overview=ARGS.overview, todos=ARGS.todos)


def _on_stubs(make: Make) -> Open:
    @asynccontextmanager
    async def connect(address: str) -> AsyncIterator[Sampler]:
        with grpc.insecure_channel(address) as channel:
            yield _threads_of(make(PlanServiceStub(channel)))

    return connect


def _on_client(make: Make) -> Open:
    @asynccontextmanager
    async def connect(address: str) -> AsyncIterator[Sampler]:
        with Client(address, token=TOKEN) as client:
            yield _threads_of(make(client))

    return connect


def _on_aio_stubs(make: Make) -> Open:
    @asynccontextmanager
    async def connect(address: str) -> AsyncIterator[Sampler]:
        async with grpc.aio.insecure_channel(address) as channel:
            yield callers_of(make(PlanServiceStub(channel)))

    return connect


def _on_async_client(make: Make) -> Open:
    @asynccontextmanager
    async def connect(address: str) -> AsyncIterator[Sampler]:
        async with AsyncClient(address, token=TOKEN) as client:
            yield callers_of(make(client))

    return connect


def _threads_of(operation: Callable[[], Any]) -> Sampler:
    """Callers in threads of this process who do nothing but this."""

    def caller(begin: float, end: float) -> list[float]:
        latencies: list[float] = []
        while not latencies or time.perf_counter() < end:
            started = time.perf_counter()
            operation()
            if started >= begin:
                latencies.append(time.perf_counter() - started)
        return latencies

    async def sample(callers: int, seconds: float) -> Sample:
        begin = time.perf_counter() + seconds * WARM_UP
        cpu = time.process_time()
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(callers) as pool:
            threads = [loop.run_in_executor(pool, caller, begin, begin + seconds) for _ in range(callers)]
            async with asyncio.timeout(seconds + PATIENCE_SECONDS):
                latencies = [each for thread in threads for each in await thread]
        took = time.perf_counter() - begin
        return Sample(
            len(latencies) / took, latencies, (time.process_time() - cpu) / (took + seconds * WARM_UP)
        )

    return sample


def _blocking(name: str, stub: Make, client: Make) -> Measurement:
    return Measurement(
        f"{name}, blocking",
        "One call after the other, on a server that gives canned answers.",
        {STUBS: _on_stubs(stub), CLIENT: _on_client(client)},
        callers=(1,),
        goals=(Goal(CLIENT, STUBS, 1, LEAST),),
    )


def _awaited(name: str, stub: Make, client: Make) -> Measurement:
    return Measurement(
        f"{name}, awaited",
        "One call after the other, on a server that gives canned answers.",
        {AIO_STUBS: _on_aio_stubs(stub), ASYNC_CLIENT: _on_async_client(client)},
        callers=(1,),
        goals=(Goal(ASYNC_CLIENT, AIO_STUBS, 1, LEAST),),
    )


MEASUREMENTS: Final = (
    _blocking("GetPlan", _stub_get, _get),
    _awaited("GetPlan", _stub_get, _get),
    _blocking("CreatePlan", _stub_create, _create),
    _awaited("CreatePlan", _stub_create, _create),
)
