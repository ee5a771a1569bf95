"""Values that a database does not take. Whoever sent one is told, and nobody else has anything of it."""

from __future__ import annotations

from typing import Final

from plangate_server.domain.errors import InvalidField

UNTAKEN: Final = (OverflowError, UnicodeEncodeError)
"""What is said of numbers beyond 64 bits and of halves of surrogates, before the database hears of them."""


def untaken() -> InvalidField:
    """Every field has its own, earlier check; this one tells of what all of them let through."""
    return InvalidField("request", "has a number or a text that no database takes: nothing was written")
