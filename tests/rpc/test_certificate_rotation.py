"""Renewed certificates are taken without a restart, and bad ones are not."""

import asyncio
from pathlib import Path

import grpc
import pytest

from plangate_proto.agent.v1.plan_service_pb2 import ReviewPlanRequest
from plangate_proto.agent.v1.plan_service_pb2_grpc import PlanServiceStub
from tests.helpers.certificates import Certificates, Pair, replace, shown_at
from tests.helpers.streams import next_of, rest_of, types
from tests.helpers.tokens import bearer, local_token
from tests.rpc.tls_gates import asked, failure_at, plans_at, tls_gate


@pytest.fixture
def place(tmp_path: Path, certificates: Certificates) -> Pair:
    """Where the gate's files are, with good ones in it."""
    place = Pair(tmp_path / "server.pem", tmp_path / "server.key")
    certificates.server.put(place)
    return place


async def shown(address: str) -> str:
    return await asyncio.to_thread(shown_at, address)


def kept(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged about files that cannot be used."""
    return [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]


async def test_an_open_stream_goes_on(tmp_path: Path, place: Pair, certificates: Certificates) -> None:
    """A new handshake gets the new certificate, while a stream from before tells what happens since."""
    roots = grpc.ssl_channel_credentials(certificates.ca.read_bytes())
    async with tls_gate(tmp_path, place) as address, grpc.aio.secure_channel(address, roots) as channel:
        target = f"https://{address}"
        plan = await asked(target, lambda client: client.create_plan("# Tidy"), ca=certificates.ca)
        agent = PlanServiceStub(bearer(channel, local_token("agent")))
        stream = agent.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri))
        await next_of(stream)
        assert await shown(address) == certificates.server.cert.read_text()
        certificates.renewed.put(place)
        assert await shown(address) == certificates.renewed.cert.read_text()
        await asked(target, lambda client: client.decide(plan, "approve"), ca=certificates.ca)
        assert types([told.event for told in await rest_of(stream)])[-1] == "PLAN_APPROVED"


@pytest.mark.parametrize("bad", ["half", "mixed", "missing", "open", "expired"])
async def test_a_bad_pair_is_not_taken(
    tmp_path: Path, place: Pair, certificates: Certificates, bad: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The last good one goes on, it is logged once, and the next good one is taken."""
    async with tls_gate(tmp_path, place) as address:
        match bad:
            case "half":
                place.cert.write_bytes(certificates.renewed.cert.read_bytes()[:200])
            case "mixed":
                replace(certificates.renewed.cert, place.cert)
            case "missing":
                place.key.unlink()
            case "open":
                place.key.chmod(0o644)
            case "expired":
                certificates.expired.put(place)
        for _ in range(3):
            assert await shown(address) == certificates.server.cert.read_text()
        assert await plans_at(f"https://{address}", ca=certificates.ca) == 0
        (said,) = kept(caplog)
        assert str(tmp_path) in said
        assert said.endswith("the certificates from before go on")
        certificates.renewed.put(place)
        assert await shown(address) == certificates.renewed.cert.read_text()
        assert len(kept(caplog)) == 1


async def test_another_client_ca(tmp_path: Path, place: Pair, certificates: Certificates) -> None:
    """Who may come in is renewed, too."""
    client_ca = tmp_path / "clients.pem"
    replace(certificates.ca, client_ca)
    async with tls_gate(tmp_path, place, client_ca) as address:
        target = f"https://{address}"
        assert await plans_at(target, ca=certificates.ca, pair=certificates.client) == 0
        replace(certificates.other_ca, client_ca)
        assert await plans_at(target, ca=certificates.ca, pair=certificates.stranger) == 0
        assert "does not accept" in await failure_at(target, ca=certificates.ca, pair=certificates.client)
