"""What is measured of events that were committed.

The clocks of two nodes may differ: what would have taken less than no time took none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from plangate_server.domain.events import Event, LogEvent
from plangate_server.domain.lifecycle import AFTER_REVIEW
from plangate_server.domain.review import OUTCOMES, DecisionSource
from plangate_server.metrics import Distribution, Metrics
from plangate_server.storage.jobs import Committed

DECISIONS: Final = frozenset(AFTER_REVIEW[outcome][1] for outcome in OUTCOMES.values())
"""The events that tell of a review that a person, or a rule, has ended."""


def counting_decisions(
    publish: Callable[[Committed], object], metrics: Metrics
) -> Callable[[Committed], None]:
    """Publish, and count what people decided: only the node that committed a decision counts it."""

    def publish_and_count(committed: Committed) -> None:
        publish(committed)
        for seconds in decision_seconds(committed.events):
            metrics.decision_seconds.observe(seconds)

    return publish_and_count


def decision_seconds(events: Iterable[LogEvent]) -> Iterator[float]:
    """How long each review took that people decided."""
    for event in events:
        if event.type in DECISIONS and isinstance(event, Event):
            review = event.plan.review
            if review.source is DecisionSource.MANUAL and review.decide_time is not None:
                yield max((review.decide_time - review.request_time).total_seconds(), 0.0)


def observe_lag(lag: Distribution, events: Iterable[LogEvent]) -> None:
    """Of events that were read from the log, which does not say when they were committed."""
    now = time.time()
    for event in events:
        lag.observe(max(now - event.time.timestamp(), 0.0))
