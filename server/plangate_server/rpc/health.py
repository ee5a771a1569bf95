"""grpc.health.v1: what load balancers and whoever waits for a start are told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from importlib.metadata import version

import grpc
from grpc_health.v1 import health_pb2_grpc
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

from plangate_server.ports import Clock
from plangate_server.rpc.running import Context, Running


class Health(health_pb2_grpc.HealthServicer):
    """One health for the server ("") and all of its services, because they live off the same database.

    It begins as NOT_SERVING. An answer also tells version and time, for ``plangate doctor``. Whoever watches
    and does not read holds no change up; a stop waits until all who watch have been told of it.
    """

    def __init__(self, services: Iterable[str], clock: Clock, running: Running) -> None:
        self._clock = clock
        self._running = running
        self._version = version("plangate")
        self._services = frozenset(("", *services))
        self._serving = False
        self._draining = False
        self._changed = asyncio.Event()

    @property
    def serving(self) -> bool:
        return self._serving

    def tell(self, *, serving: bool) -> None:
        """From now on the services serve, or do not; once draining, they do not any more."""
        self._serving = serving and not self._draining
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def drain(self) -> None:
        """NOT_SERVING from now on, whatever is told later."""
        self._draining = True
        self.tell(serving=False)

    async def Check(self, request: HealthCheckRequest, context: Context) -> HealthCheckResponse:
        if request.service not in self._services:
            await context.abort(grpc.StatusCode.NOT_FOUND)
        now = self._clock.now().timestamp()
        context.set_trailing_metadata((("plangate-version", self._version), ("plangate-time", f"{now:.6f}")))
        return self._answer(request.service)

    async def Watch(
        self, request: HealthCheckRequest, context: Context
    ) -> AsyncIterator[HealthCheckResponse]:
        self._running.begin()
        told: HealthCheckResponse | None = None
        while True:
            changed, draining = self._changed, self._draining  # of before the answer: sending it takes time
            answer = self._answer(request.service)
            if answer != told:
                yield answer
                told = answer
            if draining:
                return  # with OK: clients drop what they have not read when an error comes right behind it
            await changed.wait()

    def _answer(self, service: str) -> HealthCheckResponse:
        if service not in self._services:
            return HealthCheckResponse(status=HealthCheckResponse.SERVICE_UNKNOWN)
        kind = HealthCheckResponse.SERVING if self._serving else HealthCheckResponse.NOT_SERVING
        return HealthCheckResponse(status=kind)
