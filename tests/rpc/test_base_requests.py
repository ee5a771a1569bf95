"""What the field walker and the fuzzer begin with is good, and there is some of it for every method."""

from __future__ import annotations

from collections.abc import AsyncIterator

import grpc
import pytest

from tests.helpers.base_requests import BASES, Bench
from tests.helpers.descriptors import services
from tests.helpers.first_answers import asker
from tests.helpers.gate import OWN_CONNECTION, open_gate
from tests.helpers.raw_calls import path_of

EVERY_BASE = [(path, number) for path, bases in BASES.items() for number in range(len(bases))]


@pytest.fixture(scope="module")
async def channel(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[grpc.aio.Channel]:
    """To one gate, without a token."""
    async with (
        open_gate(tmp_path_factory.mktemp("bases") / "plangate.db") as gate,
        grpc.aio.insecure_channel(gate.address, options=OWN_CONNECTION) as channel,
    ):
        yield channel


def test_every_method_has_one() -> None:
    """A new method needs a line in the table, or neither of them would try it."""
    every = {path_of(method) for service in services().values() for method in service.methods}
    assert set(BASES) == every


@pytest.mark.parametrize(("path", "number"), EVERY_BASE)
async def test_it_is_answered(channel: grpc.aio.Channel, path: str, number: int) -> None:
    """By the role that is to send it."""
    base = BASES[path][number]
    bench = Bench(asker(channel), f"{path}-{number}")
    request = await base.make(bench)
    assert await asker(channel)(base.role, path, request) is not None
