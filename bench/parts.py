"""The things that a run is made of, each one small file: who is measured, what, and what is hoped for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Sample:
    """What was seen in one stretch of time under full load."""

    per_second: float
    latencies: list[float]
    """Seconds that each operation took that ended in that time."""
    load_cores: float
    """How many cores the load generator used; if it is close to 1, it may itself be the limit."""


Sampler: TypeAlias = Callable[[int, float], Awaitable[Sample]]
"""Loads a server with so many callers for so many seconds."""

Open: TypeAlias = Callable[[str], AbstractAsyncContextManager[Sampler]]
"""Connects to an address and gives what takes samples there."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A server that can be started on loopback."""

    name: str
    note: str
    running: Callable[[Path], AbstractAsyncContextManager[str]]
    """Starts it with an empty folder for its files, gives its address, and stops it in the end; of several
    processes, the addresses with commas between them."""


@dataclass(frozen=True, slots=True)
class Goal:
    """How much of another contender's rate one should reach."""

    contender: Contender
    against: Contender
    callers: int
    least: float


@dataclass(frozen=True, slots=True)
class Measurement:
    """Something that callers do, and how they do it on each contender."""

    name: str
    note: str
    contenders: Mapping[Contender, Open]
    """The first one is the floor that the others are compared with."""
    callers: tuple[int, ...] = (1, 16, 64)
    counted: str = "callers"
    """What there is one, or many, of."""
    goals: tuple[Goal, ...] = ()
