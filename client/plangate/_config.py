"""Where the gate is, if nobody says."""

from __future__ import annotations

import os
from typing import Final

DEFAULT_TARGET: Final = "127.0.0.1:50061"


def find_target() -> str:
    """``PLANGATE_TARGET``, or the place where ``plangate serve`` listens by default."""
    return os.environ.get("PLANGATE_TARGET") or DEFAULT_TARGET
