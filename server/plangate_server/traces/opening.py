"""Where spans go."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plangate_server.traces.spans import Traces


class Sink(StrEnum):
    OFF = "off"
    OTLP = "otlp"
    """To where the OTEL_EXPORTER_OTLP_* variables say."""


class CannotTrace(Exception):
    """What is missing; its words say what to do."""


@asynccontextmanager
async def open_traces(sink: Sink) -> AsyncIterator[Traces | None]:
    """Spans to the sink, while the block lasts; the last ones leave at its end, if anybody takes them."""
    if sink is Sink.OFF:
        yield None
        return
    try:
        spans: Any = import_module("plangate_server.traces.spans")
    except ModuleNotFoundError as missing:
        raise CannotTrace("traces need OpenTelemetry: pip install 'plangate[otel]'") from missing
    traces: Traces = spans.traces_to_otlp()
    try:
        yield traces
    finally:
        await traces.close()
