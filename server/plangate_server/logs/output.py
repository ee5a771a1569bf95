"""Lines on their way out, written by a thread of their own."""

from __future__ import annotations

import os
import select
import threading
from collections import deque
from types import TracebackType
from typing import Final

from plangate_server.logs.lines import Written, line

MOST_WAITING: Final = 10_000
PAUSE_SECONDS: Final = 0.02
LAST_SECONDS: Final = 2.0


class Output:
    """Takes lines at once and writes them soon, many at a time.

    Whoever reads them slowly, or not at all, delays no call: what cannot wait any more is dropped and
    counted. Use it as a context: at the end it writes what is left, unless nobody takes it.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._waiting: deque[bytes | Written] = deque()
        self._dropped = 0
        self._wanted = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="log", daemon=True)

    def __enter__(self) -> Output:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._wanted.set()
        self._thread.join(LAST_SECONDS)

    def write(self, line: bytes | Written) -> None:
        """From any thread; never waits, and leaves it to the log's own thread to put things into words."""
        if len(self._waiting) >= MOST_WAITING:
            self._dropped += 1
            return
        self._waiting.append(line)
        if not self._wanted.is_set():
            self._wanted.set()

    def _run(self) -> None:
        while not self._closing.is_set() or self._waiting:
            self._wanted.wait()
            self._wanted.clear()  # before taking, so that what comes meanwhile is not forgotten
            self._write_out(self._taken())
            self._closing.wait(PAUSE_SECONDS)

    def _taken(self) -> bytes:
        entries = [self._waiting.popleft() for _ in range(len(self._waiting))]
        lines = [entry if isinstance(entry, bytes) else entry.line() for entry in entries]
        if self._dropped:
            dropped, self._dropped = self._dropped, 0
            lines.append(
                line("warning", "log_dropped", "lines were dropped: nobody took them", {"lines": dropped})
            )
        return b"".join(lines)

    def _write_out(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self._descriptor, left) :]
            except BlockingIOError:  # whoever shares the descriptor made it so
                select.select([], [self._descriptor], [])
            except OSError:
                return  # standard error is gone, and with it whoever could be told
