"""One look over a database connection, for one workspace: what every part of reading shares."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any, TypeAlias

from sqlalchemy import Column, Connection, Row, Select

AnyRow: TypeAlias = "Row[*tuple[Any, ...]]"
AnySelect: TypeAlias = "Select[*tuple[Any, ...]]"


class Looking:
    def __init__(self, connection: Connection, workspace: str) -> None:
        self._connection = connection
        self._workspace = workspace
        self.versions: dict[str, int] = {}

    def _any_of(
        self,
        query: AnySelect,
        column: Column[str],
        values: Sequence[str],
        order: Column[Any],
        limit: int,
        *,
        reverse: bool = False,
    ) -> Iterator[AnyRow]:
        """The rows with any of the values, or all rows if none is given, in their order.

        One look for each value: an index gives the rows of one in order, of several it does not.
        """
        wanted = [query.where(column == value) for value in values] or [query]
        found = [self._connection.execute(each).all() for each in wanted]
        return islice(heapq.merge(*found, key=attrgetter(order.name), reverse=reverse), limit)
