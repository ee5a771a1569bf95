"""THE table of metrics. What is exported and what the docs say both follow from it.

Every label is bounded: by the methods that exist, by the statuses of gRPC, by this very version.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from msgspec import Struct


class Kind(StrEnum):
    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Metric(Struct, frozen=True):
    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()
    """The upper ends of a histogram's buckets, without the last, which has none."""


BUILD_INFO: Final = Metric(
    "plangate_build_info", Kind.GAUGE, "Always 1; the version is a label.", ("version",)
)

CALLS: Final = Metric(
    "plangate_calls_total",
    Kind.COUNTER,
    "Finished calls by method and gRPC status; methods that do not exist count as unknown.",
    ("method", "status"),
)
CALL_SECONDS: Final = Metric(
    "plangate_call_seconds",
    Kind.HISTOGRAM,
    "How long calls with one answer took inside the server.",
    ("method",),
    (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)
OPEN_STREAMS: Final = Metric("plangate_open_streams", Kind.GAUGE, "Streams that are open now.", ("method",))

PENDING_REVIEWS: Final = Metric(
    "plangate_pending_reviews",
    Kind.GAUGE,
    "Reviews that wait for a decision, in all workspaces; left out while the database cannot be used.",
)
WAITING_TOOL_CALLS: Final = Metric(
    "plangate_waiting_tool_calls",
    Kind.GAUGE,
    "Tool calls that wait for an answer, in all workspaces; left out while the database cannot be used.",
)
DECISION_SECONDS: Final = Metric(
    "plangate_decision_seconds",
    Kind.HISTOGRAM,
    "From the request of a review to its decision by a person; counted by the node that took the decision.",
    buckets=(1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 14_400.0, 86_400.0, 604_800.0),
)

WRITER_BATCH_SIZE: Final = Metric(
    "plangate_writer_batch_size",
    Kind.HISTOGRAM,
    "How many writes shared one commit, the server's own chores included.",
    buckets=(1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0),
)
WRITER_QUEUE_LENGTH: Final = Metric(
    "plangate_writer_queue_length", Kind.GAUGE, "Writes that wait for the next commit."
)
STREAM_QUEUE_LENGTH: Final = Metric(
    "plangate_stream_queue_length",
    Kind.GAUGE,
    "Events that wait for the slowest reader of a stream; one that lags 1000 behind is cut off.",
)
EVENT_LAG_SECONDS: Final = Metric(
    "plangate_event_lag_seconds",
    Kind.HISTOGRAM,
    "From an event's commit until the streams of this node have it; from its time, if another node wrote it.",
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)

METRICS: Final = (
    BUILD_INFO,
    CALLS,
    CALL_SECONDS,
    OPEN_STREAMS,
    PENDING_REVIEWS,
    WAITING_TOOL_CALLS,
    DECISION_SECONDS,
    WRITER_BATCH_SIZE,
    WRITER_QUEUE_LENGTH,
    STREAM_QUEUE_LENGTH,
    EVENT_LAG_SECONDS,
)
