"""A token that is not taken, while it is looked at."""

from __future__ import annotations


class Rejected(Exception):
    """Names the check that failed, for the log. It says nothing of what stands in the token."""

    def __init__(self, check: str) -> None:
        super().__init__(check)
        self.check = check
