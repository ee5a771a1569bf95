"""The chain of the log as messages: what anyone needs to check it without us."""

from __future__ import annotations

from collections.abc import Iterator

from plangate_proto.aiserver.v1.plan_review_service_pb2 import AuditEntry
from plangate_server.domain.audit import Link, canonical
from plangate_server.usecases.audit import ChainPage


def chain_entries(page: ChainPage) -> Iterator[AuditEntry]:
    """The links of a page, each with the hash of the one before."""
    previous = page.previous
    for link in page.links:
        yield _entry(link, previous, page.forgotten)
        previous = link.hash


def _entry(link: Link, previous: str, forgotten: int) -> AuditEntry:
    return AuditEntry(
        sequence=link.sequence,
        previous_hash=previous,
        hash=link.hash,
        entry=canonical(link.entry).decode(),
        content=link.body or b"",
        # Whoever took the content of a newer entry away was not retention: that must not look like it.
        content_removed=link.body is None and link.sequence <= forgotten,
    )
