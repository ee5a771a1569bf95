"""What two gates say about the same things, made comparable."""

from __future__ import annotations

import getpass
import re
from typing import Any

SAID_BY_EACH = {
    "authorityToken",
    "cursor",
    "latency",
    "person",
    "reviewersWatching",
}
"""What is random or measured, made for people's eyes, or told apart by identity."""
TIMES = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)")
IDS = re.compile(
    r"(?<![0-9a-f])[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}(?![0-9a-f])|(?<=_)[0-9a-f]{8}(?=\.plan)"
)
NAMES = {"ada", getpass.getuser(), "local-agent"}
"""Whoever calls without saying who they are."""


class Alike:
    """Takes away what differs from one telling to the next, and names ids in the order of their coming."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}

    def __call__(self, value: Any, name: str = "") -> Any:
        if isinstance(value, dict) and "label" in value:
            return value["value"]  # a choice, of which the rest is for people's eyes
        if isinstance(value, dict):
            return {key: self(each, key) for key, each in value.items() if key not in SAID_BY_EACH}
        if isinstance(value, list):
            return [self(each, name) for each in value]
        if name in {"createdAt", "updatedAt"}:
            return "a time"
        return self._text(value) if isinstance(value, str) and name != "digest" else value

    def _text(self, value: str) -> str:
        plain = TIMES.sub("a time", "somebody" if value in NAMES else value)
        return IDS.sub(lambda found: self._seen.setdefault(found[0], f"id {len(self._seen)}"), plain)
