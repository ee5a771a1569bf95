"""What is not "Bearer <token>" is no token."""

import grpc
import pytest

from tests.helpers.gate import OWN_CONNECTION, Gate
from tests.helpers.identities import refusal_of
from tests.helpers.tokens import local_token

WHO_AM_I = "/agent.v1.TokenService/WhoAmI"


@pytest.mark.parametrize(
    "header", ["{token}", "Bearer ", "Basic {token}", "bearer{token}", "Bearer {token} {token}"]
)
async def test_a_malformed_header_is_no_token(gate: Gate, header: str) -> None:
    """Something is shown, and it is not taken."""
    metadata = (("authorization", header.format(token=local_token("admin"))),)
    async with grpc.aio.insecure_channel(gate.address, options=OWN_CONNECTION) as channel:
        refusal = await refusal_of(channel, WHO_AM_I, b"", metadata)
    assert refusal is not None
    assert refusal.reason == "INVALID_CREDENTIALS"
