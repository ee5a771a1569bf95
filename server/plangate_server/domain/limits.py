"""How large things may be, and how many of them there may be. Each refusal names the limit that it is about.

``Limits`` is what an operator can set; the constants are fixed. ``limit_table`` tells of all of them.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from msgspec import Struct

from plangate_server.domain.errors import InvalidField, LimitExceeded

KIB: Final = 1024
MIB: Final = 1024 * KIB

ID_BYTES: Final = 256
OVERVIEW_BYTES: Final = 64 * KIB
FEEDBACK_BYTES: Final = 64 * KIB
PHASES: Final = 500
PHASE_TODOS: Final = 5000
MESSAGE_FIELDS: Final = 15_000
FILTER_ENTRIES: Final = 100
LABELS: Final = 20
DEPENDENCIES: Final = 125_000
SHOWN_BYTES: Final = 2 * MIB
HINT_BYTES: Final = 128 * KIB
COMMAND_BYTES: Final = 256 * KIB
PROMPT_BYTES: Final = 64 * KIB
METADATA_ENTRIES: Final = 64
METADATA_BYTES: Final = 4 * KIB
WAITING_CALLS: Final = 1000
REMEMBERED: Final = 1000
REFERENCES: Final = 100
EDITORS: Final = 20
BUILDS: Final = 1000
BUILT: Final = 1000
REVISIONS: Final = 10_000
COMMENTS: Final = 1000
COMMENTS_BYTES: Final = 4 * MIB
RESTORED: Final = 100
CALLS_IN_LINE: Final = 10_000
HEAVY_CALLS: Final = 64
UNKNOWN_CALLS_IN_LINE: Final = 2000
AUTHORS: Final = 100
MOST_TODOS: Final = 5000
"""Whatever an operator sets."""
LONGEST_WAIT: Final = timedelta(days=3650)
KEPT_ENDED: Final = timedelta(days=90)
"""For how long tool calls, builds, tokens and sessions are kept after their end."""


class Limits(Struct, frozen=True):
    """What new content is held to. What is stored already was held to the limits of its time."""

    message_bytes: int = 4 * MIB
    plan_bytes: int = 1 * MIB
    todos: int = 500
    todo_bytes: int = 4 * KIB
    name_characters: int = 1000
    page_size: int = 1000
    open_reviews: int = 100
    calls_per_second: int = 5_000
    streams_per_principal: int = 15_000
    streams: int = 30_000


DEFAULTS: Final = Limits()


def check_bytes(field: str, text: str, limit: str, maximum: int) -> None:
    """Refuse a text whose UTF-8 form is longer than the limit."""
    # Four bytes per character at most: nearly every text is let through without being encoded.
    if len(text) * 4 > maximum and (actual := len(text.encode())) > maximum:
        raise LimitExceeded(limit, maximum, actual, field)


def check_count(field: str, actual: int, limit: str, maximum: int) -> None:
    """Refuse more of something than the limit."""
    if actual > maximum:
        raise LimitExceeded(limit, maximum, actual, field)


def check_wait(field: str, span: timedelta | None) -> None:
    """Refuse a span that nobody can wait."""
    if span is not None and not timedelta() < span <= LONGEST_WAIT:
        raise InvalidField(field, "is not a positive span of at most 10 years")


def check_id(field: str, identifier: str) -> None:
    """Refuse an id that is too long."""
    check_bytes(field, identifier, "id_bytes", ID_BYTES)


def shortened(text: str, characters: int) -> str:
    """The text, or as much of it with a count of what was left out."""
    rest = len(text) - characters
    return text if rest <= 0 else f"{text[:characters]}… (and {rest} more characters)"
