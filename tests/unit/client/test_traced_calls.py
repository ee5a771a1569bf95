"""What calls say of the trace that they are part of: its W3C names, and nothing else of the program's."""

import sys
from types import ModuleType
from typing import Any, cast

import grpc
import pytest

from plangate import Client
from tests.unit.client.test_own_channel import Elsewhere

TRACEPARENT = ("traceparent", f"00-{'1' * 32}-{'2' * 16}-01")
TRACESTATE = ("tracestate", "vendor=1")


class Propagator(ModuleType):
    """Stands for opentelemetry.propagate in a program that chose what it tells."""

    def __init__(self, *told: tuple[str, str]) -> None:
        super().__init__("opentelemetry.propagate")
        self._told = told

    def inject(self, carrier: dict[str, str]) -> None:
        carrier.update(self._told)


def shown_by_a_call() -> list[Any]:
    """The metadata of a call."""
    channel = Elsewhere()
    with Client(channel=cast(grpc.Channel, channel)) as client, pytest.raises(RuntimeError):
        client.create_plan("# Tidy")
    return channel.shown


@pytest.mark.parametrize("told", [(), (TRACEPARENT,), (TRACEPARENT, TRACESTATE)])
def test_the_trace_is_told(monkeypatch: pytest.MonkeyPatch, told: tuple[tuple[str, str], ...]) -> None:
    """As much of it as there is."""
    monkeypatch.setitem(sys.modules, "opentelemetry.propagate", Propagator(*told))
    assert shown_by_a_call() == list(told)


OTHERS = {
    "baggage": ("baggage", "customer=4711"),
    "B3": ("X-B3-TraceId", "1" * 32),
    "Jaeger": ("uber-trace-id", "1:2:0:1"),
    "a token": ("authorization", "Bearer somebody-else's"),
    "what gRPC would refuse": ("Not A Header", "a\nb"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_nothing_else_is_told(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """What other propagators add is for others, and some of it would end the call."""
    added = Propagator(OTHERS[name], TRACESTATE, TRACEPARENT)
    monkeypatch.setitem(sys.modules, "opentelemetry.propagate", added)
    assert shown_by_a_call() == [TRACEPARENT, TRACESTATE]


def test_a_program_without_traces_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does it need the package."""
    monkeypatch.delitem(sys.modules, "opentelemetry.propagate", raising=False)
    assert shown_by_a_call() == []
    assert "opentelemetry.propagate" not in sys.modules
