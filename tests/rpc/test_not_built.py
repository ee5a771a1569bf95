"""What the contract has and this version does not: refused by name, unread."""

import pytest

from plangate_server.rpc.server import SERVICES
from tests.helpers import descriptors
from tests.helpers.gate import Gate
from tests.helpers.raw_calls import path_of, raw_call
from tests.helpers.refusals import refused
from tests.rpc.bad_requests import Bad

METHODS = [path_of(method) for service in descriptors.services().values() for method in service.methods]
BUILT = {
    f"/{service.name}/{method}" for service in SERVICES for method, built in service.built().items() if built
}
UNBUILT_SERVICES = {"agent.v1.ApprovalService", "agent.v1.SessionService"}


def test_a_service_is_built_whole_or_not_at_all() -> None:
    """Only the services of tool calls and of sessions are not built, and nothing of them is."""
    assert {path for path in METHODS if path.split("/")[1] not in UNBUILT_SERVICES} == BUILT


@pytest.mark.parametrize("method", [path for path in METHODS if path not in BUILT])
async def test_a_call_that_is_not_built_says_so(empty_gate: Gate, method: str) -> None:
    """Every call of the contract answers: those of a later version with NOT_IMPLEMENTED, unread."""
    for data in (b"", b"\xff\xff"):
        refusal = await refused(raw_call(empty_gate.channel, method, data))
        Bad(method, "NOT_IMPLEMENTED", b"").check(refusal)
        assert method in refusal.message
