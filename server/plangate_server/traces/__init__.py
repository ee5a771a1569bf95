"""Spans of calls for OpenTelemetry, which is an extra: nothing here is loaded where nobody asks for it."""

from plangate_server.traces.opening import CannotTrace, Sink, open_traces

__all__ = ["CannotTrace", "Sink", "open_traces"]
