"""Files that commands write."""

from __future__ import annotations

import os
import signal
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import BinaryIO


@contextmanager
def whole_file(path: Path, mode: int) -> Iterator[BinaryIO]:
    """A file that is there when all of it is written; otherwise what was there before stays.

    Who may do what with it says the mode, as far as the umask lets it. A link is replaced, not followed.
    """
    if path.exists() and not path.is_file():
        raise OSError("it is there and no file")
    part = path.with_name(f".plangate-{uuid.uuid4().hex}.part")
    try:
        with _removed_on_interrupt(part), open(part, "xb", opener=partial(os.open, mode=mode)) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            part.replace(path)
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
