"""Numbers as the families of the Prometheus library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import TypeAlias

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

from plangate_server.metrics.table import Metric
from plangate_server.metrics.tallies import Distribution

Labels: TypeAlias = Sequence[str]


def counter(metric: Metric, values: Iterable[tuple[Labels, float]]) -> CounterMetricFamily:
    family = CounterMetricFamily(metric.name, metric.help, labels=metric.labels)
    for labels, value in values:
        family.add_metric(labels, value)
    return family


def gauge(metric: Metric, values: Iterable[tuple[Labels, float]]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(metric.name, metric.help, labels=metric.labels)
    for labels, value in values:
        family.add_metric(labels, value)
    return family


def histogram(metric: Metric, values: Iterable[tuple[Labels, Distribution]]) -> HistogramMetricFamily:
    family = HistogramMetricFamily(metric.name, metric.help, labels=metric.labels)
    for labels, seen in values:
        buckets = [(_words(bound), float(count)) for bound, count in seen.buckets()]
        family.add_metric(labels, buckets, seen.total)
    return family


def _words(bound: float) -> str:
    return "+Inf" if bound == inf else str(bound)
