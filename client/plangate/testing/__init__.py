"""A gate for the tests of programs that use one: in memory, at once, without a server or a network.

from plangate.testing import FakeGate

def test_my_agent_stops_at_a_no():
    gate = FakeGate()
    gate.reject_next("not on a Sunday")
    gate.allow_next()
    run_my_agent(gate.client())

Plans, builds, comments, drafts, sessions and tool calls follow the rules of a real gate: the same tests are
run against both. What it does not do raises NotImplementedError, and is listed in docs/sdk.md.
"""

from plangate.testing._answers import (
    Answer,
    allow,
    allow_for_session,
    approve,
    deny,
    edit,
    expire,
    reject,
    request_changes,
)
from plangate.testing._gate import FakeGate

__all__ = [
    "Answer",
    "FakeGate",
    "allow",
    "allow_for_session",
    "approve",
    "deny",
    "edit",
    "expire",
    "reject",
    "request_changes",
]
