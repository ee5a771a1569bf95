"""Asks a gate's web port, as Prometheus and load balancers do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from http.client import HTTPConnection
from typing import NamedTuple

from prometheus_client.parser import text_string_to_metric_families

from tests.helpers.conditions import PATIENCE


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    text: str


class Numbers:
    """What one scrape said."""

    def __init__(self, text: str) -> None:
        self.text = text
        samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
        self._values = {(sample.name, frozenset(sample.labels.items())): sample.value for sample in samples}
        self.labels = {label for sample in samples for label in sample.labels.items()}
        self.names = {sample.name for sample in samples}

    def __call__(self, name: str, **labels: str) -> float:
        """The number with exactly these labels, which there must be."""
        return self._values[name, frozenset(labels.items())]

    def calls(self, method: str, status: str) -> float:
        """How many calls ended so; none if nobody has said anything about it."""
        labels = {"method": method, "status": status}
        return self._values.get(("plangate_calls_total", frozenset(labels.items())), 0)

    def streams(self, method: str) -> float:
        """How many streams of a method are open, by the last part of its name."""
        return sum(
            value
            for (name, labels), value in self._values.items()
            if name == "plangate_open_streams" and dict(labels)["method"].endswith(method)
        )


async def ask(address: str, path: str, method: str = "GET", **headers: str) -> Answer:
    return await asyncio.to_thread(_ask, address, path, method, headers)


def _ask(address: str, path: str, method: str, headers: Mapping[str, str]) -> Answer:
    connection = HTTPConnection(address, timeout=PATIENCE)
    try:
        connection.request(method, path, headers=dict(headers))
        answer = connection.getresponse()
        kept = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, kept, answer.read().decode())
    finally:
        connection.close()


async def scrape(address: str) -> Numbers:
    answer = await ask(address, "/metrics")
    assert answer.status == 200, answer
    return Numbers(answer.text)


async def scrape_until(address: str, holds: Callable[[Numbers], bool]) -> Numbers:
    """The first scrape of which the condition holds."""
    latest = time.monotonic() + PATIENCE
    while not holds(numbers := await scrape(address)):
        assert time.monotonic() < latest, numbers.text
    return numbers
