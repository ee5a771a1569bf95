"""Tokens that stand for client certificates: one for each name."""

import asyncio

from plangate_proto.agent.v1.access_token_service_pb2 import ListTokensRequest
from tests.helpers.gate import Gate, connected
from tests.helpers.identities import make_token, token_request
from tests.helpers.refusals import refused


async def test_a_repeated_call_is_harmless(gate: Gate) -> None:
    """The same request_id gives the same answer, for a certificate, too."""
    request = token_request("agent", certificate="alice", request_id="r1")
    first = await gate.tokens.CreateToken(request)
    assert await gate.tokens.CreateToken(request) == first


async def test_a_name_is_taken_once(gate: Gate) -> None:
    """Of any number at once exactly one is made: another would take over when the first is revoked."""
    calls = [gate.tokens.CreateToken(token_request("agent", f"a{n}", certificate="alice")) for n in range(8)]
    answers = await asyncio.gather(*calls, return_exceptions=True)
    assert sum(not isinstance(each, BaseException) for each in answers) == 1
    assert len((await gate.tokens.ListTokens(ListTokensRequest())).tokens) == 1


async def test_only_the_operators_let_certificates_in(gate: Gate) -> None:
    """A name is the same in all workspaces: who took it first elsewhere would have its holder."""
    admin = (await make_token(gate, "admin", workspace="elsewhere")).secret
    async with connected(gate.address, token=admin) as elsewhere:
        refusal = await refused(elsewhere.tokens.CreateToken(token_request("agent", certificate="alice")))
    assert (refusal.reason, refusal.metadata["allowed"]) == ("ROLE_NOT_ALLOWED", "admin of default")
