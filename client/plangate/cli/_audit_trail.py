"""The event log as a table, every entry of which was checked on the way."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from plangate._audit import Chain, Entry, workspace_of
from plangate._client import Client
from plangate.cli._tables import Row, print_table
from plangate.cli._text import counted_entries
from plangate.cli._words import spoken

HEADINGS = ("ENTRY", "TIME", "WHAT", "WHO")
TYPE, TIME, ACTOR = 6, 7, 8
"""Where these stand in an entry: see docs/audit.md."""


def print_trail(client: Client) -> None:
    """Raises BrokenChain at the first entry that does not hold."""
    rows: list[Row] = []
    chain: Chain | None = None
    for each in client.audit_entries():
        content = None if each.content_removed else each.content
        chain = chain or Chain(workspace_of(each.entry))
        chain.follow(Entry(each.sequence, each.entry, each.hash, content))
        rows.append(_row(each.sequence, json.loads(each.entry)))
    print_table(HEADINGS, rows)
    if chain is not None:
        print(f"\nevery hash was checked: {counted_entries(len(rows), chain.without_content, chain.head)}")


def _row(sequence: int, said: list[str]) -> Row:
    moment = datetime.fromtimestamp(int(said[TIME]) / 1e6, UTC)
    return (str(sequence), f"{moment:%H:%M:%S}Z", spoken(said[TYPE]), said[ACTOR])
