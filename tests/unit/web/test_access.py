"""Who may see what is only for the operator."""

import pytest
from starlette.requests import Request

from plangate_server.web.access import refusal


def asking(peer: str | None, *hosts: str) -> Request:
    headers = [(b"host", host.encode()) for host in hosts]
    client = None if peer is None else (peer, 1234)
    return Request({"type": "http", "headers": headers, "client": client})


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.9.9.9", "::1"])
@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LocalHost:50062",
        "127.0.0.1",
        "127.0.0.1:50062",
        "127.1.2.3:1",
        "[::1]",
        "[::1]:50062",
        "[0:0:0:0:0:0:0:1]:50062",
    ],
)
def test_this_machine_by_a_name_of_its_own_is_let_in(peer: str, host: str) -> None:
    """Every loopback address, and localhost, with or without a port."""
    assert refusal(asking(peer, host)) is None


@pytest.mark.parametrize(
    "host",
    [
        "gate.example",
        "evil.example:50062",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "localhost.",
        "localhost:",
        "localhost:50062:50062",
        "localhost:http",
        "localhost@evil.example",
        "evil.example/localhost",
        "0.0.0.0:50062",
        "192.168.1.1",
        "128.0.0.1",
        "2130706433",
        "0x7f.1",
        "127.1",
        "::1",
        "[::1",
        "[::2]",
        "[127.0.0.1]",
        " localhost",
        "localhost evil.example",
        "",
    ],
)
def test_a_foreign_name_is_refused(host: str) -> None:
    """A page of somebody else whose name leads to this machine learns nothing."""
    assert "Host" in (refusal(asking("127.0.0.1", host)) or "")


def test_exactly_one_name_is_needed() -> None:
    """None is no loopback name, and of two it is not known which one was meant."""
    assert refusal(asking("127.0.0.1")) is not None
    assert refusal(asking("127.0.0.1", "localhost", "evil.example")) is not None


@pytest.mark.parametrize("peer", ["192.168.1.7", "10.0.0.1", "2001:db8::1", "testclient", "", None])
def test_another_machine_is_refused(peer: str | None) -> None:
    """Whatever name it asks for."""
    assert refusal(asking(peer, "localhost")) == "only this machine may see this"
