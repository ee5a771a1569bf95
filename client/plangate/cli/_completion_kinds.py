"""What is offered for an argument, in every shell."""

from __future__ import annotations

from enum import Enum, auto

PATHS = frozenset({"FILE", "DIR", "FOLDER"})


class Kind(Enum):
    PLANS = auto()
    FILES = auto()
    NOTHING = auto()


def kind_of(name: str) -> Kind:
    if name == "PLAN":
        return Kind.PLANS
    return Kind.FILES if name in PATHS else Kind.NOTHING
