"""A write that is repeated under its request_id is done once and answered as it was the first time."""

from __future__ import annotations

from collections.abc import Callable

from plangate_server.domain.plan import Plan
from plangate_server.ports import RequestKey, Writing


def once(writing: Writing, key: RequestKey | None, work: Callable[[], Plan]) -> Plan:
    """Do the work, or give the answer that it had the first time. Refusals are not remembered."""
    if key is None:
        return work()
    answer = writing.recall(key)
    if answer is None:
        answer = work()
        writing.remember(key, answer)
    return answer
