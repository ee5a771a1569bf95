"""Tokens to call with."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import grpc

from plangate_server.domain.identity import OPERATORS_WORKSPACE, Principal, Role

ADMIN = "local-admin"
"""What is recorded of whoever calls with the token that the tests use by default."""
LOCAL = Principal(ADMIN, OPERATORS_WORKSPACE, Role.ADMIN, "ada")


def token_dir() -> Path:
    """Where the gates of the tests leave tokens for their user."""
    return Path(os.environ["PLANGATE_TOKEN_DIR"])


def local_token(role: str) -> str:
    return (token_dir() / f"{role}.token").read_text().strip()


class _Bearer:
    """A channel whose calls show a token, beside the metadata that they have."""

    def __init__(self, channel: Any, token: str) -> None:
        self._channel = channel
        self._shown = (("authorization", f"Bearer {token}"),)

    def __getattr__(self, name: str) -> Any:
        """Whatever else a channel can do."""
        found = getattr(self._channel, name)
        return self._showing(found) if name.startswith(("unary_", "stream_")) else found

    def _showing(self, make: Callable[..., Any]) -> Callable[..., Any]:
        def made(*args: Any, **options: Any) -> Callable[..., Any]:
            call = make(*args, **options)

            def show(*sent: Any, metadata: Any = (), **more: Any) -> Any:
                return call(*sent, metadata=(*self._shown, *metadata), **more)

            return show

        return made


def bearer(channel: grpc.aio.Channel, token: str) -> grpc.aio.Channel:
    """The channel for whoever has the token; for nobody, if it is empty."""
    return cast(grpc.aio.Channel, _Bearer(channel, token)) if token else channel


def admin(channel: grpc.Channel) -> grpc.Channel:
    """A channel that blocks, for whoever may do anything."""
    return cast(grpc.Channel, _Bearer(channel, local_token("admin")))
