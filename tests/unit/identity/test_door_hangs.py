"""A store that neither answers nor fails keeps nobody in whose time is over."""

import asyncio

import pytest

from plangate_server.domain.errors import InvalidCredentials
from tests.helpers.conditions import PATIENCE
from tests.unit.identity.test_door import ADA, BOB, Callers, opened, watching


class HangingCallers(Callers):
    """Looks into a store that never answers, until it is given up."""

    def __init__(self) -> None:
        super().__init__()
        self.answer = asyncio.Event()

    async def refresh(self) -> None:
        await super().refresh()
        await self.answer.wait()


async def test_streams_end_while_a_look_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known to have ended ends, one after the other; whoever still holds stays."""
    callers = HangingCallers()
    async with watching(callers, monkeypatch) as running:
        theirs, mine = opened(running, ADA), opened(running, BOB)
        await callers.look_again()
        assert not theirs.done()
        callers.ended.add("ada")
        with pytest.raises(InvalidCredentials):
            await asyncio.wait_for(theirs, PATIENCE)
        assert not mine.done()
        callers.ended.add("bob")
        with pytest.raises(InvalidCredentials):
            await asyncio.wait_for(mine, PATIENCE)


async def test_it_looks_again_after_a_look_that_hung(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What was given up is told, and the next look can go well."""
    callers = HangingCallers()
    async with watching(callers, monkeypatch):
        await callers.look_again()
        told = "revoked tokens are not seen while the database is away"
        assert told in caplog.messages
        callers.answer.set()
        await callers.look_again()
