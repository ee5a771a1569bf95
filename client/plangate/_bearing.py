"""A channel whose calls show a token, and what they are a part of."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final, cast

import grpc

W3C: Final = ("traceparent", "tracestate")


class _Bearing:
    """What stubs need of a channel."""

    def __init__(self, channel: grpc.Channel, token: str) -> None:
        self._channel = channel
        self._shown = (("authorization", f"Bearer {token}"),) if token else ()

    def unary_unary(self, *args: Any, **options: Any) -> Callable[..., Any]:
        return self._showing(self._channel.unary_unary(*args, **options))

    def unary_stream(self, *args: Any, **options: Any) -> Callable[..., Any]:
        return self._showing(self._channel.unary_stream(*args, **options))

    def stream_unary(self, *args: Any, **options: Any) -> Callable[..., Any]:
        return self._showing(self._channel.stream_unary(*args, **options))

    def _showing(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def show(request: Any, **options: Any) -> Any:
            return call(request, metadata=(*self._shown, *trace()), **options)

        return show


def bearing(channel: grpc.Channel, token: str) -> grpc.Channel:
    """The channel for stubs whose calls show the token, if there is one."""
    return cast(grpc.Channel, _Bearing(channel, token))


def trace() -> tuple[tuple[str, str], ...]:
    """The caller's span as W3C metadata, in a program that uses OpenTelemetry; others need not have it."""
    propagate: Any = sys.modules.get("opentelemetry.propagate")
    if propagate is None:
        return ()
    carrier: dict[str, str] = {}
    propagate.inject(carrier)
    return tuple((key, carrier[key]) for key in W3C if key in carrier)
