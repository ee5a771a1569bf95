"""What somebody sends who means no good: each is refused, and nothing changes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from plangate_server.domain.limits import DEFAULTS
from tests.helpers.clock import SkippingClock
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, open_gate
from tests.helpers.identities import make_token
from tests.helpers.scraping import ask
from tests.helpers.streams import WatchedHub
from tests.helpers.tokens import local_token
from tests.helpers.visitor import Visitor
from tests.web.test_api import SUBMIT, decided

CHANGING = (f"/api/{SUBMIT}", "/sign-in", "/sign-out", "/agent/message/stream", "/api/render")
WAITS = PlanState.PLAN_STATE_IN_REVIEW


@pytest.fixture
async def visitor(gate: Gate) -> Visitor:
    visitor = Visitor(gate.web)
    await visitor.sign_in()
    return visitor


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
@pytest.mark.parametrize("path", CHANGING)
async def test_what_changes_something_is_a_post(visitor: Visitor, method: str, path: str) -> None:
    """Nothing else is taken, also if it says that it is one; and no other site is told that it may ask."""
    headers = {**visitor.headers, "X-HTTP-Method-Override": "POST", "Access-Control-Request-Method": "POST"}
    answer = await ask(visitor.address, path, method, **headers)
    assert answer.status == 405
    assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.parametrize("key", ["", "x", "AAAA", "ä", "A" * 100_000], ids=lambda key: key[:4])
async def test_a_wrong_key_decides_nothing(gate: Gate, visitor: Visitor, key: str) -> None:
    """The cookie alone, with whatever somebody guesses."""
    plan = await gate.propose()
    try:
        answer = await visitor.call(SUBMIT, decided(plan), X_Plangate_Key=key)
        assert answer.status in {400, 401}
    except ConnectionError:
        """So long a header is not read to its end."""
    assert (await gate.get(plan.plan_uri)).state == WAITS


async def test_a_key_that_is_nearly_right(gate: Gate, visitor: Visitor) -> None:
    """Changed by one letter, it gives another token, which nobody has."""
    plan = await gate.propose()
    key = visitor.headers["X-Plangate-Key"]
    for place in (0, len(key) // 2, len(key) - 2):
        other = key[:place] + ("B" if key[place] != "B" else "C") + key[place + 1 :]
        assert (await visitor.call(SUBMIT, decided(plan), X_Plangate_Key=other)).status == 401
    assert (await gate.get(plan.plan_uri)).state == WAITS


async def test_an_expired_sign_in(gate: Gate, clock: SkippingClock) -> None:
    """Ends with its token, by itself."""
    plan = await gate.propose()
    made = await make_token(gate, "reviewer", "bob", seconds=3600)
    visitor = Visitor(gate.web)
    assert (await visitor.sign_in(made.secret)).status == 200
    assert (await visitor.call("agent.v1.TokenService/WhoAmI")).status == 200
    clock.skip(hours=2)
    answer = await visitor.call("agent.v1.TokenService/WhoAmI")
    assert (answer.status, answer.reason) == (401, "INVALID_CREDENTIALS")
    assert (await visitor.call(SUBMIT, decided(plan))).status == 401
    assert (await visitor.get("/api/live")).status == 401
    assert (await gate.get(plan.plan_uri)).state == WAITS


@pytest.mark.parametrize("path", [f"/api/{SUBMIT}", "/api/render", "/agent/message/stream"])
async def test_of_a_stranger_nothing_is_read(gate: Gate, path: str) -> None:
    """Whoever is not known is refused before the body has come, however bad or long it is."""
    stranger = Visitor(gate.web)
    stranger.headers = {"Authorization": "Bearer nonsense"}
    assert (await stranger.post(path, b"{")).reason == "INVALID_CREDENTIALS"
    head = f"POST {path} HTTP/1.1\r\nHost: {gate.web}\r\nAuthorization: Bearer nonsense\r\n"
    head += "Content-Type: application/json\r\nContent-Length: 20000000\r\n\r\n"
    host, _, port = gate.web.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(head.encode())
    async with asyncio.timeout(PATIENCE):
        assert (await reader.readline()).split()[1] == b"401"
    writer.close()


async def test_an_agent_with_a_bad_body_is_refused_as_an_agent(gate: Gate) -> None:
    """Who may not make a call learns that first, as over gRPC."""
    agent = Visitor(gate.web)
    agent.headers = {"Authorization": f"Bearer {local_token('agent')}"}
    assert (await agent.call(SUBMIT, b"{")).reason == "ROLE_NOT_ALLOWED"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ('"digest": "x"', "'digest' is there twice"),
        ('"revision": NaN', "NaN is no number"),
        ('"other": 1e999', "a number is too large"),
        ('"requestId": 1.5', "not a aiserver.v1.SubmitReviewRequest"),
        ('"requestId": "\\ud800"', "not a aiserver.v1.SubmitReviewRequest"),
        ('"humanReview": ' + '{"x":' * 90, "not JSON"),
    ],
    ids=lambda text: text[:24],
)
async def test_json_that_could_be_read_in_two_ways(
    gate: Gate, visitor: Visitor, more: str, words: str
) -> None:
    """Is refused with what is wrong with it."""
    plan = await gate.propose()
    text = json.dumps(decided(plan))[:-1] + ", " + more + "}"
    answer = await visitor.call(SUBMIT, text.encode())
    assert (answer.status, answer.reason) == (400, "MALFORMED_REQUEST")
    assert words in answer.body["error"]["message"]
    assert (await gate.get(plan.plan_uri)).state == WAITS


@pytest.mark.parametrize("number", ["1" * 400, "-1" + "0" * 320, "1e308"])
async def test_numbers_at_the_end_of_what_can_be_counted(visitor: Visitor, number: str) -> None:
    """Are taken or refused, and never a fault."""
    body = '{"sessionId": "s", "toolName": "t", "arguments": {"n": ' + number + "}}"
    answer = await visitor.call("agent.v1.SessionService/AuthorizeTool", body.encode())
    assert answer.status in {200, 400, 403}


@pytest.mark.parametrize("body", [b'{"code": "\\ud800"}', b'{"token": "\\ud800"}', b'{"code": 7}', b"{}"])
async def test_a_sign_in_with_half_a_character(gate: Gate, body: bytes) -> None:
    """Is no sign-in, and no fault."""
    assert (await Visitor(gate.web).post("/sign-in", body)).status == 401


async def test_a_sign_in_that_is_too_long(gate: Gate) -> None:
    """Is not read to its end."""
    answer = await Visitor(gate.web).post("/sign-in", {"token": "x" * 20_000})
    assert (answer.status, answer.reason) == (400, "MALFORMED_REQUEST")


@pytest.mark.parametrize("path", ["/api/live", "/agent/events"])
async def test_a_head_listens_to_nothing(
    gate: Gate, hub: WatchedHub, visitor: Visitor, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would hold a line on which nobody hears anything, and count as a reviewer."""
    followed: list[int] = []
    monkeypatch.setattr(hub, "_count", followed.append)
    answer = await ask(gate.web, path, "HEAD", **visitor.headers)
    assert answer.status == 405
    assert followed == []


async def test_one_caller_cannot_take_all_lines(tmp_path: Path) -> None:
    """Who has as many as one may have is refused another; others are not."""
    limits = replace(DEFAULTS, streams_per_principal=4)
    async with open_gate(tmp_path / "plangate.db", limits=limits) as gate:
        greedy, other = Visitor(gate.web), Visitor(gate.web)
        await greedy.sign_in()
        await other.sign_in(local_token("admin"))
        async with greedy.listening() as one, greedy.listening() as two:
            await one.opened()
            await two.opened()
            answer = await greedy.get("/api/live")
            assert (answer.status, answer.reason) == (429, "LIMIT_EXCEEDED")
            async with other.listening() as live:
                await live.opened()
            assert (await greedy.call("agent.v1.TokenService/WhoAmI")).status == 200
