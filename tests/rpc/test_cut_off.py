"""Whoever is still connected when a server closes is told to call again: UNAVAILABLE, never CANCELLED."""

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest

from plangate_server import app
from plangate_server.rpc import plan_servicer
from tests.helpers.gate import open_gate
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of
from tests.rpc.test_reflection import REFLECTION, reflecting


async def test_a_stream_of_a_standard_service(tmp_path: Path) -> None:
    """Whoever asks for descriptions, which no handler ends, gets UNAVAILABLE."""
    async with open_gate(tmp_path / "plangate.db") as gate:
        stream = reflecting(gate, REFLECTION[0])()
        await stream.write(ServerReflectionRequest(list_services=""))
        assert (await next_of(stream)).list_services_response.service
        await gate.stop()
        assert await stream.code() is grpc.StatusCode.UNAVAILABLE


async def test_a_write_that_outlasts_the_grace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that is not finished when the grace is over gets UNAVAILABLE."""
    begun = asyncio.Event()

    async def create_plan_never(*_: Any) -> Any:
        begun.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(app, "GRACE_SECONDS", 0)
    monkeypatch.setattr(plan_servicer, "create_plan", create_plan_never)
    async with open_gate(tmp_path / "plangate.db") as gate:
        write = asyncio.ensure_future(refused(gate.propose()))
        await begun.wait()
        await gate.stop()
        assert (await write).status == "UNAVAILABLE"
