"""Signing in: what a browser keeps of a token, and what is refused."""

from __future__ import annotations

import base64

import pytest
from google.rpc.code_pb2 import Code
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import HTTPConnection

from plangate_proto.agent.v1.access_token_service_pb2 import CreateTokenRequest, RevokeTokenRequest, Role
from plangate_server.web.invitations import Invitation
from plangate_server.web.refusals import HTTP
from plangate_server.web.signing_in import cookie_name, joined, split
from tests.helpers.gate import Gate
from tests.helpers.tokens import local_token
from tests.helpers.visitor import Visitor
from tests.web.test_api import GET, SUBMIT, decided

TOKENS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1)


@given(TOKENS)
def test_both_halves_give_the_token(token: str) -> None:
    """And each is thrown anew, so that neither says anything of it."""
    assert joined(*split(token)) == token
    assert split(token * 4) != split(token * 4)


@given(st.text(), st.text())
def test_anything_else_gives_nothing_that_harms(cookie: str, key: str) -> None:
    """Whatever a browser sends, it is a text or nothing."""
    assert joined(cookie, key).isascii()


async def test_neither_half_holds_the_token(gate: Gate) -> None:
    """Nor a part of it that means something."""
    answer = await Visitor(gate.web).sign_in()
    secret = local_token("reviewer").rpartition("_")[2].encode()
    for half in (answer.headers["set-cookie"].partition(";")[0].partition("=")[2], answer.body["key"]):
        assert secret not in base64.urlsafe_b64decode(half + "==")


async def test_the_cookie_is_for_the_page_alone(gate: Gate) -> None:
    """No script reads it, and no other site has it sent."""
    cookie = (await Visitor(gate.web).sign_in()).headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}


def named(scheme: str, host: str) -> str:
    scope = {"type": "http", "scheme": scheme, "headers": [(b"host", host.encode())]}
    return cookie_name(HTTPConnection(scope))


@pytest.mark.parametrize(
    ("scheme", "host", "name"),
    [
        ("http", "127.0.0.1:50062", "plangate-50062"),
        ("http", "[::1]:50063", "plangate-50063"),
        ("ws", "localhost:50062", "plangate-50062"),
        ("http", "localhost", "plangate"),
        ("https", "gate.example", "__Host-plangate"),
        ("wss", "gate.example:8443", "__Host-plangate-8443"),
        ("https", "gate.example:x;y=z", "__Host-plangate"),
    ],
)
def test_each_gate_has_its_own_cookie(scheme: str, host: str, name: str) -> None:
    """Browsers keep cookies by host alone: a second gate on this machine signs nobody out of the first."""
    assert named(scheme, host) == name


@pytest.mark.parametrize("missing", ["Cookie", "X-Plangate-Key"])
async def test_one_half_alone_does_nothing(gate: Gate, missing: str) -> None:
    """A request that another page makes the browser send has the cookie; another server gets it, too."""
    plan = await gate.propose()
    visitor = Visitor(gate.web)
    await visitor.sign_in()
    del visitor.headers[missing]
    answer = await visitor.call(SUBMIT, decided(plan))
    assert answer.status == 401
    assert (await gate.get(plan.plan_uri)).state == plan.state


async def test_halves_of_two_sign_ins_do_not_fit(gate: Gate) -> None:
    """The key belongs to its cookie."""
    one, other = Visitor(gate.web), Visitor(gate.web)
    await one.sign_in()
    await other.sign_in()
    one.headers["X-Plangate-Key"] = other.headers["X-Plangate-Key"]
    answer = await one.call(GET, {"planUri": "plangate://plans/1"})
    assert answer.status == 401


@pytest.mark.parametrize("token", ["", "nonsense", "pgt_x_y", "für", "a b", "x" * 10_000])
async def test_no_token_no_sign_in(gate: Gate, token: str) -> None:
    """Whatever is shown instead of one."""
    answer = await Visitor(gate.web).post("/sign-in", {"token": token})
    assert (answer.status, answer.reason) == (401, "INVALID_CREDENTIALS")
    assert "set-cookie" not in answer.headers


async def test_a_sign_in_ends_with_its_token(gate: Gate) -> None:
    """Who is signed in with a token that is revoked is refused, and nothing changes."""
    plan = await gate.propose()
    made = await gate.tokens.CreateToken(CreateTokenRequest(name="bob", role=Role.ROLE_REVIEWER))
    visitor = Visitor(gate.web)
    assert (await visitor.sign_in(made.secret)).body["name"] == "bob"
    await gate.tokens.RevokeToken(RevokeTokenRequest(token_id=made.token.token_id))
    answer = await visitor.call(SUBMIT, decided(plan))
    assert (answer.status, answer.reason) == (401, "INVALID_CREDENTIALS")
    assert (await gate.get(plan.plan_uri)).state == plan.state


async def test_signing_out_takes_the_cookie(gate: Gate) -> None:
    """What the browser then sends is nobody's."""
    visitor = Visitor(gate.web)
    await visitor.sign_in()
    answer = await visitor.post("/sign-out", {})
    assert f'plangate-{gate.web.rpartition(":")[2]}=""' in answer.headers["set-cookie"]
    assert "Max-Age=0" in answer.headers["set-cookie"]


def test_a_link_signs_in_once() -> None:
    """Whoever comes second, or has another code, gets nothing."""
    invitation = Invitation("token")
    assert invitation.taken("another") == ""
    assert invitation.taken("für") == ""
    assert invitation.taken(invitation.code) == "token"
    assert invitation.taken(invitation.code) == ""


async def test_an_agent_that_signs_in_still_cannot_decide(gate: Gate) -> None:
    """The page shows what a token's role may see, and no more."""
    plan = await gate.propose()
    visitor = Visitor(gate.web)
    assert (await visitor.sign_in(local_token("agent"))).body["role"] == "ROLE_AGENT"
    answer = await visitor.call(SUBMIT, decided(plan))
    assert (answer.status, answer.reason) == (403, "ROLE_NOT_ALLOWED")


def test_every_refusal_has_its_http_status() -> None:
    """None of gRPC's statuses is forgotten."""
    assert set(HTTP) == set(Code.keys()) - {"OK"}
