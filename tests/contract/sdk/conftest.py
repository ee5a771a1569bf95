"""The same gate twice: the one that users test with, and the one that they run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from plangate import Client
from plangate.testing import Gate
from plangate_proto.agent.v1.access_token_service_pb2 import CreateTokenRequest, Role
from tests.helpers.either_client import KINDS, Awaited, client_of
from tests.helpers.gate_process import gate_process

GATES = ("testing", "server")
ANOTHER_PERSON = "ben"


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A gate that all tests here share: each makes plans and sessions of its own."""
    with gate_process(tmp_path_factory.mktemp("gate")) as address:
        yield address


@pytest.fixture(scope="session")
def another_token(address: str) -> str:
    """With it, somebody else decides."""
    wanted = CreateTokenRequest(name=ANOTHER_PERSON, person=ANOTHER_PERSON, role=Role.ROLE_REVIEWER)
    with Client(address) as gate:
        return gate.create_token(wanted).secret


@dataclass
class TestingSide:
    """Clients of one kind, of the gate in the test's own process."""

    __test__ = False

    kind: str
    gate: Gate

    @asynccontextmanager
    async def client(self, person: str = "ada", **options: Any) -> AsyncIterator[Awaited]:
        if self.kind == "sync":
            with self.gate.client(person, **options) as client:
                yield Awaited(client)
        else:
            async with self.gate.async_client(person, **options) as gate:
                yield Awaited(gate)

    def another_person(self) -> AbstractAsyncContextManager[Awaited]:
        return self.client(ANOTHER_PERSON, role="reviewer")


@dataclass
class ServerSide:
    """The same of a server."""

    kind: str
    address: str
    another_token: str

    def client(self, **options: Any) -> AbstractAsyncContextManager[Awaited]:
        return client_of(self.kind, self.address, **options)

    def another_person(self) -> AbstractAsyncContextManager[Awaited]:
        return client_of(self.kind, self.address, token=self.another_token)


@pytest.fixture(params=[f"{gate}-{kind}" for gate in GATES for kind in KINDS])
def side(request: pytest.FixtureRequest) -> TestingSide | ServerSide:
    """Either gate, for clients of either kind."""
    which, kind = request.param.split("-")
    if which == "testing":
        return TestingSide(kind, Gate())
    address, token = (request.getfixturevalue(name) for name in ("address", "another_token"))
    return ServerSide(kind, address, token)


@pytest.fixture
async def gate(side: TestingSide | ServerSide) -> AsyncIterator[Awaited]:
    """A client, with which agents propose and a person decides."""
    async with side.client() as client:
        yield client


@pytest.fixture
async def another_person(side: TestingSide | ServerSide) -> AsyncIterator[Awaited]:
    """A client of the same gate, with which somebody else decides."""
    async with side.another_person() as client:
        yield client
