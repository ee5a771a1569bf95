"""Parts of one conversation: when one of them ends, as by the leaving of whoever it is with, all do."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


async def until_one_ends(*parts: Coroutine[Any, Any, None]) -> None:
    """Run all parts, end the others when one has ended, and raise what that one raised.

    Each is cancelled once, and then has the time to clean up. A cancel scope of anyio, which the library's
    own streams end by, cancels the cleaning up as well, and what it leaves half closed fails.
    """
    tasks = [asyncio.create_task(part) for part in parts]
    try:
        ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    for task in ended:
        task.result()
