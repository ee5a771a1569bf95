"""What a call shows beside its request: who makes it, and what it is a part of."""

from __future__ import annotations

import sys
from typing import Any, Final, TypeAlias

W3C: Final = ("traceparent", "tracestate")

Metadata: TypeAlias = tuple[tuple[str, str], ...]


def bearer(token: str) -> Metadata:
    """The token, if there is one."""
    return (("authorization", f"Bearer {token}"),) if token else ()


def trace() -> Metadata:
    """The caller's span as W3C metadata, in a program that uses OpenTelemetry; others need not have it."""
    propagate: Any = sys.modules.get("opentelemetry.propagate")
    if propagate is None:
        return ()
    carrier: dict[str, str] = {}
    propagate.inject(carrier)
    return tuple((key, carrier[key]) for key in W3C if key in carrier)
