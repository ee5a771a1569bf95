"""The web port of a server process: what it prints, why it does not start, how it stops."""

from __future__ import annotations

import asyncio
import re
import signal
from pathlib import Path

import pytest

from tests.e2e.processes import run, server_with, serving
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import connected
from tests.helpers.scraping import ask, scrape
from tests.helpers.visitor import Visitor

PATIENT = server_with(web__effort__MOST_SECONDS=2 * PATIENCE, app__GRACE_SECONDS=2 * PATIENCE)
"""A server that a test would not see the end of, if anything waited for these."""
WHO_AM_I = "/agent.v1.TokenService/WhoAmI"


async def test_it_says_where_it_is(tmp_path: Path) -> None:
    """The address in the welcome answers, with the numbers of this very server."""
    async with serving(tmp_path / "plangate.db") as server, connected(server.address) as gate:
        await gate.propose()
        numbers = await scrape(server.web)
        assert (await ask(server.web, "/healthz")).text == "serving\n"
        ended = await server.exit(signal.SIGTERM)
    assert numbers.calls("/agent.v1.PlanService/CreatePlan", "OK") == 1
    assert numbers("process_resident_memory_bytes") > 0
    assert ended.events == ["started", "call", "stopping"], "scrapes are not logged"
    assert ended.log[0]["web_listen"] == server.web


async def test_its_link_signs_in_once(tmp_path: Path) -> None:
    """Whoever shows the code first is signed in; nobody else is, and nobody at another start."""
    async with serving(tmp_path / "plangate.db") as server:
        [code] = re.findall(r"#code=(\S+)", server.welcome)
        first, second = Visitor(server.web), Visitor(server.web)
        assert (await first.post("/sign-in", {"code": "x" + code})).status == 401
        assert (await first.post("/sign-in", {"code": code})).body["role"] == "ROLE_REVIEWER"
        assert (await second.post("/sign-in", {"code": code})).reason == "INVALID_CREDENTIALS"
    async with serving(tmp_path / "plangate.db") as server:
        assert (await Visitor(server.web).post("/sign-in", {"code": code})).status == 401


async def test_a_port_in_use_is_a_clear_refusal(tmp_path: Path) -> None:
    """A second server on the web port exits with 1 and one line that says which address it cannot have."""
    async with serving(tmp_path / "first.db") as server:
        database = f"sqlite:///{tmp_path / 'second.db'}"
        second = await run("--listen", "127.0.0.1:0", "--web-listen", server.web, "--database", database)
    problem = f"plangate: cannot listen on {server.web}: is another server there?\n"
    assert second == (1, "", problem)


async def test_beyond_this_machine_it_needs_tls(tmp_path: Path) -> None:
    """An address that others can reach is refused with 2, also if gRPC may be read on its way."""
    database = f"sqlite:///{tmp_path / 'plangate.db'}"
    ended = await run("--web-listen", "0.0.0.0:0", "--database", database)
    assert (ended.code, ended.output) == (2, "")
    assert "--web-listen '0.0.0.0:0' can be reached from other machines, which needs TLS" in ended.errors


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("sent", [b"", b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET /metr"])
async def test_an_open_connection_does_not_hold_it(
    tmp_path: Path, number: signal.Signals, sent: bytes
) -> None:
    """Kept alive after an answer, in the middle of a request, or silent: it exits with 0 before its grace."""
    async with serving(tmp_path / "plangate.db", program=PATIENT) as server:
        host, port = server.web.split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(sent)
        await writer.drain()
        if sent.endswith(b"\r\n\r\n"):
            async with asyncio.timeout(PATIENCE):
                assert (await reader.readline()).endswith(b" 200 OK\r\n")
        ended = await server.exit(number)
        writer.close()
    assert (ended.code, ended.output) == (0, "plangate: stopping\n")
    assert ended.events == ["started", "stopping"]


async def test_a_drawing_does_not_hold_it(tmp_path: Path) -> None:
    """A text that takes long to draw is given up when the server stops."""
    async with serving(tmp_path / "plangate.db", program=PATIENT) as server:
        visitor = Visitor(server.web)
        await visitor.sign_in()
        known = (await scrape(server.web)).calls(WHO_AM_I, "OK")
        drawing = asyncio.create_task(visitor.post("/api/render", {"text": "![" * 500_000}))
        while (await scrape(server.web)).calls(WHO_AM_I, "OK") == known:
            continue
        ended = await server.exit(signal.SIGTERM)
        await asyncio.wait([drawing])
        drawing.exception()
    assert (ended.code, ended.output) == (0, "plangate: stopping\n")
