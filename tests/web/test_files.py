"""The page's files: these and no others, packed, kept by browsers, and never out of date."""

from __future__ import annotations

import asyncio
import gzip
import re
from http.client import HTTPConnection

import pytest

from plangate_server.web.files import FILES, mark_of, read_files
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate
from tests.helpers.scraping import ask

HERE = f"/static/{mark_of(read_files())}"
MAIN = f"{HERE}/js/main.js"
ELSEWHERE = [
    f"{HERE}/../app.py",
    f"{HERE}/%2e%2e/app.py",
    f"{HERE}/..%2fapp.py",
    f"{HERE}/%2e%2e%2fapp.py",
    f"{HERE}/%252e%252e/app.py",
    f"{HERE}/..%5capp.py",
    f"{HERE}/js/../../app.py",
    f"{HERE}/js/%2e%2e/%2e%2e/app.py",
    f"{HERE}//etc/passwd",
    f"{HERE}/%2fetc/passwd",
    f"{HERE}/index.html%00.js",
    f"{HERE}/" + "x" * 5_000,
    f"{HERE}/" + "%2e%2e%2f" * 30 + "etc/passwd",
    f"{HERE}/",
    f"{HERE}/js",
    f"{HERE}/js/",
    "/static/",
    "/static",
    "/static/js/main.js",
    f"{HERE}/index.html",
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


async def test_a_file_that_is_known_is_not_asked_for_again(gate: Gate) -> None:
    """A browser keeps it for good: the page of another version asks for other addresses."""
    assert (await ask(gate.web, MAIN)).headers["cache-control"] == "public, max-age=31536000, immutable"
    page = (await ask(gate.web, "/")).text
    assert set(re.findall(r"/static/[^/]*", page)) == {HERE}


async def test_the_page_names_every_script(gate: Gate) -> None:
    """They are asked for at once, not one after another as each is read."""
    page = (await ask(gate.web, "/")).text
    named = re.findall(rf'<link rel="modulepreload" href="{HERE}/(js/[^"]*)">', page)
    assert {*named} == {path.relative_to(FILES).as_posix() for path in FILES.rglob("*.js")}


async def test_a_page_of_another_version_gets_what_is_here(gate: Gate) -> None:
    """Servers are updated in turn: the page may come from one, and its files from another."""
    answer = await ask(gate.web, "/static/0123456789ab/js/main.js")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.text == (await ask(gate.web, MAIN)).text


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
