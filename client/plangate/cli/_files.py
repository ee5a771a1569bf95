"""Files that commands write."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import BinaryIO


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file that is there when all of it is written; otherwise what was there before stays.

    Nobody but its owner can read it.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        raise OSError("it is there and no file")
    descriptor, name = tempfile.mkstemp(prefix=".plangate-", suffix=".part", dir=target.parent)
    part = Path(name)
    try:
        with _removed_on_interrupt(part), os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            part.replace(target)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _removed_on_interrupt(part: Path) -> Iterator[None]:
    """Ctrl-C ends a command at once, wherever it is: nobody else would remove the file."""
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):
        yield  # nobody can interrupt
        return

    def interrupted(number: int, frame: FrameType | None) -> None:
        part.unlink(missing_ok=True)
        before(number, frame)

    signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
