"""Several persons with several tokens each, and a policy that changes under them."""

from collections.abc import Sequence

from plangate_server.domain.events import LogEvent
from plangate_server.domain.identity import Principal, Role
from plangate_server.domain.policy import Policy
from plangate_server.ports import EventFilter
from tests.helpers.backends import ALL
from tests.helpers.world import FixedPolicy, Sandbox

FOUR_EYES = Policy(four_eyes=True)


def agent(person: str) -> Principal:
    return Principal(f"{person}-bot", "acme", Role.AGENT, person)


def reviewer(person: str) -> Principal:
    return Principal(f"{person}-desk", "acme", Role.REVIEWER, person)


def admin(person: str) -> Principal:
    return Principal(f"{person}-admin", "acme", Role.ADMIN, person)


def switch(sandbox: Sandbox, policy: Policy) -> None:
    """What a SIGHUP does."""
    policies = sandbox.world.policies
    assert isinstance(policies, FixedPolicy)
    policies.current = policy


async def log(sandbox: Sandbox) -> Sequence[LogEvent]:
    """All that is recorded."""
    which = EventFilter()
    return await sandbox.store.read("acme", lambda reading: reading.events(which, after=0, limit=ALL))
