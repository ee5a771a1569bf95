"""Times and spans as messages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
DAY_SECONDS: Final = 24 * 60 * 60


def timestamp(moment: datetime | None) -> Timestamp | None:
    if moment is None:
        return None
    since = moment - EPOCH
    return Timestamp(seconds=since.days * DAY_SECONDS + since.seconds, nanos=since.microseconds * 1000)


def duration(span: timedelta | None) -> Duration | None:
    if span is None:
        return None
    message = Duration()
    message.FromTimedelta(span)
    return message
