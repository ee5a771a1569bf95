"""One span for each call, the child of the caller's own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any, Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span as OtelSpan
from opentelemetry.trace import SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

CARRIED: Final = frozenset({"traceparent", "tracestate"})
FAULTS: Final = frozenset({"INTERNAL", "UNKNOWN", "UNIMPLEMENTED", "DATA_LOSS", "UNAVAILABLE"})
"""What is the server's to answer for; a refusal is not."""
LAST_SECONDS: Final = 2.0
EXPORT_SECONDS: Final = 5


class Span:
    """A call's, until it is finished."""

    def __init__(self, span: OtelSpan) -> None:
        self._span = span

    def finished(self, status: str, reason: str) -> None:
        self._span.set_attribute("rpc.grpc.status", status)
        if reason:
            self._span.set_attribute("plangate.reason", reason)
        if status in FAULTS:
            self._span.set_status(StatusCode.ERROR)
        self._span.end()


class Traces:
    """Begins spans. Nothing of a request but its method is in them."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("plangate", version("plangate"))
        self._propagator = TraceContextTextMapPropagator()

    def begin(self, method: str, request_id: str, metadata: Iterable[tuple[str, Any]]) -> Span:
        carrier = {key: value for key, value in metadata if key in CARRIED and isinstance(value, str)}
        service, _, name = method.removeprefix("/").partition("/")
        told = {
            "rpc.system": "grpc",
            "rpc.service": service,
            "rpc.method": name,
            "plangate.request_id": request_id,
        }
        parent = self._propagator.extract(carrier)
        named = f"{service}/{name}"
        return Span(self._tracer.start_span(named, parent, SpanKind.SERVER, attributes=told))

    async def close(self) -> None:
        """Send what is left, for a moment: a collector that is away must not hold up the server's end."""
        done = asyncio.get_running_loop().run_in_executor(None, self._provider.shutdown)
        await asyncio.wait([done], timeout=LAST_SECONDS)


def traces_to_otlp() -> Traces:
    """Spans to the collector that the OTEL_EXPORTER_OTLP_* variables name, or to the one on this machine."""
    # What OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME say wins.
    resource = Resource.create({"service.name": "plangate"}).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=EXPORT_SECONDS)))
    return Traces(provider)
