"""All that one running gate counts. Each has its own: several can run in one process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import Metric as Family
from prometheus_client.registry import Collector

from plangate_server.metrics import families, table
from plangate_server.metrics.table import Metric
from plangate_server.metrics.tallies import CallTally, Distribution

UNKNOWN: Final = "unknown"
FROM_THE_START: Final = ("OK", "INTERNAL")
"""A counter that appears with its first fault has not risen, as Prometheus sees it."""


class Metrics(Collector):
    """Counted up where things happen, on the event loop; put into words when somebody scrapes."""

    def __init__(self) -> None:
        self.decision_seconds = Distribution(table.DECISION_SECONDS.buckets)
        self.writer_batch_size = Distribution(table.WRITER_BATCH_SIZE.buckets)
        self.event_lag_seconds = Distribution(table.EVENT_LAG_SECONDS.buckets)
        self._calls: dict[str, CallTally] = {}
        self._streams: set[str] = set()
        self._unknown = CallTally(table.CALL_SECONDS.buckets, ["UNIMPLEMENTED"])
        self._gauges: dict[Metric, Callable[[], float | None]] = {}
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    def know(self, methods: Iterable[tuple[str, bool]]) -> None:
        """The methods that there are, each with whether it streams its answers: no others get a name."""
        for name, streams in methods:
            self._calls[name] = CallTally(table.CALL_SECONDS.buckets, FROM_THE_START)
            if streams:
                self._streams.add(name)

    def calls(self, method: str) -> CallTally:
        """Where calls of a method are counted."""
        return self._calls.get(method, self._unknown)

    def read(self, gauge: Metric, now: Callable[[], float | None]) -> None:
        """Have a gauge read at each scrape; None leaves it out."""
        self._gauges[gauge] = now

    def text(self) -> bytes:
        """Everything, as Prometheus reads it."""
        return generate_latest(self._registry)

    def describe(self) -> list[Family]:
        """Nothing else is in the registry that a name could collide with."""
        return []

    def collect(self) -> Iterator[Family]:
        yield families.gauge(table.BUILD_INFO, [((version("plangate"),), 1)])
        yield from self._of_calls()
        for metric, now in self._gauges.items():
            value = now()
            if value is not None:
                yield families.gauge(metric, [((), value)])
        for metric, values in (
            (table.DECISION_SECONDS, self.decision_seconds),
            (table.WRITER_BATCH_SIZE, self.writer_batch_size),
            (table.EVENT_LAG_SECONDS, self.event_lag_seconds),
        ):
            yield families.histogram(metric, [((), values)])

    def _of_calls(self) -> Iterator[Family]:
        every = {**self._calls, UNKNOWN: self._unknown}
        yield families.counter(
            table.CALLS,
            [((method, status), n) for method, tally in every.items() for status, n in tally.by_status()],
        )
        # Most methods are never called here: their empty histograms would be most of the text.
        called = [
            ((method,), tally.seconds)
            for method, tally in self._calls.items()
            if method not in self._streams and tally.seconds.count
        ]
        yield families.histogram(table.CALL_SECONDS, called)
        opened = [((method,), self._calls[method].open) for method in sorted(self._streams)]
        yield families.gauge(table.OPEN_STREAMS, opened)
