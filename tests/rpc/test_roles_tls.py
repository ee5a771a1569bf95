"""Who calls over TLS: by a token, by a registered client certificate, and never by one that nobody let in."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import pytest

from plangate_proto.agent.v1.access_token_service_pb2 import RevokeTokenRequest, Role, WhoAmIResponse
from plangate_proto.agent.v1.access_token_service_pb2_grpc import TokenServiceStub
from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest
from plangate_proto.aiserver.v1.plan_review_service_pb2_grpc import PlanReviewServiceStub
from tests.helpers.certificates import Certificates, Pair, shown_at
from tests.helpers.gate import OWN_CONNECTION
from tests.helpers.identities import Metadata, first_answer, refusal_of, showing, token_request
from tests.helpers.refusals import refused
from tests.helpers.streams import cut_off, next_of
from tests.helpers.tokens import bearer, local_token
from tests.rpc.tls_gates import tls_gate

ROLES = {"agent": Role.ROLE_AGENT, "reviewer": Role.ROLE_REVIEWER, "admin": Role.ROLE_ADMIN}
WHO_AM_I = "/agent.v1.TokenService/WhoAmI"
SAMPLE: dict[str, set[str]] = {
    WHO_AM_I: {"agent", "reviewer", "admin"},
    "/agent.v1.TokenService/ListTokens": {"admin"},
    "/agent.v1.PlanService/CreatePlan": {"agent", "admin"},
    "/agent.v1.PlanService/DraftPlan": {"agent", "admin"},
    "/agent.v1.PlanService/ListPlans": {"agent", "reviewer", "admin"},
    "/aiserver.v1.PlanService/TodoWrite": {"agent", "admin"},
    "/aiserver.v1.PlanReviewService/WatchReviews": {"reviewer", "admin"},
    "/aiserver.v1.PlanReviewService/SubmitReview": {"reviewer", "admin"},
    "/agent.v1.ApprovalService/RequestApproval": {"agent", "admin"},
    "/agent.v1.ApprovalService/ResolveApproval": {"reviewer", "admin"},
    "/agent.v1.SessionService/ConfirmFullAccess": {"reviewer", "admin"},
}


class Mutual(NamedTuple):
    address: str
    certificates: Certificates


@asynccontextmanager
async def channel_to(
    address: str, certificates: Certificates, pair: Pair | None
) -> AsyncIterator[grpc.aio.Channel]:
    roots = certificates.ca.read_bytes()
    shown = (pair.key.read_bytes(), pair.cert.read_bytes()) if pair else (None, None)
    credentials = grpc.ssl_channel_credentials(roots, *shown)
    async with grpc.aio.secure_channel(address, credentials, options=OWN_CONNECTION) as channel:
        yield channel


@pytest.fixture(scope="module")
async def one_way(
    tmp_path_factory: pytest.TempPathFactory, certificates: Certificates
) -> AsyncIterator[grpc.aio.Channel]:
    """A channel to a gate whose clients need no certificate."""
    folder = tmp_path_factory.mktemp("tls")
    async with (
        tls_gate(folder, certificates.server) as address,
        channel_to(address, certificates, None) as channel,
    ):
        yield channel


@pytest.fixture
async def mutual(tmp_path: Path, certificates: Certificates) -> AsyncIterator[Mutual]:
    """A gate whose clients must show certificates."""
    async with tls_gate(tmp_path, certificates.server, certificates.ca) as address:
        yield Mutual(address, certificates)


@asynccontextmanager
async def alice(gate: Mutual) -> AsyncIterator[grpc.aio.Channel]:
    """Whoever has the certificate of that name."""
    async with channel_to(gate.address, gate.certificates, gate.certificates.client) as channel:
        yield channel


def tokens_of(channel: grpc.aio.Channel) -> Any:
    """As an admin who shows a token."""
    return TokenServiceStub(bearer(channel, local_token("admin")))


async def who(channel: grpc.aio.Channel, metadata: Metadata = ()) -> WhoAmIResponse:
    return WhoAmIResponse.FromString(await first_answer(channel, WHO_AM_I, b"", metadata))


async def check(channel: grpc.aio.Channel, path: str, role: str, metadata: Metadata) -> None:
    refusal = await refusal_of(channel, path, b"", metadata)
    if role in SAMPLE[path]:
        assert refusal is None or refusal.status not in {"UNAUTHENTICATED", "PERMISSION_DENIED"}
    else:
        assert refusal is not None
        assert refusal.reason == "ROLE_NOT_ALLOWED"


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("path", SAMPLE)
async def test_a_token_over_tls(one_way: grpc.aio.Channel, path: str, role: str) -> None:
    """The same roles as without."""
    await check(one_way, path, role, showing(local_token(role)))


@pytest.mark.parametrize("path", SAMPLE)
async def test_nobody_is_known_by_tls_alone(one_way: grpc.aio.Channel, path: str) -> None:
    """An encrypted stranger is a stranger."""
    for metadata, reason in (((), "MISSING_CREDENTIALS"), (showing("x"), "INVALID_CREDENTIALS")):
        refusal = await refusal_of(one_way, path, b"\xff", metadata)
        assert refusal is not None
        assert (refusal.status, refusal.reason) == ("UNAUTHENTICATED", reason)


async def test_a_certificate_that_nobody_let_in(mutual: Mutual) -> None:
    """A CA signs for more than the gate: its signature alone opens no method."""
    async with alice(mutual) as channel:
        for path in SAMPLE:
            refusal = await refusal_of(channel, path, b"\xff", ())
            assert refusal is not None
            assert (refusal.status, refusal.reason) == ("UNAUTHENTICATED", "INVALID_CREDENTIALS")


@pytest.mark.parametrize("role", ROLES)
async def test_a_certificate_that_was_let_in(mutual: Mutual, role: str) -> None:
    """It is who the admin said, at once, and may do what the role may."""
    async with alice(mutual) as channel:
        request = token_request(role, "alice-laptop", person="alice", certificate="alice", workspace="acme")
        made = await tokens_of(channel).CreateToken(request)
        assert (made.secret, made.token.certificate) == ("", "alice")
        me = await who(channel)
        assert (me.name, me.person, me.role, me.workspace) == ("alice-laptop", "alice", ROLES[role], "acme")
        for path in SAMPLE:
            await check(channel, path, role, ())


async def test_a_token_wins_over_a_certificate(mutual: Mutual) -> None:
    """Also one that does not hold: whoever shows a wrong one is not taken for somebody else."""
    async with alice(mutual) as channel:
        await tokens_of(channel).CreateToken(token_request("admin", "alice", certificate="alice"))
        assert (await who(channel)).name == "alice"
        assert (await who(channel, showing(local_token("agent")))).name == "local-agent"
        for header in ("Bearer x", "Bearer", "Basic eA==", "", f"Bearer plangate_{'0' * 32}_{'0' * 32}"):
            refusal = await refusal_of(channel, WHO_AM_I, b"", (("authorization", header),))
            assert refusal is not None
            assert refusal.reason == "INVALID_CREDENTIALS"


async def test_a_name_stands_for_one(mutual: Mutual) -> None:
    """Nobody else gets it, in whichever workspace, until it is revoked; then it can be given anew."""
    async with alice(mutual) as channel:
        tokens = tokens_of(channel)
        first = (await tokens.CreateToken(token_request("agent", "first", certificate="alice"))).token
        again = token_request("admin", "second", certificate="alice", workspace="acme")
        refusal = await refused(tokens.CreateToken(again))
        assert (refusal.status, refusal.reason) == ("ALREADY_EXISTS", "CERTIFICATE_TAKEN")
        await tokens.RevokeToken(RevokeTokenRequest(token_id=first.token_id))
        assert (await refused(who(channel))).reason == "INVALID_CREDENTIALS"
        await tokens.CreateToken(again)
        assert (await who(channel)).name == "second"


async def test_revoking_ends_what_a_certificate_opened(mutual: Mutual) -> None:
    """The connection stays, the stream does not."""
    async with alice(mutual) as channel:
        tokens = tokens_of(channel)
        made = await tokens.CreateToken(token_request("observer", certificate="alice"))
        stream = PlanReviewServiceStub(channel).WatchReviews(WatchReviewsRequest())
        first = await next_of(stream)
        await tokens.RevokeToken(RevokeTokenRequest(token_id=made.token.token_id))
        _, refusal = await cut_off(stream)
        assert (refusal.reason, refusal.metadata["cursor"]) == ("INVALID_CREDENTIALS", first.event.cursor)


@pytest.mark.parametrize("shown", ["stranger", "old_client", "nothing"])
async def test_a_bad_certificate_has_no_call(mutual: Mutual, shown: str) -> None:
    """Of another CA, expired, or none at all: even a good token gets no answer."""
    pair = None if shown == "nothing" else getattr(mutual.certificates, shown)
    async with channel_to(mutual.address, mutual.certificates, pair) as channel:
        refusal = await refusal_of(channel, WHO_AM_I, b"", showing(local_token("admin")))
        assert refusal is not None
        assert refusal.status == "UNAVAILABLE"


async def test_a_server_of_another_ca_hears_no_token(mutual: Mutual, certificates: Certificates) -> None:
    """The client hangs up before it says who it is."""
    roots = grpc.ssl_channel_credentials(certificates.other_ca.read_bytes())
    async with grpc.aio.secure_channel(mutual.address, roots, options=OWN_CONNECTION) as channel:
        refusal = await refusal_of(channel, WHO_AM_I, b"", showing(local_token("admin")))
        assert refusal is not None
        assert (refusal.status, refusal.reason) == ("UNAVAILABLE", "")


async def test_renewing_the_gates_certificate_ends_nothing(
    tmp_path: Path, certificates: Certificates
) -> None:
    """The stream of a client certificate goes on over the connection that it has; new ones are known, too."""
    place = Pair(tmp_path / "server.pem", tmp_path / "server.key")
    certificates.server.put(place)
    async with tls_gate(tmp_path, place, certificates.ca) as address:
        gate = Mutual(address, certificates)
        async with alice(gate) as channel, alice(gate) as later:
            await tokens_of(channel).CreateToken(token_request("observer", "alice", certificate="alice"))
            stream = PlanReviewServiceStub(channel).WatchReviews(WatchReviewsRequest())
            await next_of(stream)
            certificates.renewed.put(place)
            assert await asyncio.to_thread(shown_at, address) == certificates.renewed.cert.read_text()
            assert (await who(later)).name == (await who(channel)).name == "alice"
            assert not stream.done()
            stream.cancel()
