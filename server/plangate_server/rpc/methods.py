"""The methods that services have, as their contract says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from google.protobuf import descriptor_pool


def methods_of(services: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Each method by its name on the wire, with whether it streams its answers."""
    for name in services:
        for method in descriptor_pool.Default().FindServiceByName(name).methods:
            yield f"/{name}/{method.name}", method.server_streaming
