"""How much an operator wants to hear."""

from __future__ import annotations

import logging
from enum import StrEnum


class Level(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def number(self) -> int:
        """The same level as the standard library counts it."""
        return logging.getLevelNamesMapping()[self.name]

    def includes(self, other: Level) -> bool:
        """Whether who asked for this level hears of the other."""
        return self.number <= other.number
