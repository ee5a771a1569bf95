"""Exit codes, as scripts rely on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

DONE: Final = 0
FAILED: Final = 1
WRONG_USAGE: Final = 2
REJECTED: Final = 3
EXPIRED: Final = 4
CHANGES_REQUESTED: Final = 5
NOT_DECIDED: Final = 6
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141

MEANINGS: Final[Mapping[int, str]] = {
    DONE: "done; for a decision that was waited for: approved, as it is or as edited",
    FAILED: "not done; one line on standard error says why",
    WRONG_USAGE: "used wrongly, or a package is missing that the command needs",
    REJECTED: "rejected",
    EXPIRED: "expired: nobody decided in time",
    CHANGES_REQUESTED: "another revision is wanted",
    NOT_DECIDED: "withdrawn, or superseded: another text of the plan took its place",
    INTERRUPTED: "interrupted with Ctrl-C",
    PIPE_CLOSED: "whoever read the output stopped reading",
}
OF_OUTCOMES: Final[Mapping[str, int]] = {
    "APPROVED": DONE,
    "MODIFIED": DONE,
    "REJECTED": REJECTED,
    "EXPIRED": EXPIRED,
    "CHANGES_REQUESTED": CHANGES_REQUESTED,
}
"""Of a plan that was waited for; anything else is NOT_DECIDED."""
