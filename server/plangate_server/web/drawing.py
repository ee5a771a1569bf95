"""Texts as HTML for the page: few at a time, in threads that nobody has to wait for, and each text once."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from hashlib import sha256
from typing import Final
from weakref import WeakValueDictionary

from plangate_server.web.effort import NotWanted
from plangate_server.web.markdown import render

AT_A_TIME: Final = 2
"""Of which one caller has one: whoever sends texts that take long keeps nobody else waiting."""
KEPT_CHARACTERS: Final = 8 * 1024 * 1024
THREAD: Final = "drawing"


class Drawings:
    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(AT_A_TIME)
        self._callers: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._kept = Kept(KEPT_CHARACTERS)

    async def html(self, caller: str, text: str) -> str:
        """What was drawn before is there at once. Who is cancelled while it is drawn ends that, too."""
        digest = sha256(text.encode()).digest()
        if known := self._kept.get(digest):
            return known
        own = self._callers.setdefault(caller, asyncio.Lock())
        async with own, self._turns:
            drawn = self._kept.get(digest) or await _in_thread(text)
        self._kept.put(digest, drawn)
        return drawn


class Kept:
    """What was used last, as much as may be kept."""

    def __init__(self, characters: int) -> None:
        self._most = characters
        self._size = 0
        self._htmls: OrderedDict[bytes, str] = OrderedDict()

    def get(self, digest: bytes) -> str | None:
        if digest in self._htmls:
            self._htmls.move_to_end(digest)
        return self._htmls.get(digest)

    def put(self, digest: bytes, html: str) -> None:
        self._size += len(html) - len(self._htmls.pop(digest, ""))
        self._htmls[digest] = html
        while self._size > self._most:
            _, oldest = self._htmls.popitem(last=False)
            self._size -= len(oldest)


async def _in_thread(text: str) -> str:
    """Not in the loop's own threads: the process waits for those before it ends."""
    loop = asyncio.get_running_loop()
    drawn: asyncio.Future[str] = loop.create_future()

    def tell(html: str, error: Exception | None) -> None:
        if drawn.done():
            return
        if error is None:
            drawn.set_result(html)
        else:
            drawn.set_exception(error)

    def draw() -> None:
        html, failed = "", None
        try:
            html = render(text, lambda: not drawn.cancelled())
        except NotWanted:
            return
        except Exception as error:
            failed = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(tell, html, failed)

    threading.Thread(target=draw, name=THREAD, daemon=True).start()
    return await drawn
