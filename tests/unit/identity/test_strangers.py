"""Which connections are hung up: those on which many are refused, and nobody is known."""

import asyncio
import threading

import pytest

from plangate_server.rpc import strangers as module
from plangate_server.rpc.connections import peer_address
from plangate_server.rpc.strangers import MANY, MOST_PEERS, Strangers
from tests.helpers.conditions import PATIENCE

LOUD, QUIET = "ipv4:192.0.2.1:4000", "ipv4:192.0.2.1:4001"


def refused(strangers: Strangers, peer: str, times: int) -> None:
    for _ in range(times):
        strangers.refused(peer)


def test_who_is_refused_again_and_again_is_hung_up() -> None:
    """Once; and not another connection from the same place."""
    strangers = Strangers()
    refused(strangers, LOUD, MANY)
    refused(strangers, QUIET, MANY - 1)
    assert strangers.take() == {"192.0.2.1 4000"}
    refused(strangers, QUIET, MANY - 1)
    assert strangers.take() == set()


def test_where_somebody_is_known_nobody_is_hung_up() -> None:
    """A proxy carries calls of several callers on one connection."""
    strangers = Strangers()
    strangers.known(LOUD)
    refused(strangers, LOUD, 10 * MANY)
    assert strangers.take() == set()


def test_a_unix_socket_has_no_address() -> None:
    """Only the user of the gate is there, and nobody can tell one connection from another."""
    strangers = Strangers()
    refused(strangers, "unix:", 10 * MANY)
    refused(strangers, "web:127.0.0.1:", 10 * MANY)
    assert strangers.take() == set()


def test_the_books_do_not_grow() -> None:
    """However many connections there were."""
    strangers = Strangers()
    for port in range(2 * MOST_PEERS + 1):
        strangers.known(f"ipv4:192.0.2.1:{port}")
    assert len(strangers._known) <= MOST_PEERS


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        (LOUD, "192.0.2.1 4000"),
        ("ipv6:%5B2001:db8::1%5D:4000", "2001:db8::1 4000"),
        ("ipv6:[::1]:1", "::1 1"),
    ],
)
def test_addresses_as_grpc_writes_them(peer: str, address: str) -> None:
    """Versions of gRPC differ in how they write brackets."""
    assert peer_address(peer) == address


async def test_connections_are_looked_at_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there are, nobody else waits meanwhile."""
    monkeypatch.setattr(module, "LOOK_SECONDS", 0)
    strangers, ended = Strangers(), asyncio.get_running_loop().create_future()
    loop, on_loop = asyncio.get_running_loop(), threading.get_ident()

    def end(peers: set[str]) -> None:
        loop.call_soon_threadsafe(ended.set_result, (peers, threading.get_ident()))

    refused(strangers, LOUD, MANY)
    looking = asyncio.create_task(strangers.hang_up(end))
    async with asyncio.timeout(PATIENCE):
        peers, thread = await ended
    looking.cancel()
    assert peers == {"192.0.2.1 4000"}
    assert thread != on_loop
