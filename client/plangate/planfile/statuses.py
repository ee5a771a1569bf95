"""The words for how far a todo has come."""

from __future__ import annotations

from typing import Final

PENDING: Final = "pending"
IN_PROGRESS: Final = "in_progress"
COMPLETED: Final = "completed"
CANCELLED: Final = "cancelled"

KNOWN: Final = (PENDING, IN_PROGRESS, COMPLETED, CANCELLED)
SAME_AS: Final = {"": PENDING, "done": COMPLETED}
"""What other words of plan files mean. Anything else is kept as it was written."""
