"""Whether a failed call is made again, and when.

Again after UNAVAILABLE, also when the connection was lost in the middle of a call; after a CANCELLED that
nobody here asked for; and after RESOURCE_EXHAUSTED if the gate says when to come back. Every write has a
request_id, so it is done once however often it is sent. Never after anything else: that is an answer.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final

import grpc

from plangate.errors import GateUnreachable, PlangateError

FIRST_DELAY: Final = 0.1
LONGEST_DELAY: Final = 5.0
PASSING: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED})


class Attempts:
    """The attempts of one call, or those of a stream since it last told something."""

    def __init__(
        self,
        timeout: float | None,
        *,
        repeatable: bool = True,
        now: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._now = now
        self._jitter = jitter
        self._end = None if timeout is None else now() + timeout
        self._repeatable = repeatable
        self._failures = 0

    def left(self) -> float | None:
        """Seconds until the caller gives up; None if never."""
        return None if self._end is None else max(self._end - self._now(), 0.0)

    def begin_anew(self) -> None:
        """It works again: the next failure is the first one."""
        self._failures = 0

    def delay_after(self, error: PlangateError, *, was_reached: bool) -> float:
        """Seconds until the next attempt; raises the error if there is none.

        A gate that never answered is not waited for: more likely than not, it is the wrong address.
        """
        if not self._repeatable or not is_passing(error):
            raise error from None
        if isinstance(error, GateUnreachable) and not was_reached:
            raise error from None
        delay = self._next_delay(error.retry_delay or 0.0)
        left = self.left()
        if left is not None and delay >= left:
            raise error from None
        return delay

    def _next_delay(self, asked_for: float) -> float:
        # Apart from each other, or all clients of a gate would come back in the same moment.
        grown = min(FIRST_DELAY * 2.0 ** min(self._failures, 10), LONGEST_DELAY)
        self._failures += 1
        return asked_for + grown * (0.5 + 0.5 * self._jitter())


def is_passing(error: PlangateError) -> bool:
    """Whether the same call can go well a little later."""
    if error.code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return error.retry_delay is not None
    return error.code in PASSING
