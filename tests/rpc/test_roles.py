"""Who may call what: every method of every service, with every kind of credentials, over a real socket."""

from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import grpc
import pytest

from plangate_server.rpc import access, boundary
from plangate_server.rpc.decode import decoder
from tests.helpers.descriptors import services
from tests.helpers.gate import OWN_CONNECTION, Gate, connected, open_gate
from tests.helpers.identities import Metadata, first_answer, make_token, refusal_of, revoke, showing
from tests.helpers.raw_calls import path_of
from tests.helpers.refusals import refused

AGENT_SIDE, ANYONE = {"agent", "admin"}, {"agent", "reviewer", "observer", "admin"}
PERSONS_SIDE, DECIDERS = {"reviewer", "observer", "admin"}, {"reviewer", "admin"}

MAY_CALL: dict[str, dict[str, set[str]]] = {
    "agent.v1.PlanService": {
        "CreatePlan": AGENT_SIDE,
        "DraftPlan": AGENT_SIDE,
        "UpdatePlan": {"agent", "reviewer", "admin"},
        "GetPlan": ANYONE,
        "ListPlans": ANYONE,
        "ListRevisions": ANYONE,
        "DiffRevisions": ANYONE,
        "ReviewPlan": ANYONE,
        "AcknowledgeDecision": AGENT_SIDE,
        "BuildTodos": AGENT_SIDE,
        "ReadTodos": ANYONE,
        "UpdateTodos": AGENT_SIDE,
        "FinishBuild": AGENT_SIDE,
        "WithdrawPlan": AGENT_SIDE,
        "ListComments": ANYONE,
        "RegisterReference": AGENT_SIDE,
    },
    "aiserver.v1.PlanService": {
        "CreatePlan": AGENT_SIDE,
        "ReviewPlan": ANYONE,
        "BuildTodos": AGENT_SIDE,
        "TodoRead": ANYONE,
        "TodoWrite": AGENT_SIDE,
    },
    "aiserver.v1.PlanReviewService": {
        "ListReviews": PERSONS_SIDE,
        "GetReview": PERSONS_SIDE,
        "WatchReviews": PERSONS_SIDE,
        "SubmitReview": DECIDERS,
        "AddComment": DECIDERS,
        "ResolveComment": DECIDERS,
        "ListEvents": PERSONS_SIDE,
        "VerifyAudit": PERSONS_SIDE,
    },
    "agent.v1.ApprovalService": {
        "RequestApproval": AGENT_SIDE,
        "CancelApproval": AGENT_SIDE,
        "WatchApprovals": PERSONS_SIDE,
        "ResolveApproval": DECIDERS,
        "ListApprovals": PERSONS_SIDE,
        "ListRemembered": PERSONS_SIDE,
        "ForgetRemembered": DECIDERS,
        "ResetMemory": DECIDERS,
        "RestoreMemory": {"admin"},
    },
    "agent.v1.SessionService": {
        "GetSession": ANYONE,
        "ListSessions": ANYONE,
        "WatchSession": ANYONE,
        "SetMode": {"agent", "reviewer", "admin"},
        "ConfirmFullAccess": DECIDERS,
        "AuthorizeTool": AGENT_SIDE,
        "ReportEvent": AGENT_SIDE,
    },
    "agent.v1.TokenService": {
        "CreateToken": {"admin"},
        "ListTokens": {"admin"},
        "RevokeToken": {"admin"},
        "WhoAmI": ANYONE,
    },
}
"""As the comments in protos/ say it."""

EVERY_METHOD = [path_of(method) for service in services().values() for method in service.methods]
ROLES = {name: name for name in sorted(ANYONE)} | {"admin of another workspace": "admin"}
STRANGERS = {
    "no token": "MISSING_CREDENTIALS",
    "unknown token": "INVALID_CREDENTIALS",
    "wrong secret": "INVALID_CREDENTIALS",
    "another scheme": "INVALID_CREDENTIALS",
    "expired": "INVALID_CREDENTIALS",
    "revoked": "INVALID_CREDENTIALS",
}
NO_MESSAGE = b"\xff" * 16
WHO_AM_I = "/agent.v1.TokenService/WhoAmI"


