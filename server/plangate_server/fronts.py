"""What a front of the gate that does not speak gRPC needs: every call, by the same way as gRPC's."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Protocol, TypeAlias

from msgspec import Struct


class Shown(Struct, frozen=True):
    """What comes with a call."""

    token: str
    """Who calls; empty if nobody says."""
    metadata: tuple[tuple[str, str], ...] = ()
    """As gRPC's: x-request-id, and what the call is a part of."""
    address: str = ""
    """Where they call from, as far as that is known."""


class RefusedCall(Exception):
    """A call that got no answer, or not all of it."""

    def __init__(self, code: str, status: bytes) -> None:
        super().__init__(code)
        self.code = code
        """The status, by its name in gRPC."""
        self.status = status
        """All about it, as the bytes of a google.rpc.Status."""


Coming: TypeAlias = Callable[[], Awaitable[bytes]]
"""Reads a request that is still on its way. A Refusal, if it is none."""


class Calls(Protocol):
    """The gate's methods, by their full names: ``/agent.v1.PlanService/GetPlan``."""

    async def answer(self, method: str, shown: Shown, request: bytes | Coming) -> bytes:
        """The message that answers one message. RefusedCall, if it is refused.

        Of a request that is still on its way nothing is read until its caller is let in.
        """

    def stream(self, method: str, shown: Shown, request: bytes) -> AsyncGenerator[bytes]:
        """The messages that answer one message. RefusedCall, if they end otherwise than well."""
