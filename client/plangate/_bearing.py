"""A channel whose calls show a token."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import grpc


class _Bearing:
    """What stubs need of a channel."""

    def __init__(self, channel: grpc.Channel, token: str) -> None:
        self._channel = channel
        self._metadata = (("authorization", f"Bearer {token}"),)

    def unary_unary(self, *args: Any, **options: Any) -> Any:
        return partial(self._channel.unary_unary(*args, **options), metadata=self._metadata)

    def unary_stream(self, *args: Any, **options: Any) -> Any:
        return partial(self._channel.unary_stream(*args, **options), metadata=self._metadata)

    def stream_unary(self, *args: Any, **options: Any) -> Any:
        return partial(self._channel.stream_unary(*args, **options), metadata=self._metadata)


def bearing(channel: grpc.Channel, token: str) -> grpc.Channel:
    """The channel for stubs whose calls show the token, if there is one."""
    return cast(grpc.Channel, _Bearing(channel, token)) if token else channel
