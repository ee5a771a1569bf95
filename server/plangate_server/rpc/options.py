"""How gRPC itself is set up: what it refuses by itself, and when it gives up a connection."""

from __future__ import annotations

from typing import Final

from plangate_server.domain.limits import DEFAULTS, KIB

HEADER_BYTES: Final = 16 * KIB
"""Of all metadata of a call together."""
STANDARD_STREAMS: Final = 1000
"""Of health and reflection, which need no token, open at a time."""
PENDING: Final = 20_000
"""Calls that wait to be begun, above which gRPC begins to cancel some."""
MOST_PENDING: Final = 40_000
PING_SECONDS: Final = 60
"""How long a connection may be silent before the peer is asked whether it is still there."""
ANSWER_SECONDS: Final = 20
"""How long the peer may take to answer that."""
SHORTEST_PING_SECONDS: Final = 10
"""A client that asks more often than this, again and again, is sent away."""

# Streams on a connection are not counted by gRPC: a client over its limit is not refused, its calls wait
# without a word until a stream ends, and a stream of events may never end.
OPTIONS: Final = (
    # Off, or a second server would take half of the first one's connections without a word.
    ("grpc.so_reuseport", 0),
    # Above our own limit, so that a message over it is refused with a reason; far above, gRPC cuts in.
    ("grpc.max_receive_message_length", 4 * DEFAULTS.message_bytes),
    # Not unpacked: a few bytes can be packed so that they fill the memory, and older versions of gRPC look at
    # their size only afterwards.
    ("grpc.per_message_decompression", 0),
    ("grpc.compression_enabled_algorithms_bitset", 1),
    # A burst of calls must wait, not be cancelled at random.
    ("grpc.server.max_pending_requests", PENDING),
    ("grpc.server.max_pending_requests_hard_limit", MOST_PENDING),
    # Both the same: between them, gRPC would refuse at random.
    ("grpc.max_metadata_size", HEADER_BYTES),
    ("grpc.absolute_max_metadata_size", HEADER_BYTES),
    # A peer that is gone without a word must not be counted as watching for hours. Versions of gRPC differ in
    # which of the two times they wait for its answer.
    ("grpc.keepalive_time_ms", PING_SECONDS * 1000),
    ("grpc.keepalive_timeout_ms", ANSWER_SECONDS * 1000),
    ("grpc.http2.ping_timeout_ms", ANSWER_SECONDS * 1000),
    # Clients may ask the same of us, also while no call is under way; only not all the time.
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", SHORTEST_PING_SECONDS * 1000),
)
