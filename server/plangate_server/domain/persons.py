"""Whether two names are of one person."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


@lru_cache(maxsize=4096)
def known_as(person: str) -> str:
    """The name without what is only a way of writing it: case, blanks, the form of its characters.

    Names come from several hands, admins and identity providers. Who has two of them that look alike would
    be two people where it matters that they are one.
    """
    plain = unicodedata.normalize("NFKC", person).casefold()
    return " ".join(unicodedata.normalize("NFKC", plain).split())


def same_person(one: str, other: str) -> bool:
    """Whether both are names, and of the same person."""
    return bool(one and other) and known_as(one) == known_as(other)
