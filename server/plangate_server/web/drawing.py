"""Texts as HTML for the page: drawn beside the event loop, and each text once."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from hashlib import sha256
from typing import Final

from plangate_server.web.markdown import render
from plangate_server.web.workers import IsWanted, Workers

KEPT_BYTES: Final = 8 * 1024 * 1024


class Drawings:
    """Each is kept as the answer that shows it: all who ask for it are sent the same bytes."""

    def __init__(self) -> None:
        self._workers = Workers()
        self._kept = Kept(KEPT_BYTES)

    async def answer(self, caller: str, text: str) -> bytes:
        """What was drawn before is there at once. Who is cancelled while it is drawn ends that, too."""
        digest = sha256(text.encode()).digest()

        def draw(is_wanted: IsWanted) -> bytes:
            # Somebody else may have asked for it meanwhile.
            if (known := self._kept.get(digest)) is not None:
                return known
            drawn = json.dumps({"html": render(text, is_wanted)}, ensure_ascii=False).encode()
            self._kept.put(digest, drawn)
            return drawn

        known = self._kept.get(digest)
        return known if known is not None else await self._workers.do(caller, draw)


class Kept:
    """What was used last, as much as may be kept, for any thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._answers: OrderedDict[bytes, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, digest: bytes) -> bytes | None:
        with self._lock:
            if digest in self._answers:
                self._answers.move_to_end(digest)
            return self._answers.get(digest)

    def put(self, digest: bytes, answer: bytes) -> None:
        with self._lock:
            self._size += len(answer) - len(self._answers.pop(digest, b""))
            self._answers[digest] = answer
            while self._size > self._most:
                _, oldest = self._answers.popitem(last=False)
                self._size -= len(oldest)
