"""What an open stream keeps of its request."""

from __future__ import annotations

from google.protobuf.unknown_fields import UnknownFieldSet

from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest
from plangate_server.domain.limits import MIB, Limits
from plangate_server.rpc.decode import decoder
from tests.contract.wire_encoder import bytes_field

UNKNOWN = 1111


def test_a_stream_keeps_nothing_that_nobody_knows() -> None:
    """Thousands of streams are open for days: fields of no version of ours would stay with each."""
    decode = decoder("/aiserver.v1.PlanReviewService/WatchReviews", WatchReviewsRequest.FromString, Limits())
    read = decode(bytes_field(1, b"s") + bytes_field(UNKNOWN, b"x" * (3 * MIB)))
    assert read == WatchReviewsRequest(session_id="s")
    assert len(UnknownFieldSet(read)) == 0
    assert read.ByteSize() == WatchReviewsRequest(session_id="s").ByteSize()
