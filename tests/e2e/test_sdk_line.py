"""Whoever gives ``on_line`` learns when the gate is away and when it is back, each once."""

from __future__ import annotations

from pathlib import Path

import pytest

from plangate import Client, GateUnreachable
from tests.helpers.gate_process import gate_process


def test_it_is_told_once_for_each_change(tmp_path: Path) -> None:
    """However many calls notice it; and every call still raises what it would have raised."""
    told: list[GateUnreachable | None] = []
    with gate_process(tmp_path) as address:
        client = Client(address, on_line=told.append)
        client.create_plan("# Tidy")
    with client:
        for _ in range(2):
            with pytest.raises(GateUnreachable):
                list(client.within(3.0).list_plans())
        (lost,) = told
        assert isinstance(lost, GateUnreachable)
        with gate_process(tmp_path, listen=address):
            for _ in range(2):
                assert len(list(client.list_plans())) == 1
        assert told == [lost, None]
