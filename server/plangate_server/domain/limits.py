"""How large things may be. Each refusal names the limit by the name it has here."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from plangate_server.domain.errors import InvalidField, LimitExceeded

PLAN_BYTES: Final = 1024 * 1024
TODOS: Final = 500
TODO_BYTES: Final = 4096
ID_BYTES: Final = 256
NAME_CHARACTERS: Final = 1000
OVERVIEW_BYTES: Final = 64 * 1024
FEEDBACK_BYTES: Final = 64 * 1024
PHASES: Final = 500
PAGE_SIZE: Final = 1000
LONGEST_WAIT: Final = timedelta(days=3650)
DEFAULT_PAGE_SIZE: Final = 50
COMMAND_BYTES: Final = 256 * 1024
PROMPT_BYTES: Final = 64 * 1024
METADATA_ENTRIES: Final = 64
METADATA_BYTES: Final = 4096
WAITING_CALLS: Final = 1000
REMEMBERED: Final = 1000
LABELS: Final = 20


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
