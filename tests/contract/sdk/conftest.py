"""The same gate twice: the one that users test with, and the one that they run."""

from collections.abc import AsyncIterator, Iterator

import pytest

from plangate.testing import FakeGate
from tests.helpers.either_client import KINDS, Awaited, client_of
from tests.helpers.gate_process import gate_process

GATES = ("fake", "server")


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A gate that all tests here share: each makes plans of its own."""
    with gate_process(tmp_path_factory.mktemp("gate")) as address:
        yield address


@pytest.fixture(params=[f"{gate}-{kind}" for gate in GATES for kind in KINDS])
async def gate(request: pytest.FixtureRequest) -> AsyncIterator[Awaited]:
    """A client of either kind, of either gate."""
    which, kind = request.param.split("-")
    if which == "server":
        async with client_of(kind, request.getfixturevalue("address")) as client:
            yield client
    else:
        fake = FakeGate()
        yield Awaited(fake.client() if kind == "sync" else fake.async_client())
