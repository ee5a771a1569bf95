"""What the checks need of a provider's keys, and of where these come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct


class KeyProblem(Exception):
    """Keys that cannot be had or used; its words say why, and follow where they are from."""


class Key(Protocol):
    @property
    def key_id(self) -> str: ...

    @property
    def algorithms(self) -> frozenset[str]:
        """What it may sign with."""

    def signed(self, message: bytes, signature: bytes, algorithm: str) -> bool:
        """Whether the signature is of this key, made in this way."""


class KeySet(Struct, frozen=True):
    """What a provider publishes."""

    keys: Mapping[str, tuple[Key, ...]]
    """By their ids. Keys of several kinds may share one."""
    unused: tuple[str, ...] = ()
    """The others, each with why it is not used."""


class KeySource(Protocol):
    """Where a provider's keys are."""

    @property
    def shown(self) -> str:
        """How it is named to people."""

    @property
    def is_near(self) -> bool:
        """Whether it answers at once, or not at all."""

    def changed(self) -> bool:
        """Whether it certainly has something new."""

    def fetch(self) -> bytes:
        """What is there now, in a thread that can wait; or KeyProblem."""
