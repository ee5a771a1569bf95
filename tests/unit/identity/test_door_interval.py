"""How often the door looks for credentials that ended, of which the guides promise something."""

import asyncio
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from plangate_server.rpc import door as module
from plangate_server.rpc.door import Door
from plangate_server.rpc.running import Running
from tests.helpers.conditions import PATIENCE
from tests.helpers.world import make_world
from tests.unit.identity.test_door import Callers


class EnoughError(Exception):
    """Ends the door, which would look for ever."""


async def test_it_looks_every_second(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A wait of at most a second before each look, and a second for it: "within two seconds" in the guides.

    A look that goes well is not logged.
    """
    callers = Callers()
    asked: list[tuple[str, float]] = []

    async def sleep(seconds: float) -> None:
        asked.append(("wait", seconds))
        if callers.looks == 3:
            raise EnoughError

    def timeout(seconds: float) -> asyncio.Timeout:
        asked.append(("look", seconds))
        return asyncio.timeout(PATIENCE)

    monkeypatch.setattr(module, "asyncio", SimpleNamespace(sleep=sleep, timeout=timeout))
    with pytest.raises(EnoughError):
        await Door(replace(make_world().world, callers=callers), Running()).see_out()
    seconds = module.LOOK_SECONDS
    assert asked == [("wait", seconds), ("look", seconds)] * 3 + [("wait", seconds)]
    assert 0 < seconds <= 1
    assert not caplog.records
