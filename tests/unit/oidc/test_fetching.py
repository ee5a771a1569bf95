"""Keys are fetched from the host that the operator named, in time, and from nobody else."""

import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from threading import Event

import pytest

from plangate_server.oidc.fetching import fetched
from plangate_server.oidc.keys import KeyProblem
from tests.helpers.certificates import Certificates
from tests.helpers.conditions import PATIENCE
from tests.helpers.web_server import WebServer, page, web_server

MOST = 1024


@pytest.fixture
def web() -> Iterator[WebServer]:
    with web_server() as web:
        yield web


def problem(url: str, seconds: float = PATIENCE) -> str:
    with pytest.raises(KeyProblem) as found:
        fetched(url, MOST, seconds)
    return str(found.value)


def test_what_is_there_is_fetched(web: WebServer) -> None:
    """With the path and the query that the operator wrote."""
    web.content(b"keys")
    assert fetched(f"{web.url}/realms/a%20b/certs?x=1", MOST, PATIENCE) == b"keys"
    assert fetched(web.url, MOST, PATIENCE) == b"keys"
    assert web.paths == ["/realms/a%20b/certs?x=1", "/"]


def test_no_proxy_is_asked(web: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the environment says."""
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert fetched(web.url, MOST, PATIENCE) == b"{}"


@pytest.mark.parametrize("status", [204, 304, 400, 401, 404, 500, 503])
def test_another_status_is_a_problem(web: WebServer, status: int) -> None:
    """It is named."""
    web.content(b"", status)
    assert problem(web.url) == f"answered with status {status}"


def test_too_much_is_a_problem(web: WebServer) -> None:
    """One byte more than is taken, also if nobody said how many will come."""
    web.content(b"x" * MOST)
    assert len(fetched(web.url, MOST, PATIENCE)) == MOST
    web.content(b"x" * (MOST + 1))
    assert problem(web.url) == "answered with more than 1 KiB"

    def endless(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        while True:
            request.wfile.write(b"x" * MOST)

    web.answer = endless
    assert problem(web.url) == "answered with more than 1 KiB"


def test_the_same_host_may_lead_on(web: WebServer) -> None:
    """To another path, a few times."""

    moved, leads_on = page(b"moved"), page(b"", 302, Location="/c")
    web.answer = lambda request: (moved if request.path == "/c" else leads_on)(request)
    assert fetched(f"{web.url}/a", MOST, PATIENCE) == b"moved"
    assert web.paths == ["/a", "/c"]
    web.content(b"", 302, Location="/again")
    assert problem(web.url) == "leads on more than 3 times"


def test_another_host_is_not_asked(web: WebServer) -> None:
    """Neither at another port, nor without TLS, nor in a file."""
    with web_server() as other:
        port = web.url.rpartition(":")[2]
        places = [
            other.url,
            f"//localhost:{port}/",
            f"https://127.0.0.1:{port}/",
            "file:///etc/passwd",
            "data:,x",
        ]
        for place in places:
            web.content(b"", 307, Location=place)
            assert problem(web.url) == "leads to another host: name the place itself"
        assert other.paths == []


@pytest.mark.parametrize("place", ["http://[/", "http://127.0.0.1:x/", "/a b", "/é\xff"])
def test_a_place_that_is_none_is_a_problem(web: WebServer, place: str) -> None:
    """Whatever a server writes there."""
    web.content(b"", 302, Location=place)
    assert problem(web.url)


def test_who_does_not_answer_is_given_up(web: WebServer) -> None:
    """After the time that was set, whether nothing comes or a little now and then."""
    over = Event()

    def silent(request: BaseHTTPRequestHandler) -> None:
        over.wait(PATIENCE)

    def dripping(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not over.wait(0.02):
            request.wfile.write(b"x")

    try:
        for answer in (silent, dripping):
            web.answer = answer
            assert problem(web.url, 0.3) == "did not answer within 0.3 s"
    finally:
        over.set()


def test_who_is_not_there_cannot_be_reached() -> None:
    """The words say so."""
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))  # nobody else can have the port meanwhile
        port = deaf.getsockname()[1]
        assert problem(f"http://127.0.0.1:{port}") == "cannot be reached: Connection refused"


def test_what_is_no_web_server_is_a_problem(web: WebServer) -> None:
    """Also one that speaks TLS, or is spoken to in TLS and cannot."""

    def greeting(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(b"220 mail\r\n")

    web.answer = greeting
    assert problem(web.url) == "does not answer as a web server does: BadStatusLine"
    assert problem(web.url.replace("http:", "https:")).startswith("cannot be ")


def test_a_certificate_must_be_trusted(certificates: Certificates, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the CAs of the machine, or those of SSL_CERT_FILE; for the host, and still good."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates.other_ca))
    with web_server(certificates.server) as web:
        assert problem(web.url).startswith("cannot be trusted: ")
        assert web.paths == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificates.ca))
        assert fetched(web.url, MOST, PATIENCE) == b"{}"
    for pair in (certificates.elsewhere, certificates.expired):
        with web_server(pair) as web:
            assert problem(web.url).startswith("cannot be trusted: ")
            assert web.paths == []
