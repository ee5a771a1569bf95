"""Turns of the web's workers: none is lost."""

from __future__ import annotations

import asyncio
import threading
from typing import NoReturn

import pytest

from plangate_server.web.workers import AT_A_TIME, Workers
from tests.helpers.conditions import PATIENCE


def no_more_threads(_: threading.Thread) -> NoReturn:
    raise RuntimeError("can't start new thread")


async def test_a_thread_that_cannot_start_takes_no_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asked is told, and all callers are served again as soon as there are threads."""
    workers = Workers()
    async with asyncio.timeout(PATIENCE):
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", no_more_threads)
            for _ in range(2 * AT_A_TIME):
                with pytest.raises(RuntimeError):
                    await workers.do("loud", lambda _: None)
        assert await workers.do("loud", lambda _: "served") == "served"
        assert await workers.do("quiet", lambda _: "served") == "served"
