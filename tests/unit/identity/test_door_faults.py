"""A look that fails in a way nobody thought of is not the last."""

import asyncio

import pytest

from plangate_server.domain.errors import InvalidCredentials
from tests.helpers.conditions import PATIENCE
from tests.unit.identity.test_door import ADA, Callers, opened, watching


async def test_a_fault_is_not_the_end_of_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a newer node wrote a token that this one cannot read: revoked tokens must still end."""
    callers = Callers()
    callers.away = ValueError("Invalid enum value 'auditor'")
    async with watching(callers, monkeypatch) as running:
        theirs = opened(running, ADA)
        await asyncio.wait_for(callers.looked.wait(), PATIENCE)
        callers.away = None
        callers.ended.add("ada")
        with pytest.raises(InvalidCredentials):
            await asyncio.wait_for(theirs, PATIENCE)
