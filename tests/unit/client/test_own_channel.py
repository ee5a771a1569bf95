"""A channel of one's own: nobody knows where it leads."""

from pathlib import Path
from typing import Any, cast

import grpc
import pytest

from plangate import Client


class Elsewhere:
    """A channel of somebody's own, to another machine, that remembers what it is shown."""

    def __init__(self) -> None:
        self.shown: list[Any] = []

    def unary_unary(self, *_: Any, **__: Any) -> Any:
        def call(*_: Any, metadata: Any = (), **__: Any) -> Any:
            self.shown += metadata or ()
            raise RuntimeError("enough")

        return call

    unary_stream = stream_unary = unary_unary

    def close(self) -> None:
        pass


def test_a_channel_of_ones_own_hears_no_local_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows where it leads: only what is given is shown."""
    monkeypatch.setenv("PLANGATE_TOKEN_DIR", str(tmp_path))
    monkeypatch.delenv("PLANGATE_TARGET", raising=False)
    (tmp_path / "agent.token").write_text("the agent's")
    channel = Elsewhere()
    with Client(channel=cast(grpc.Channel, channel)) as client, pytest.raises(RuntimeError):
        client.create_plan("# Tidy")
    assert channel.shown == []


def test_a_secure_channel_of_ones_own_takes_a_token() -> None:
    """It has its own TLS, as the client says itself: a target beside it is for people."""
    credentials = grpc.ssl_channel_credentials()
    channel = grpc.secure_channel("gate.test:1", credentials)
    Client("gate.test:1", channel=channel, token="given").close()
