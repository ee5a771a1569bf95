"""A gate for the tests of programs that use one: the real one, in memory, without a server or a network.

from plangate.testing import Gate

def test_my_agent_stops_at_a_no():
    gate = Gate()
    gate.reject_next("not on a Sunday")
    gate.allow_next()
    run_my_agent(gate.client())

What calls run is the code of the server: rules, roles, limits and the event log are those of a gate that
serves. Needs the extra: pip install 'plangate[testing]'.
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

try:
    from plangate.testing._gate import Gate
except ModuleNotFoundError as missing:
    if missing.name != "msgspec":
        raise
    raise ImportError("a gate for tests needs one more package: pip install 'plangate[testing]'") from missing

__all__ = [
    "Answer",
    "Gate",
    "allow",
    "allow_for_session",
    "approve",
    "deny",
    "edit",
    "expire",
    "reject",
    "request_changes",
]