class Callers(NamedTuple):
    gate: Gate
    channel: grpc.aio.Channel
    shown: dict[str, Metadata]


@pytest.fixture(scope="module")
async def callers(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Callers]:
    """One gate, and what each kind of caller shows."""
    async with open_gate(tmp_path_factory.mktemp("roles") / "plangate.db") as gate:
        secrets = {role: (await make_token(gate, role)).secret for role in sorted(ANYONE)}
        elsewhere = await make_token(gate, "admin", workspace="elsewhere")
        revoked = await make_token(gate, "admin", "gone")
        await revoke(gate, revoked.token)
        secrets |= {
            "admin of another workspace": elsewhere.secret,
            "unknown token": f"plangate_{'0' * 32}_{'1' * 32}",
            "wrong secret": secrets["admin"][:-32] + "0" * 32,
            "expired": (await make_token(gate, "admin", "late", seconds=1e-6)).secret,
            "revoked": revoked.secret,
        }
        shown = {name: showing(secret) for name, secret in secrets.items()}
        shown |= {"no token": (), "another scheme": (("authorization", "Basic YWRhOmFkYQ=="),)}
        async with grpc.aio.insecure_channel(gate.address, options=OWN_CONNECTION) as channel:
            yield Callers(gate, channel, shown)


def allowed(path: str) -> set[str]:
    _, service, method = path.split("/")
    return MAY_CALL[service][method]


def test_the_table_has_every_method_that_exists() -> None:
    """A new method needs a line here before anything else."""
    written = {f"/{service}/{method}" for service, methods in MAY_CALL.items() for method in methods}
    assert written == set(EVERY_METHOD)


def test_the_servers_table_has_every_method_that_exists() -> None:
    """Neither is a method forgotten in it, nor does it speak of one that is gone."""
    assert set(access.ACCESS) == set(EVERY_METHOD)


@pytest.mark.parametrize("who", ROLES)
@pytest.mark.parametrize("path", EVERY_METHOD)
async def test_a_role_may_call_what_the_protos_say(callers: Callers, path: str, who: str) -> None:
    """Whoever may call gets to where the request is looked at; others hear which roles may."""
    refusal = await refusal_of(callers.channel, path, b"", callers.shown[who])
    if ROLES[who] in allowed(path):
        assert refusal is None or refusal.status not in {"UNAUTHENTICATED", "PERMISSION_DENIED"}
    else:
        assert refusal is not None
        assert (refusal.status, refusal.reason) == ("PERMISSION_DENIED", "ROLE_NOT_ALLOWED")
        expected = {"role": ROLES[who], "allowed": ", ".join(sorted(allowed(path))), "method": path}
        assert refusal.metadata == expected


@pytest.mark.parametrize("who", STRANGERS)
@pytest.mark.parametrize("path", EVERY_METHOD)
async def test_a_stranger_may_call_nothing(callers: Callers, path: str, who: str) -> None:
    """Without credentials that hold, every method is closed, and what is wrong with them is not told."""
    refusal = await refusal_of(callers.channel, path, b"", callers.shown[who])
    assert refusal is not None
    assert (refusal.status, refusal.reason) == ("UNAUTHENTICATED", STRANGERS[who])
    assert refusal.metadata == {"method": path}
    wrong = await refusal_of(callers.channel, path, b"", callers.shown["unknown token"])
    assert wrong is not None
    assert who == "no token" or refusal.message == wrong.message


