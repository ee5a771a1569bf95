"""Finds what was answered to earlier requests, for many of them at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TypeAlias

from plangate_server.ports import RequestKey
from plangate_server.storage.driver import Driver, Marks, filled_up

StoredAnswer: TypeAlias = tuple[str, bytes]
"""The fingerprint of a request, and what was answered."""


class Answers:
    """What was answered to earlier requests, looked for once for all commands of the batch."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._found: dict[tuple[str, str, str], StoredAnswer | None] = {}

    def look_for(self, keys: Iterable[tuple[str, RequestKey]]) -> None:
        asked: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for workspace, key in keys:
            asked[workspace, key.principal].add(key.request_id)
        for (workspace, principal), ids in asked.items():
            found = _stored(self._driver, workspace, principal, sorted(ids))
            self._found |= {(workspace, principal, id): found.get(id) for id in ids}

    def get(self, workspace: str, key: RequestKey) -> StoredAnswer | None:
        name = (workspace, key.principal, key.request_id)
        if name not in self._found:
            self.look_for([(workspace, key)])
        return self._found[name]


def _stored(
    driver: Driver, workspace: str, principal: str, request_ids: Sequence[str]
) -> dict[str, StoredAnswer]:
    """By request_id; nothing for those that were never used."""
    ids = filled_up(request_ids)
    found = driver.run(_statement(driver.marks, len(ids)), (workspace, principal, *ids)).fetchall()
    return {request_id: (fingerprint, answer) for request_id, fingerprint, answer in found}


@cache
def _statement(marks: Marks, ids: int) -> str:
    return (
        "SELECT request_id, fingerprint, answer FROM requests "
        f"WHERE workspace = {marks(1, 1)} AND principal = {marks(1, 2)} "
        f"AND request_id IN ({marks(ids, 3)})"
    )
