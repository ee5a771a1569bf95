"""Where a client looks for the gate."""

import pytest

from plangate import Client


def test_the_target_that_is_given_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the caller says is stronger than the environment."""
    monkeypatch.setenv("PLANGATE_TARGET", "from-environment:1")
    with Client("given:1") as client:
        assert client.target == "given:1"


def test_the_environment_names_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an argument, PLANGATE_TARGET says where the gate is."""
    monkeypatch.setenv("PLANGATE_TARGET", "from-environment:1")
    with Client() as client:
        assert client.target == "from-environment:1"


def test_the_target_is_the_local_gate_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """If nobody says anything, it is where `plangate serve` listens if nobody says anything."""
    monkeypatch.delenv("PLANGATE_TARGET", raising=False)
    with Client() as client:
        assert client.target == "127.0.0.1:50061"
