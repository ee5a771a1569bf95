"""The two things that a run is made of, each one small file: who is measured, and what."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Operation: TypeAlias = Callable[[], Awaitable[object]]
"""What a caller does again and again; it raises if the answer is not the right one."""

Open: TypeAlias = Callable[[str], AbstractAsyncContextManager[Operation]]
"""Connects to an address and gives the operation that all callers share."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A server that can be started on loopback."""

    name: str
    note: str
    running: Callable[[Path], AbstractAsyncContextManager[str]]
    """Starts it with an empty folder for its files, gives its address, and stops it in the end."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """Something that callers do, and how they do it on each contender."""

    name: str
    note: str
    contenders: Mapping[Contender, Open]
    """The first one is the floor that the others are compared with."""
    callers: tuple[int, ...] = (1, 16, 64)
