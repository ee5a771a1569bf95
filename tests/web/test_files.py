"""The page's files: these and no others, packed, kept by browsers, and never out of date."""

from __future__ import annotations

import asyncio
import gzip
from http.client import HTTPConnection

import pytest

from plangate_server.web.pages import FILES
from tests.helpers.gate import Gate
from tests.helpers.scraping import PATIENCE, ask

MAIN = "/static/js/main.js"
ELSEWHERE = [
    "/static/../app.py",
    "/static/%2e%2e/app.py",
    "/static/..%2fapp.py",
    "/static/%2e%2e%2fapp.py",
    "/static/%252e%252e/app.py",
    "/static/..%5capp.py",
    "/static/js/../../app.py",
    "/static/js/%2e%2e/%2e%2e/app.py",
    "/static//etc/passwd",
    "/static/%2fetc/passwd",
    "/static/index.html%00.js",
    "/static/" + "x" * 5_000,
    "/static/" + "%2e%2e%2f" * 30 + "etc/passwd",
    "/static/",
    "/static",
    "/static/js",
    "/static/js/",
]


@pytest.mark.parametrize("path", ELSEWHERE, ids=lambda path: path[:40])
async def test_no_path_leads_out_of_the_folder(gate: Gate, path: str) -> None:
    """Whatever it is made of; and no folder is listed."""
    answer = await ask(gate.web, path)
    assert answer.status == 404
    assert "import" not in answer.text
    assert "root:" not in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/log/",
        "/plans/1/",
        "//evil.example",
        "//evil.example/log/",
        "/\\evil.example/",
        "/%2f%2fevil.example/",
        "/log%0d%0aLocation:%20http://evil.example",
        "/log%0d%0aSet-Cookie:%20plangate=x",
        "/plans/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    ],
)
async def test_no_address_leads_elsewhere_or_comes_back(gate: Gate, path: str) -> None:
    """There are no redirects, no headers made of an address, and nothing of it in the page."""
    answer = await ask(gate.web, path)
    assert answer.status in {200, 404}
    assert not {"location", "set-cookie", "refresh"} & set(answer.headers)
    assert "evil" not in answer.text
    assert "alert" not in answer.text


async def test_a_file_is_packed_for_those_who_can_unpack_it(gate: Gate) -> None:
    """And is the same for all others."""
    plain = await asyncio.to_thread(_bytes, gate.web, {})
    packed = await asyncio.to_thread(_bytes, gate.web, {"Accept-Encoding": "gzip"})
    assert gzip.decompress(packed) == plain == (FILES / "js" / "main.js").read_bytes()
    assert len(packed) < len(plain)


def _bytes(address: str, headers: dict[str, str]) -> bytes:
    connection = HTTPConnection(address, timeout=PATIENCE)
    try:
        connection.request("GET", MAIN, headers={"Accept-Encoding": "identity", **headers})
        return connection.getresponse().read()
    finally:
        connection.close()


async def test_a_file_that_is_known_is_not_sent_again(gate: Gate) -> None:
    """A browser keeps it, and asks whether there is another."""
    first = await ask(gate.web, MAIN)
    assert first.headers["cache-control"] == "no-cache"
    again = await ask(gate.web, MAIN, **{"If-None-Match": first.headers["etag"]})
    assert (again.status, again.text) == (304, "")
    assert again.headers["cache-control"] == "no-cache"
    changed = await ask(gate.web, MAIN, **{"If-None-Match": '"another"'})
    assert changed.status == 200


@pytest.mark.parametrize("path", ["/", "/plans/1", "/healthz", "/metrics", "/nowhere"])
async def test_nothing_else_is_kept(gate: Gate, path: str) -> None:
    """What is about plans stays nowhere."""
    assert (await ask(gate.web, path)).headers["cache-control"] == "no-store"


async def test_the_policy_holds_for_every_answer(gate: Gate) -> None:
    """Own files only: nothing inline or evaluated, from nowhere else, in no frame; also of a refusal."""
    for path in ("/", MAIN, "/nowhere", "/api/live", "/static/x", "/healthz", "/sign-in"):
        policy = (await ask(gate.web, path)).headers["content-security-policy"]
        parts = {name: sources for name, *sources in map(str.split, policy.split(";"))}
        assert parts["default-src"] == ["'none'"]
        assert parts["frame-ancestors"] == ["'none'"]
        assert parts["form-action"] == ["'none'"]
        assert {source for sources in parts.values() for source in sources} == {"'none'", "'self'"}
