"""What is not meant for this server is refused before anything is done."""

from __future__ import annotations

import asyncio

import pytest

from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate
from tests.helpers.visitor import Visitor
from tests.web.test_api import SUBMIT, decided

FOREIGN = [
    {"Host": "evil.example"},
    {"Host": "127.0.0.1.evil.example:80"},
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "http://localhost"},
    {"Sec_Fetch_Site": "cross-site"},
    {"Sec_Fetch_Site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
async def test_a_foreign_request_decides_nothing(gate: Gate, headers: dict[str, str]) -> None:
    """Also with all that somebody who is signed in has."""
    plan = await gate.propose()
    visitor = Visitor(gate.web)
    await visitor.sign_in()
    answer = await visitor.call(SUBMIT, decided(plan), **headers)
    assert (answer.status, answer.reason) == (403, "FOREIGN_ORIGIN")
    assert (await gate.get(plan.plan_uri)).state == plan.state


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
async def test_nobody_is_signed_in_from_elsewhere(gate: Gate, headers: dict[str, str]) -> None:
    """Or somebody could work under a stranger's name."""
    answer = await Visitor(gate.web).post("/sign-in", {"token": "x"}, **headers)
    assert (answer.status, answer.reason) == (403, "FOREIGN_ORIGIN")


async def test_its_own_page_may(gate: Gate) -> None:
    """As a browser sends it, by whichever loopback name."""
    port = gate.web.rpartition(":")[2]
    for host in (gate.web, f"localhost:{port}", f"[::1]:{port}"):
        own = {"Host": host, "Origin": f"http://{host}", "Sec_Fetch_Site": "same-origin"}
        answer = await Visitor(gate.web).post("/sign-in", {"token": "x"}, **own)
        assert answer.status == 401


async def test_a_link_from_elsewhere_opens_the_page(gate: Gate) -> None:
    """It shows nothing by itself: the page asks, and asks as itself."""
    navigation = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}
    visitor = Visitor(gate.web)
    assert (await visitor.get("/plans/1", **navigation)).status == 200
    answer = await visitor.post("/sign-in", {"token": "x"}, **navigation)
    assert answer.reason == "FOREIGN_ORIGIN"


@pytest.mark.parametrize("path", [f"/api/{SUBMIT}", "/sign-in", "/sign-out", "/agent/message/stream"])
async def test_a_get_decides_nothing(gate: Gate, path: str) -> None:
    """What changes something is a POST."""
    visitor = Visitor(gate.web)
    await visitor.sign_in()
    assert (await visitor.get(path)).status == 405


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
async def test_a_form_decides_nothing(gate: Gate, kind: str) -> None:
    """A foreign page can send forms without asking first; they are not JSON."""
    plan = await gate.propose()
    visitor = Visitor(gate.web)
    await visitor.sign_in()
    answer = await visitor.call(SUBMIT, decided(plan), Content_Type=kind)
    assert (answer.status, answer.reason) == (400, "MALFORMED_REQUEST")
    assert (await gate.get(plan.plan_uri)).state == plan.state


async def test_two_hosts(gate: Gate) -> None:
    """A request that names two is refused, whichever is right."""
    host, _, port = gate.web.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
    async with asyncio.timeout(PATIENCE):
        answer = await reader.read()
    writer.close()
    assert answer.split(b" ")[1] in {b"400", b"403"}


async def test_nobody_frames_or_feeds_the_page(gate: Gate) -> None:
    """Its policy allows its own files and nothing else."""
    headers = (await Visitor(gate.web).get("/")).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