@pytest.mark.parametrize("path", EVERY_METHOD)
async def test_a_strangers_request_is_not_looked_at(callers: Callers, path: str) -> None:
    """Bytes that are no message get the same refusal as a good one: credentials first, then the role."""
    for who, status in (("no token", "UNAUTHENTICATED"), ("revoked", "UNAUTHENTICATED"), ("admin", "")):
        refusal = await refusal_of(callers.channel, path, NO_MESSAGE, callers.shown[who])
        assert refusal is not None
        assert refusal.status == (status or "INVALID_ARGUMENT")
        assert status or refusal.reason == "MALFORMED_REQUEST"
    for role in ANYONE - allowed(path):
        refusal = await refusal_of(callers.channel, path, NO_MESSAGE, callers.shown[role])
        assert refusal is not None
        assert refusal.status == "PERMISSION_DENIED"


async def test_nothing_of_a_strangers_request_is_decoded(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """No decoder runs before the caller is known and may call: large requests cost strangers' time alone."""
    decoded: list[str] = []

    def counting(method: str, decode: object, message_bytes: int) -> object:
        read = decoder(method, decode, message_bytes)  # type: ignore[arg-type]

        def counted(data: bytes) -> object:
            decoded.append(method)
            return read(data)

        return counted

    monkeypatch.setattr(boundary, "decoder", counting)
    agent = (await make_token(gate, "agent")).secret
    decoded.clear()
    async with grpc.aio.insecure_channel(gate.address, options=OWN_CONNECTION) as channel:
        for path in EVERY_METHOD:
            for metadata in ((), showing("nobody")):
                assert await refusal_of(channel, path, b"\n\x00", metadata)
            if "agent" not in allowed(path):
                assert await refusal_of(channel, path, b"\n\x00", showing(agent))
        assert decoded == []
        await first_answer(channel, WHO_AM_I, b"", showing(agent))
    assert decoded == [WHO_AM_I]


@pytest.mark.parametrize("who", ROLES)
async def test_a_method_that_is_in_no_table_is_open_to_nobody(
    callers: Callers, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    """Whoever adds a method and forgets the table has closed it, not opened it."""
    monkeypatch.setattr(access, "ACCESS", {})
    for path in EVERY_METHOD:
        refusal = await refusal_of(callers.channel, path, b"", callers.shown[who])
        assert refusal is not None
        assert (refusal.status, refusal.metadata["allowed"]) == ("PERMISSION_DENIED", "nobody")


HEADERS = ["", "Bearer", "Bearer x", "Bearer {token} x", "Bearer{token}", "Basic {token}", "Bearer,"]


@pytest.mark.parametrize("header", HEADERS)
async def test_a_malformed_header_is_no_token(callers: Callers, header: str) -> None:
    """Something is shown, and it is not taken."""
    token = callers.shown["admin"][0][1].removeprefix("Bearer ")
    metadata = (("authorization", header.format(token=token)),)
    refusal = await refusal_of(callers.channel, WHO_AM_I, b"", metadata)
    assert refusal is not None
    assert refusal.reason == "INVALID_CREDENTIALS"
    assert token not in refusal.text


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER "])
async def test_the_scheme_is_written_in_any_case(callers: Callers, scheme: str) -> None:
    """As RFC 7235 says."""
    token = callers.shown["agent"][0][1].removeprefix("Bearer ")
    assert await first_answer(callers.channel, WHO_AM_I, b"", (("authorization", scheme + token),))


async def test_a_token_is_exactly_its_text(callers: Callers) -> None:
    """Neither another case nor anything around it is the same token."""
    token = callers.shown["admin"][0][1].removeprefix("Bearer ")
    for wrong in (token.upper(), token + "0", token[:-1], token.replace("_", "-"), "x" + token):
        async with connected(callers.gate.address, token=wrong) as stranger:
            refusal = await refused(stranger.plans())
            assert refusal.reason == "INVALID_CREDENTIALS"


async def test_health_and_reflection_need_no_token(callers: Callers) -> None:
    """They tell nothing of any plan, and whoever asks for them has no token yet."""
    health: Any = callers.channel.unary_unary("/grpc.health.v1.Health/Check")
    assert await health(b"")
    unknown: Any = callers.channel.unary_unary("/agent.v1.PlanService/NoSuchMethod")
    assert (await refused(unknown(b""))).status == "UNIMPLEMENTED"
