"""The plans that changed last, so that what is hot need not be read again.

Holds only what the one writer of a database has committed itself: where others write to it too, it would
show what was, and must not be used.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

from plangate_server.domain.content import content_bytes
from plangate_server.domain.plan import Plan

MAX_BYTES: Final = 64 * 1024 * 1024
OVERHEAD_BYTES: Final = 4096


class Recent:
    """Plans by their id and by the id of their review; the least recently changed go first."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._plans: OrderedDict[str, tuple[Plan, int]] = OrderedDict()
        self._reviews: dict[str, str] = {}

    def plan(self, plan_id: str, workspace: str) -> Plan | None:
        found = self._plans.get(plan_id)
        return found[0] if found and found[0].workspace == workspace else None

    def plan_under_review(self, approval_request_id: str, workspace: str) -> Plan | None:
        return self.plan(self._reviews.get(approval_request_id, ""), workspace)

    def add(self, plans: Iterable[Plan]) -> None:
        for plan in plans:
            self._drop(plan.plan_id)
            size = content_bytes(plan.revision.content) + OVERHEAD_BYTES
            self._plans[plan.plan_id] = (plan, size)
            if plan.review.approval_request_id:
                self._reviews[plan.review.approval_request_id] = plan.plan_id
            self._bytes += size
        while self._bytes > self._max_bytes:
            self._drop(next(iter(self._plans)))

    def _drop(self, plan_id: str) -> None:
        plan, size = self._plans.pop(plan_id, (None, 0))
        self._bytes -= size
        if plan is not None:
            self._reviews.pop(plan.review.approval_request_id, None)
